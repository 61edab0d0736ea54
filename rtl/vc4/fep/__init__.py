"""FEP: the front end of the fragment pipeline, from primitives to quads (guide, sections 1 and 6; pipeline facts, 4).

::

    primitive ─► tile_entry ─┬─► row_spans ─► quad_coverage ─► quad_depth ─► quads
                             └───────────── plane of Z ────────────┘

A primitive is moved to its first quad in a tile. In each row the quads are found that are not outside of an edge as a whole, and
of each of these the samples that are inside of all; then Z of its pixels, and which are between the planes of the frame.
"""

from .fep import Fep

__all__ = ["Fep"]
