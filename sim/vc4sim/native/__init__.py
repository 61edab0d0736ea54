"""Native code for long runs: a narrowed design becomes C++ that computes all its instances side by side.

::

    flat design ─► narrow ─► design ─► siblings ─► schedule ─► blocks ─► code ─► C++ compiler
    (cxxrtl)       (cxxrtl)  variables              phases                text    with lanes.h

``design``    what each variable is computed from; ``clocked`` is what changes with the clock
``siblings``  what instances of one kind compute side by side
``cells``     C++ of the cells
``schedule``  in which order, and in how many phases if designs depend on each other
``blocks``    what is done together, or not at all
``hierarchy`` cuts blocks along the instances of a design
``clusters``  cuts them by what changes in the same clocks, where that is known
``activity``  what is known of changes, and how it is recorded, with ``record.h``; ``labels`` are the names in it
``changes``   statements of blocks, and what they wake up
``commit``    text of the end of a clock, with ``banks``, registers that are taken over together
``code``      the text of a design
``joint``     the text that joins a design to the instances that were taken out of it
``build``     compiles all of it, and finds what has been compiled before

A variable has a lane for each instance, and one operation of the processor works on all lanes. Signals settle in one pass:
every statement runs once a clock at the most, also where designs depend on each other back and forth. A block sleeps while nothing
changes of what it depends on: all that it would compute stays the same. So what a GPU has nothing to do with costs nothing.
"""
