"""The reference of instruction set, set-up words, control lists, queues and boards, made from tables.

==================  ==============================================================
``texts``           what the sources of tables say of their members
``markdown``        tables of pages
``names``           what a name of the instruction set is, and a set-up word
``instructions``    the page of the instruction set
``register_files``  that of the registers which instructions read and write
``setup_words``     that of set-up words for VPM, DMA, texture units and stencil
``control_lists``   that of control lists and what they point to
``queues``          that of the queues that timelines show
``uart``            that of what a host and a board say to each other
``__main__``        writes the pages
==================  ==============================================================
"""
