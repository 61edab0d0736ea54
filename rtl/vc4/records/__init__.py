"""Records of the 3D pipeline as data: set-up words, control-list packets, shader and texture records.

Each layout is written once here; hardware, reference model and tools read it. Nothing here has ports, state or
behaviour.

=================  ==========================================================================
``control``        control records: codes, lengths, which thread may have them
``state``          control records that set state
``primitives``     control records that are primitive lists
``tile_buffer``    control records that load, store and clear tiles
``compressed``     codings of primitives in tile lists
``shaders``        what control records point to: shader records, clipped vertices
``numbers``        floating and fixed point in control records
``tmu``            config parameters of texture lookups
``vpm``            set-up words of the vertex pipe memory and its DMA
=================  ==========================================================================
"""
