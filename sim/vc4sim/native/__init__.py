"""Native code for long runs: a narrowed design becomes C++ that computes all its instances side by side.

::

    flat design ─► narrow ─► design ─► schedule ─► code ─► C++ compiler
    (cxxrtl)       (cxxrtl)  variables  phases     text    with lanes.h

``design``    what each variable is computed from
``cells``     C++ of the cells
``schedule``  in which order, and in how many phases if designs depend on each other
``code``      the text of a design
``joint``     the text that joins a design to the instances that were taken out of it
``build``     compiles all of it, and finds what has been compiled before

A variable has a lane for each instance, and one operation of the processor works on all lanes. Signals settle in one pass:
every statement runs once a clock, also where designs depend on each other back and forth. What was taken out sleeps while
nothing changes of what it gets and of what it keeps: all that it would compute stays the same. It pays to take out large blocks
for that, too.
"""
