"""The reference model: what each block of the GPU does, instruction by instruction and pixel by pixel.

A folder a block, with the RTL's names. Both share only the tables of `vc4.isa`, `vc4.regs` and `vc4.records`; where they
differ, the reference decides.

=========  ==================================================================
``arith``  arithmetic on bit patterns, for everybody
``qpu``    registers, both ALUs, flags, delay slots: one instruction a step
``slice``  uniforms, varyings
``vpm``    vertex pipe memory, and its DMA
``tmu``    texture and memory lookups
``qps``    the queue of programs, whose turn it is, semaphores and the mutex
``cle``    control list executor, control records, primitive lists
``vcm``    batches of vertices, and their shading
``ptb``    binner: clipping, tile lists
``pse``    primitive set-up
``fep``    coverage, quads, Z, vectors of fragments
``tlb``    tile buffer, stores and loads
``cap``    coverage accumulation
``host``   registers, counters, interrupts, debugging; the renderer
=========  ==================================================================
"""
