"""The memory of the VPM."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from vc4.common.ram import BlockRam

from .port import QUAD_WORDS
from .structs import ROW_WORDS, QuadAddress, QuadWrite, Words

__all__ = ["VpmStore"]

_BANKS = QUAD_WORDS
_WORD_BITS = 32
_WORD_BYTES = 4


class VpmStore(wiring.Component):
    """`rows` rows of sixteen 32-bit words, written and read four words at a time, along a row or down a column.

    Word (row, column) lies in bank (row + column) mod 4, so the words of a quad of either direction lie in different
    banks.

    Behaviour: takes a quad and reads a quad every clock. `read_data` has the quad of `read` one clock after
    `read_enable`, for one clock. A word must not be read in the clock that writes it. Rows that are not there read as
    zeros, and what is written to them is lost.

    Parameters
    ----------
    rows : number of rows: 64 in 4 KiB, at most 256

    Interface attributes
    --------------------
    writes : stream of `QuadWrite` with data; always ready
    read, read_enable : where to read
    read_data : what was read, first word first
    """

    def __init__(self, rows: int):
        if not 16 <= rows <= 256 or rows % 16:
            raise ValueError(f"rows must be a multiple of 16 up to 256, not {rows!r}")
        self._rows = rows
        super().__init__(
            {
                "writes": In(stream.Signature(QuadWrite)),
                "read": In(QuadAddress),
                "read_enable": In(1),
                "read_data": Out(Words),
            }
        )

    def elaborate(self, platform):
        m = Module()
        write = self.writes.payload
        rotation = _rotation(write.address)
        data = _rotate(write.data.as_value(), rotation, _WORD_BITS)
        enable = _rotate(write.enable, rotation, _WORD_BYTES)
        takes = Signal()
        read_inside = self._inside(self.read)
        write_inside = self._inside(write.address)
        words = self._rows * ROW_WORDS // _BANKS
        banks = [BlockRam(_WORD_BITS, words, granularity=8, exclusive=True) for _ in range(_BANKS)]
        for number, bank in enumerate(banks):
            m.submodules[f"bank{number}"] = bank
            m.d.comb += [
                bank.write_address.eq(self._address(write.address, number)),
                bank.write_data.eq(data.word_select(number, _WORD_BITS)),
                bank.write_enable.eq(Mux(takes, enable.word_select(number, _WORD_BYTES), 0)),
                bank.read_address.eq(self._address(self.read, number)),
                bank.read_enable.eq(self.read_enable & read_inside),
            ]

        back = Signal(range(_BANKS))  # undoes the rotation of the quad that was read
        there = Signal()  # the quad that was read is one that is there
        words_read = Cat(Mux(there, bank.read_data, 0) for bank in banks)
        m.d.comb += [
            self.writes.ready.eq(1),
            takes.eq(self.writes.valid & write_inside),
            self.read_data.eq(_rotate(words_read, back, _WORD_BITS)),
        ]
        m.d.sync += [back.eq(-_rotation(self.read)), there.eq(read_inside)]
        return m

    def _inside(self, quad):
        """All rows of `quad` are there; as there is a multiple of four of them, all are or none is."""
        return quad.row[2:] < self._rows // 4

    def _address(self, quad, bank):
        """The place in bank number `bank` of its word of `quad`."""
        row = quad.row[: ceil_log2(self._rows)]
        step = (bank - quad.column)[: ceil_log2(_BANKS)]  # from the first word of a vertical quad
        low = Mux(quad.vertical, step, row[:2])
        return Cat(quad.column[2:], low, row[2:])


def _rotation(quad):
    """The bank of the first word of `quad`; one of the two terms is 0."""
    return quad.row[:2] | quad.column[:2]


def _rotate(value, count, bits):
    """`value` with its parts of `bits` each moved up by `count` places, the upper ones to the bottom."""
    for number, once in enumerate(count):
        value = Mux(once, value.rotate_left(bits << number), value)
    return value
