"""FEP: the front end of the fragment pipeline, from primitives to vectors of fragments (guide, sections 1 and 6; pipeline facts, 4).

::

                         ┌────────────────── items: records, programs, pieces ─────────────┐
    items, primitives ─► draw_order ─► fep ─► early_depth ─► quad_match ─► fragment_order ◄┴─► coverage, tiles
                         clip_state           ▲                            │
                                              └ Z in the tile buffer       ▼
    planes ─► plane_writer ─┬─ 1/W ──────────────────────────────────────► vector_assembly
              plane_slots   └─► slices                                     quad_perspective ─► vector_dispatch ─► programs, quads,
                                                                                                                  scoreboard

    fep: primitive ─► tile_entry ─┬─► row_spans ─► quad_coverage ─► quad_depth ─► quads
                                  └───────────── plane of Z ────────────┘

    debug_status: what all of them say of their streams, for the host

A primitive is moved to its first quad in a tile. In each row the quads are found that are not outside of an edge as a whole, and
of each of these the samples that are inside of all; then Z of its pixels, and which are between the planes of the frame. Beside
the rasteriser the order of primitives and records is kept. Where both meet again a quad that is hidden by what is in the tile
buffer goes no further, and any other becomes coverage, or a part of a vector; W of its pixels is found, and the vector goes to a QPU when the coefficients of its varyings are in the slices.
"""

from .fep import Fep
from .front_end import FrontEnd

__all__ = ["Fep", "FrontEnd"]
