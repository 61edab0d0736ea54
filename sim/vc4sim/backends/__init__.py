"""Simulators of the RTL behind one interface.

``base``
    what a run is given, and what it gives back
``pysim``, ``simulation``
    Amaranth's own simulator
``cxxrtl``
    native code, made by CXXRTL
``native``
    native code that computes all QPUs side by side
``engines``
    all of them and the model, by name
``parts``, ``library``
    what is compiled for both, with a native bench; and how it is run
"""
