"""The reference model: what each block does, instruction by instruction, in plain Python and NumPy.

Module for module the twin of the RTL. Both share only the tables of `vc4.isa` and `vc4.records`; where they differ, the
reference decides.

===================  ==================================================================
``float``            floating point: truncated, no denormals, no NaN
``alu``              results and carries of every operation of both ALUs
``pack``             unpacks, packs and the colour conversion
``sfu``              special functions
``plan``             what an instruction word asks for, all forms alike
``flags``            flags and conditions
``alus``             operands, rotation, both ALUs and what they keep
``write_back``       what a result is as it is written
``qpu``              registers, I/O, delay slots: one instruction a step
``places``           where elements lie in the VPM and in memory
``vpm``              vertex pipe memory and what DMA does to it
``vpm_port``         set-ups of a QPU, and vectors fetched ahead
``uniforms``         where each thread reads its next uniform
``tmu``              texture and memory lookups
``cle``              both control list threads, semaphores, registers
``list_thread``      one thread: control records, a step at a time
``pipeline``         what binner and renderer get from the threads
``control_records``  control records in memory
``primitives``       primitives from the lists of control records
``compressed``       compressed primitive lists, an item at a time
``shader_records``   shader records in memory
``clipped``          clipped primitive records in memory
``fields``           fields of a layout in the bits of a number
``memory``           byte memory with bounds
``unbuilt``          what the hardware does not have yet
``v3d``              QPU, VPM and memory put together
===================  ==================================================================
"""
