"""What passes between the parts of the reader of primitives."""

from amaranth.lib import data

from vc4.records.primitives import PrimitiveType
from vc4.vcm.word_structs import WORD_BITS

from .structs import MOST_VARYINGS

__all__ = [
    "MOST_PLANES_READ",
    "MOST_WORDS",
    "PlaneCount",
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
assert MOST_WORDS <= 1 << WORD_BITS


class PlaneCount(data.Struct):
    """How many planes the vertices of a primitive have, and of which type it is."""

    count: range(MOST_PLANES_READ + 1)
    type: PrimitiveType
