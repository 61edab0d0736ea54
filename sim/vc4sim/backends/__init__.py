"""Simulators of the RTL behind one interface.

``base``
    what a run is given, and what it gives back
``pysim``
    Amaranth's own simulator
``cxxrtl``
    native code, made by CXXRTL, with a native bench
"""
