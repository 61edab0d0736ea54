"""The GPU behind drivers: as a C library, and behind Mesa's.

===============  ===============================================================================
``vc4sim.h``     what a driver calls; ``vc4sim.c`` brings the calls to Python
``embedded.c``   which is in the same process
``remote.c``     or in another one, where ``server`` is
``device``       registers, memory of the caller, work until an interrupt
``recorder``     what was drawn, frame by frame, as pictures and as cases
``progress``     how far it is, for those who wait
``watcher``      what both are
``build``        the shared library, and Mesa
``programs``     run on that Mesa
``piglit``       its conformance tests
``record``       how they end on a chip
``conformance``  how they end here
===============  ===============================================================================
"""
