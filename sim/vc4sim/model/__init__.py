"""The reference model: what each block does, instruction by instruction, in plain Python and NumPy.

Module for module the twin of the RTL. Both share only the tables of `vc4.isa` and `vc4.records`; where they differ, the
reference decides.

======================  ==================================================================
``float``               floating point: truncated, no denormals, no NaN
``alu``                 results and carries of every operation of both ALUs
``pack``                unpacks, packs and the colour conversion
``sfu``                 special functions
``plan``                what an instruction word asks for, all forms alike
``flags``               flags and conditions
``alus``                operands, rotation, both ALUs and what they keep
``write_back``          what a result is as it is written
``qpu``                 registers, I/O, delay slots: one instruction a step
``places``              where elements lie in the VPM and in memory
``vpm``                 vertex pipe memory and what DMA does to it
``vpm_port``            set-ups of a QPU, and vectors fetched ahead
``uniforms``            where each thread reads its next uniform
``tmu``                 texture and memory lookups
``cle``                 both control list threads, semaphores, registers
``list_thread``         one thread: control records, a step at a time
``pipeline``            what binner and renderer get from the threads
``control_records``     control records in memory
``primitives``          primitives from the lists of control records
``compressed``          compressed primitive lists, an item at a time
``shader_records``      shader records in memory
``clipped``             clipped primitive records in memory
``binner``              everything behind the binning thread
``vcm``                 batches of vertices
``vertices``            shaded vertices, by a program or from memory
``vcd``                 attributes and vertices from memory
``shader_port``         way of a vertex or coordinate shader into the VPM
``ptb``                 shaded primitives into the lists of their tiles
``clip``                what is left of a primitive in the view volume
``clipped_primitives``  the same, as primitives with clipped vertices
``truncated``           floating point of the clipper, one number at a time
``tile_grid``           which tiles a primitive touches
``state_cache``         state that tile lists do not have yet
``tile_lists``          state, primitives, blocks and branches in memory
``tile_state``          the tile state data array
``tile_memory``         blocks, pool and overspill
``fields``              fields of a layout in the bits of a number
``memory``              byte memory with bounds
``vectors``             several vectors of one program that run as one
``outputs``             where a QPU's writes of I/O registers go
``fragment_port``       fragments of a QPU, and its way to the tile buffer
``frame``               the 3D pipeline as its host sees it: registers
``renderer``            primitives of tile lists to pixels
``draw_state``          state of primitives and fragments
``screen``              shaded vertices and primitives of a frame
``pse``                 primitive set-up: triangles
``pse_shapes``          primitive set-up: points, lines, RHTs
``coefficients``        coefficients of 1/W and varyings
``reals``               fixed point, quotients and the reciprocal of W
``samples``             where samples lie in a pixel
``fep``                 coverage, quads, Z, early Z
``vri``                 1/W and varyings of pixels
``fragments``           vectors of quads, and the programs that shade them
``tlb``                 the tile buffer and its tests
``stencil``             set-up and operations of the stencil test
``compare``             the eight comparisons
``cap``                 coverage accumulation
``tile_transfers``      loads, stores and clears of tiles
``tile_images``         a tile as a part of an image
``tile_dumps``          all samples of a tile
``colours``             means, 16 bits, dither
``surfaces``            where pixels lie in memory
``unbuilt``             what the hardware does not have
``v3d``                 QPU, VPM and memory put together
======================  ==================================================================
"""
