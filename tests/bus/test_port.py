# amaranth: UnusedElaboratable=no
"""`MemoryPort`: who fits whom."""

import pytest
from amaranth.hdl import Module

from vc4.bus.port import MemoryPort, connect_reads


def test_tags_of_reads_fit():
    """No bit of a tag is lost on the way."""
    port, client = (MemoryPort(word_bytes=8, tag_bits=bits).create() for bits in (3, 2))
    with pytest.raises(ValueError, match="tags of 3 bits do not fit into 2"):
        connect_reads(Module(), port, client)
