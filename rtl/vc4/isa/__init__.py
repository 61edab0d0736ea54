"""The QPU instruction set as data: words, operations, registers and rules.

Everything that knows an encoding is made from these tables: the RTL decoder, the reference model, the assembler, the
disassembler, the checker and the documentation. Nothing here has ports, state or behaviour.

=================  ==========================================================================
``ops``            operations, conditions, signals, packs and unpacks, one total enum each
``word``           the bit layouts of the instruction forms
``registers``      register-file addresses, what they name when read and when written
``immediates``     the small immediates of register file B
``timing``         delay slots and distances
``decode``         one fast, cached decoder made from the layouts
``hazards``        the programming restrictions; ``hazard_terms``: the terms in which they are written
``sync``           semaphores
``sfu_tables``     special functions and the tables that they are interpolated from
=================  ==========================================================================
"""
