"""Questions to a real chip: programs and lists whose answers tell apart the rules that fit what is known.

==================  =================================================================
``question``        a question, with its candidates
``image``           what lies in memory when it is asked
``program``         what programs have in common
``numbers``         floats by rules that differ
``floats``          questions, by what they are about, as the next ones
``flags``           of flags and carries
``registers``       of what is read too early, and shown again
``services``        of special functions, conditions, the mutex
``vectors``         of vectors of the VPM
``blocks``          of DMA
``lookups``         of texture units
``instructions``    of reserved codes, and both ALUs at once
``tiles``           of the tile buffer, by rendering lists
``table``           all of them
``run``             asks the model or the RTL
``folder``          writes what goes to a board, with ``kit.c``
``answers``         reads what a board has printed
``page``            the page of the documentation
==================  =================================================================
"""
