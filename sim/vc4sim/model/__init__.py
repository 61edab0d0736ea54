"""The reference model: what each block does, instruction by instruction, in plain Python and NumPy.

Module for module the twin of the RTL. Both share only the tables of `vc4.isa` and `vc4.records`; where they differ, the
reference decides.

============  ==================================================================
``float``     floating point: truncated, no denormals, no NaN
``alu``       results and carries of every operation of both ALUs
``pack``      unpacks, packs and the colour conversion
``sfu``       special functions
``plan``      what an instruction word asks for, all forms alike
``flags``     flags and conditions
``alus``      operands, rotation, both ALUs and what they keep
``qpu``       registers, I/O, delay slots: one instruction a step
``places``    where elements lie in the VPM and in memory
``vpm``       vertex pipe memory and what DMA does to it
``vpm_port``  set-ups of a QPU, and vectors fetched ahead
``memory``    byte memory with bounds
``unbuilt``   what the hardware does not have yet
``v3d``       QPU, VPM and memory put together
============  ==================================================================
"""
