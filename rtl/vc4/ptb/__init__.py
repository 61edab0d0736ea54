"""PTB: primitives with shaded vertices into the lists of the tiles that they touch (guide, sections 8 and 9; pipeline facts, 2 and 3.7).

::

    items ──► coordinate_reader ──► clipper ──► touched_tiles ──► items ──► tile_lists ──► memory
                │     ▲ ╎          │          (a tile a clock)             ▲   ▲ ╎
         reads  ▼     │ ╎ clip     └──── words of vertices that ───────────┘   │ ╎ states of tiles
               VPM ───┘ ╎ coordinates    clipping has made                     memory

Records and primitives go one after the other through all of it, so each part knows the state that the list has set in front of
a primitive. A primitive that must be cut comes out of the clipper as several.
"""

from .ptb import Ptb

__all__ = ["Ptb"]
