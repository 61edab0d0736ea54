"""The GPU as a C library, for drivers.

============  =============================================================
``vc4sim.h``  what a driver calls; ``vc4sim.c`` brings the calls to Python
``device``    registers, memory of the caller, work until an interrupt
``recorder``  what was drawn, frame by frame, as pictures and as cases
``progress``  how far it is, for those who wait
``watcher``   what both are
``build``     the shared library
============  =============================================================
"""
