"""What the parts of the VPM say to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.records.vpm import VdwBasicSetup, VdwStrideSetup

from .port import QUAD_WORDS

__all__ = [
    "ROW_WORDS",
    "WINDOW_ROWS",
    "QuadAddress",
    "QuadWrite",
    "RowRange",
    "RunWords",
    "VdwRun",
    "VdwStore",
    "Words",
]

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
    enable: unsigned(QUAD_WORDS)  # one bit a word
    data: Words


class RowRange(data.Struct):
    """Rows of the VPM from `first` on, which go on at row 0 after the last."""

    first: unsigned(7)
    count: unsigned(8)  # 0: none


class VdwStore(data.Struct):
    """One DMA store."""

    basic: VdwBasicSetup
    stride: VdwStrideSetup
    address: unsigned(32)  # in memory, bytes


class VdwRun(data.Struct):
    """Words of the VPM, one after the other, that go to words of memory, one after the other."""

    column: unsigned(4)  # of the first word in the VPM
    row: unsigned(7)  # of the first word in the VPM
    lane: unsigned(2)  # of the first word in memory: bits 3:2 of its address
    length: unsigned(7)  # words - 1
    final: unsigned(1)  # the last run of its store


class RunWords(data.StructLayout):
    """`count` words read from the VPM, with what it takes to pack them into words of the bus."""

    def __init__(self, count: int):
        super().__init__(
            {
                "words": data.ArrayLayout(unsigned(32), count),
                "mask": unsigned(count),  # the words that belong to the run: neighbours
                "shift": unsigned(2),  # lanes that a word moves up on its way to memory, modulo four
                "last": unsigned(1),  # the last words of their run
            }
        )
