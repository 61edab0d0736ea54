"""Waves of the RTL.

``stages``  the stages of a QPU
``view``    what GTKWave shows, in groups
``vcd``     reads the pipeline out of a VCD file
``figure``  draws it
"""
