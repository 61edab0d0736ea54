"""The reference model: what each block does, instruction by instruction, in plain Python and NumPy.

Module for module the twin of the RTL. Both share only the tables of `vc4.isa` and `vc4.records`; where they differ, the
reference decides.

==========  ==================================================================
``alu``     results and flags of every operation of both ALUs
``pack``    unpacks, packs and the colour conversion
``qpu``     registers, flags, instruction forms: one instruction a step
``vpm``     vertex pipe memory and the DMA store
``memory``  byte memory with bounds
``v3d``     QPU, VPM and memory put together
==========  ==================================================================
"""
