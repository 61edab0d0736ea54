"""Where the quads of a vector lie in the VPM (guide, figures 8 and 9, tables 32 and 33; QPU facts, 8.4)."""

from amaranth.hdl import C, Cat, Mux, unsigned
from amaranth.lib import data

from vc4.records.vpm import VpmSize

from .port import QUAD_WORDS
from .structs import QuadAddress, Words

__all__ = [
    "Fetching",
    "QuadForm",
    "VectorRead",
    "VectorWrite",
    "meets",
    "next_address",
    "place",
    "rows_meet",
    "form",
    "touches",
]

#: Rows of the groups that a quad never leaves, whatever its direction.
_GROUP_ROWS = QUAD_WORDS


class QuadForm(data.Struct):
    """How four elements lie in the four words of a quad of the VPM."""

    size: VpmSize
    laned: unsigned(1)  # narrow elements take one lane of each word; else they lie side by side
    part: unsigned(2)  # the lane, or which half or quarter of the row or column
    quad: unsigned(2)  # which quarter of the vector


class VectorWrite(data.Struct):
    """A quarter of a vector on its way into the VPM; `zeros`: in place of `data`."""

    address: QuadAddress
    form: QuadForm
    data: Words
    zeros: unsigned(1)


class VectorRead(data.Struct):
    """A quarter of a vector that is wanted from the VPM."""

    address: QuadAddress
    form: QuadForm


class Fetching(data.Struct):
    """Vectors that a QPU is to be given before it changes the VPM."""

    any: unsigned(1)  # there is one
    more: unsigned(1)  # there are more than the one that the other fields are about
    row: unsigned(6)  # of the first word of its next quad
    vertical: unsigned(1)


def form(setup, quad) -> dict:
    """The fields of the `QuadForm` of a quad of the vector that `setup` names, a `VpmWriteSetup` or `VpmReadSetup`."""
    part = Mux(setup.size == VpmSize.HALF, setup.address[:1], setup.address[:2])
    return {"size": setup.size, "laned": setup.laned, "part": part, "quad": quad}


def place(setup, quad) -> dict:
    """The fields of the `QuadAddress` of a quad of the vector that `setup` names.

    The lowest bits of the address name a part of the row or column if elements are narrow; the six above them are the row,
    or the band of sixteen rows and the column. Packed elements of a quad fill a half or a quarter of a quad of the VPM.
    """
    byte, half = setup.size == VpmSize.BYTE, setup.size == VpmSize.HALF
    vector = Mux(byte, setup.address[2:], Mux(half, setup.address[1:7], setup.address[:6]))
    along = Mux(byte & ~setup.laned, setup.address[:2], Mux(half & ~setup.laned, Cat(quad[1], setup.address[0]), quad))
    first = C(0, 2)  # quads begin at multiples of four
    return {
        "row": Mux(setup.horizontal, vector, Cat(first, along, vector[4:])),
        "column": Mux(setup.horizontal, Cat(first, along), vector[:4]),
        "vertical": ~setup.horizontal,
    }


def next_address(setup):
    """The address of the next vector, in units of the address field."""
    return (setup.address + Cat(setup.stride, setup.stride == 0))[: len(setup.address)]


def touches(quad, rows):
    """Whether the quad of a vector at `quad`, a `QuadAddress`, has a word in `rows`, a `RowRange`."""
    behind_first = (quad.row - rows.first)[: len(rows.first)]
    begins_inside = quad.vertical & (rows.first[2:] == quad.row[2 : len(rows.first)]) & (rows.count != 0)
    return (behind_first < rows.count) | begins_inside


def meets(quad, fetching):
    """Whether the quad of a vector at `quad` may have a word in common with the vector of `fetching`."""
    band, group, row = (quad.row[low:high] == fetching.row[low:high] for low, high in ((4, 6), (2, 4), (0, 2)))
    return band & (fetching.vertical | (group & (quad.vertical | row)))


def rows_meet(first, second):
    """Whether two `RowRange` have a row in common."""
    ahead = (second.first - first.first)[: len(first.first)] < first.count
    behind = (first.first - second.first)[: len(first.first)] < second.count
    return (ahead & (second.count != 0)) | (behind & (first.count != 0))
