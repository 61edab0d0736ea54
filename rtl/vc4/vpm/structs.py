"""What the parts of the VPM say to each other."""

from amaranth.hdl import C, Cat, Mux, Value, signed, unsigned
from amaranth.lib import data

from vc4.records.vpm import VdrBasicSetup, VdwBasicSetup, VdwStrideSetup

from .port import QUAD_WORDS

__all__ = [
    "DOWN_BITS",
    "PLACE_BITS",
    "QUAD_BYTES",
    "ROW_WORDS",
    "WINDOW_ROWS",
    "DmaBlock",
    "DmaUnit",
    "QuadAddress",
    "QuadWrite",
    "RowRange",
    "VdrLoad",
    "VdwBurst",
    "VdwQuad",
    "VdwStore",
    "Words",
    "quad_address",
]

#: Bytes of a quad.
QUAD_BYTES = 4 * QUAD_WORDS
#: Bits of the number of a byte of the VPM, as far as a DMA set-up can name one.
PLACE_BITS = 13
#: Bits of it that count down a column.
DOWN_BITS = 9
#: Columns of the VPM.
ROW_WORDS = 16
#: Rows that a DMA set-up can name.
WINDOW_ROWS = 128

#: Four words; the first in the low bits.
Words = data.ArrayLayout(unsigned(32), QUAD_WORDS)


class QuadAddress(data.Struct):
    """Four words of the VPM that lie in four banks."""

    column: unsigned(4)  # of the first word; a multiple of 4 in a horizontal quad
    row: unsigned(8)  # of the first word; a multiple of 4 in a vertical quad
    vertical: unsigned(1)  # 1: down a column, 0: along a row


class QuadWrite(data.Struct):
    """Words on their way into the VPM."""

    address: QuadAddress
    enable: unsigned(QUAD_BYTES)  # one bit a byte, the low byte of the first word first
    data: Words
    zeros: unsigned(1)  # in place of them


class RowRange(data.Struct):
    """Rows of the VPM from `first` on, which go on at row 0 after the last."""

    first: unsigned(7)
    count: unsigned(8)  # 0: none


class VdwStore(data.Struct):
    """One DMA store."""

    basic: VdwBasicSetup
    stride: VdwStrideSetup
    address: unsigned(32)  # in memory, bytes


class VdrLoad(data.Struct):
    """One DMA load."""

    basic: VdrBasicSetup
    pitch: unsigned(13)  # bytes from the start of a row to the start of the next one, if the set-up names none
    address: unsigned(32)  # in memory, bytes


class DmaBlock(data.Struct):
    """Units of a DMA block: bytes that follow each other in the VPM and in memory.

    A place is the number of a byte of the VPM, counted in the direction of the block: along rows its bits are row,
    column and byte of the word, down columns they are column, row and byte. So bytes that follow each other have places
    that do, within the column if the block goes down columns, and the upper bits of a place are a quad.
    """

    vertical: unsigned(1)  # 1: units run down columns, 0: along rows
    place: unsigned(PLACE_BITS)  # of the first byte
    place_step: unsigned(PLACE_BITS)  # from the start of a unit to the start of the next one
    keep_column: unsigned(1)  # the step carries from the byte to the row, past the column
    length: unsigned(9)  # bytes of a unit - 1
    units: unsigned(7)  # units - 1
    address: unsigned(32)  # of the first byte in memory
    address_step: unsigned(19)  # from the start of a unit to the start of the next one


class DmaUnit(data.Struct):
    """One unit of a `DmaBlock`."""

    vertical: unsigned(1)
    place: unsigned(PLACE_BITS)  # of the first byte in the VPM
    length: unsigned(9)  # bytes - 1
    address: unsigned(32)  # of the first byte in memory
    final: unsigned(1)  # the last one of its block


def quad_address(vertical: Value, place: Value) -> Value:
    """The `QuadAddress` of the quad in which a place of a `DmaBlock` lies."""
    column = Mux(vertical, place[DOWN_BITS:], place[4:6] << 2)
    row = Mux(vertical, place[4:DOWN_BITS] << 2, place[6:])
    return Value.cast(Cat(column[:4], row[:7], C(0, 1), vertical))


class VdwQuad(data.Struct):
    """A quad that was read for a DMA store."""

    words: Words
    index: unsigned(2)  # low bits of its number in its row or column
    last: unsigned(1)  # of its unit


class VdwBurst(data.StructLayout):
    """What it takes to cut a unit from its quads into words of a bus of `1 << lane_bits` bytes."""

    def __init__(self, lane_bits: int):
        super().__init__(
            {
                "start": signed(
                    5
                ),  # byte of the first quad that goes to the first byte of the first word, if there is one
                "words": unsigned(9 - lane_bits + 1),  # - 1
                "first_lane": unsigned(lane_bits),  # of the first word
                "last_lane": unsigned(lane_bits),  # of the last word
                "page_word": unsigned(12 - lane_bits),  # the number of the first word in its page of 4 KiB
            }
        )
