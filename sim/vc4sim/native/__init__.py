"""Native code for long runs: a narrowed design becomes C++ that computes all its instances side by side.

::

    flat design ─► narrow ─► design ─► siblings ─► schedule ─► blocks ─► code ─► C++ compiler
    (cxxrtl)       (cxxrtl)  variables              phases                text    with lanes.h

``design``    what each variable is computed from
``siblings``  what instances of one kind compute side by side
``cells``     C++ of the cells
``schedule``  in which order, and in how many phases if designs depend on each other
``blocks``    which variables are computed together, or not at all
``changes``   what wakes up a block
``commit``    text of the end of a clock
``code``      the text of a design
``joint``     the text that joins a design to the instances that were taken out of it
``build``     compiles all of it, and finds what has been compiled before

A variable has a lane for each instance, and one operation of the processor works on all lanes. Signals settle in one pass:
every statement runs once a clock at the most, also where designs depend on each other back and forth. A block sleeps while nothing
changes of what it reads: all that it would compute stays the same. So what a GPU has nothing to do with costs nothing.
"""
