"""What passes between the parts of the reader of primitives."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.cle.structs import VERTICES
from vc4.records.primitives import PrimitiveType
from vc4.vcm.structs import VcmVertex

from .structs import MOST_VARYINGS

__all__ = [
    "MOST_PLANES_READ",
    "MOST_WORDS",
    "PlaneCount",
    "VertexSpan",
    "VertexWord",
    "WordNumber",
]

#: Planes of a primitive that its vertices have: 1/W and varyings.
MOST_PLANES_READ = 1 + MOST_VARYINGS


class WordNumber:
    """Words of a shaded vertex. Varyings follow, or a point size and then varyings."""

    POSITION = 0  # x in the low half
    Z = 1
    RECIPROCAL_W = 2
    NEXT = 3


#: Of a vertex.
MOST_WORDS = WordNumber.NEXT + 1 + MOST_VARYINGS


class VertexSpan(data.Struct):
    """Words of a vertex that are wanted.

    vertex : its number in the primitive
    at : where it is
    coordinates : it is rather coordinates, whose words are the first three
    first, last : numbers of words
    """

    vertex: range(VERTICES)
    at: VcmVertex
    coordinates: unsigned(1)
    first: range(MOST_WORDS)
    last: range(MOST_WORDS)


class VertexWord(data.Struct):
    """A word of a vertex of the primitive."""

    vertex: range(VERTICES)
    number: range(MOST_WORDS)
    value: unsigned(32)


class PlaneCount(data.Struct):
    """How many planes the vertices of a primitive have, and of which type it is."""

    count: range(MOST_PLANES_READ + 1)
    type: PrimitiveType
