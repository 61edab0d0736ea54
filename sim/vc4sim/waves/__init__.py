"""Waves of the RTL.

``traces``  what GTKWave shows, in groups
``vcd``     reads the pipeline out of a VCD file
``figure``  draws it
"""
