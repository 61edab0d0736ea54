"""Records of the 3D pipeline as data: set-up words, control-list packets, shader and texture records.

Each layout is written once here; hardware, reference model and tools read it. Nothing here has ports, state or
behaviour.

=================  ==========================================================================
``vpm``            set-up words of the vertex pipe memory and its DMA
=================  ==========================================================================
"""
