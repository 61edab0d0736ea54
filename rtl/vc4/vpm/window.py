"""What of the VPM somebody reaches."""

from amaranth.hdl import Cat, unsigned
from amaranth.lib import data

from .allocation import RESERVATION_ROWS
from .structs import QuadAddress

__all__ = ["BLOCK_BITS", "MOST_SHADER_BLOCKS", "ShaderWindow", "Space", "is_inside", "moved"]

#: Of a number of blocks.
BLOCK_BITS = 6
#: Rows that a set-up of vectors can name, in blocks.
MOST_SHADER_BLOCKS = 16
_ROW_BITS = RESERVATION_ROWS.bit_length() - 1


class Space(data.Struct):
    """Rows of the VPM in blocks of four, the unit of VPMBASE: `count` from `first` on."""

    first: unsigned(BLOCK_BITS)
    count: unsigned(BLOCK_BITS)


class ShaderWindow(data.Struct):
    """What a QPU reaches.

    shades : it shades vertices: its reads and writes have rows of their own, and it has no DMA; else it reaches the rows
        for user programs
    over : its program has ended, and all of that was written
    attributes, results : the rows that it reads and writes
    """

    shades: unsigned(1)
    over: unsigned(1)
    attributes: Space
    results: Space


def is_inside(space: Space, address: QuadAddress):
    """Whether a quad whose rows count from the beginning of `space` lies in there."""
    return address.row[_ROW_BITS:] < space.count


def moved(space: Space, address: QuadAddress):
    """The row of such a quad in the VPM."""
    return Cat(address.row[:_ROW_BITS], (address.row[_ROW_BITS:] + space.first)[:BLOCK_BITS])
