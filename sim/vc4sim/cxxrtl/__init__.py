"""Hardware as native code: RTLIL to C++ with CXXRTL, and that to a library that is kept for the next time.

``build``   compiles a design and finds what has been compiled before
``rtlil``   reads and writes a flat design
``cuts``    where its wide signals are cut into pieces
``narrow``  cuts them
``ports``   C++ that reaches the ports of a design in pieces
"""
