"""DVI: shows a picture in memory on a screen.

::

                     ┌───────────────────────── pixel ─────────────────────────────┐ ┌─ shift ─┐
    timing ──────────┼─► place ─► line buffer ─► colours ─► three tmds_encoders ────┼─► four    │
      │  lines       └─────────────────▲───────────────────────────────────────────┘ │  tmds_  │
      ▼                                │ words                                        │ serial- ├─► pins
    scanner ──► reads of memory ───────┘                                              │ izers   │
      ▲ └─────► what there is to tell, once a frame                                   └─────────┘
      └─ the picture: where it is, its pitch, size and format, from the end of memory (`picture`)
"""

from .dvi import Dvi

__all__ = ["Dvi"]
