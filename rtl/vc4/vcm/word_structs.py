"""What is said of the words of shaded vertices, by who reads them."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.cle.structs import VERTICES

from .structs import VcmVertex

__all__ = ["WORD_BITS", "VertexSpan", "VertexWord"]

#: Of the number of a word of a vertex: no more are read.
WORD_BITS = 6


class VertexSpan(data.Struct):
    """Words of a vertex that are wanted.

    vertex : its number in the primitive
    at : where it is
    coordinates : it is rather coordinates, whose words are the first three of a quad
    first, last : numbers of words
    """

    vertex: range(VERTICES)
    at: VcmVertex
    coordinates: unsigned(1)
    first: unsigned(WORD_BITS)
    last: unsigned(WORD_BITS)


class VertexWord(data.Struct):
    """A word of a vertex of the primitive."""

    vertex: range(VERTICES)
    number: unsigned(WORD_BITS)
    value: unsigned(32)
