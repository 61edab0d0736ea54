"""Captured frames on the reference model: what the host does, and pictures.

============  =============================================================
``host``      jobs of a capture, register by register
``picture``   the picture in memory, its comparison with what is expected
``sizes``     pixels of frames and tiles, as far as the case says
============  =============================================================
"""

from .host import Host
from .picture import Comparison, Picture, compare, expected_picture, picture_of

__all__ = ["Comparison", "Host", "Picture", "compare", "expected_picture", "picture_of"]
