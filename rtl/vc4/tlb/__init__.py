"""TLB: colour, Z, stencil and alpha mask of the tile that is drawn (guide, section 5; pipeline facts, 5).

::

    quads with Z ─────► depth_stencil ─► flags that have passed, what was there, counts
                             │ sample_walk, compare, stencil
                             └─► tile_memory
    quads with colours ─► colour_buffer ─► colours that are loaded        clears ─► all three
                             └─► sample_walk, tile_memory
    quads with masks ───► another colour_buffer, of 8 bits
    quads of vectors ───► scoreboard ─► which threads wait
    stencil words ──────► stencil_set_ups ─► the test of a face

A word of a memory has one sample of the four pixels of a quad, `quad_place` says which. A clear is a new number in place of
1024 writes: what has another number reads as the value of the clear. Each tile buffer is cleared alone.
"""

from .tlb import Tlb

__all__ = ["Tlb"]
