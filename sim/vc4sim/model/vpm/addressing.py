"""Where the elements of vectors and of DMA blocks lie (guide, figures 8 and 9, tables 32 to 37; QPU facts, 8.4 to 8.6).

A place in the VPM is the number of a byte, 13 bits: row, 7 bits; column, 4 bits; byte of the word, 2 bits. An element is
as many bytes from its place on as it is wide, all of one word. Rows are counted modulo 128, columns modulo 16.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.records.vpm import DmaMode, VdrBasicSetup, VdwBasicSetup, VpmSize

__all__ = ["WORD_BYTES", "Block", "load_block", "row_of", "store_block", "vector_places"]

WORD_BYTES = 4
_ROW_BYTES = ELEMENTS * WORD_BYTES
#: Rows that a DMA set-up can name.
_ROWS = 128
#: What a vertical vector fills, or a part of it.
_BAND_ROWS = 16
_VECTOR_ADDRESSES = 64
_LOAD_COUNTS, _STORE_COUNTS = 16, 128


def _place(row, column, byte):
    return row % _ROWS * _ROW_BYTES + column % ELEMENTS * WORD_BYTES + byte


def row_of(place):
    """The row of a place, or of an array of them."""
    return place // _ROW_BYTES


@cache
def vector_places(address: int, size: VpmSize, laned: bool, horizontal: bool) -> np.ndarray:
    """The places of the sixteen elements of the vector that ADDR (8 bits) names; SIZE must not be reserved.

    The lowest bits of ADDR choose a lane of every word, or a half or quarter of the row or column; the six above them are
    the row, or the band of sixteen rows and the column.
    """
    width = 1 << size.value
    parts = WORD_BYTES // width
    part, vector = address % parts, address // parts % _VECTOR_ADDRESSES
    element = np.arange(ELEMENTS)
    if laned:
        word, byte = element, np.full(ELEMENTS, part * width)
    else:
        word, byte = np.divmod((part * ELEMENTS + element) * width, WORD_BYTES)
    if horizontal:
        places = _place(vector, word, byte)
    else:
        band, column = divmod(vector, ELEMENTS)
        places = _place(band * _BAND_ROWS + word, column, byte)
    places.flags.writeable = False
    return places


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What a DMA load or store moves.

    width : bytes of an element
    places : of the elements in the VPM, [row of the block, element of the row]
    addresses : of the first element of each row in memory, 32 bits; the others follow it without a gap
    """

    width: int
    places: np.ndarray
    addresses: tuple[int, ...]

    @property
    def rows(self) -> frozenset[int]:
        """The rows of the VPM that it touches."""
        return frozenset(row_of(self.places).ravel().tolist())

    @property
    def row_bytes(self) -> int:
        """Bytes of a row in memory."""
        return self.places.shape[1] * self.width


def _element(mode: DmaMode) -> tuple[int, int]:
    """Width of an element, and the byte of the word where the first one lies."""
    code = mode.value
    if code & 4:
        return 1, code & 3
    if code & 2:
        return 2, (code & 1) * 2
    return WORD_BYTES, 0


def _run(row, column, first_byte, *, vertical: bool) -> np.ndarray:
    """Places of bytes that are counted from the start of word (`row`, `column`) on.

    Behind column 15 a run along a row goes on in the next row; a run down a column stays in it.
    """
    word, byte = np.divmod(first_byte, WORD_BYTES)
    if vertical:
        return _place(row + word, column, byte)
    down, along = np.divmod(column + word, ELEMENTS)
    return _place(row + down, along, byte)


def _addresses(first: int, pitch: int, rows: int) -> tuple[int, ...]:
    return tuple(first + row * pitch & 0xFFFF_FFFF for row in range(rows))


def load_block(basic: VdrBasicSetup, extended_pitch: int, address: int) -> Block:
    """What a load moves from `address` on, with MPITCHB in `extended_pitch`.

    Each row starts VPITCH behind the row before: VPM rows for words, for narrow elements halves or bytes of the column,
    which carry into the row above them.
    """
    width, byte = _element(basic.mode)
    rows, length = basic.rows or _LOAD_COUNTS, basic.row_length or _LOAD_COUNTS
    start = basic.row * WORD_BYTES + byte + np.arange(rows) * (basic.row_pitch or _LOAD_COUNTS) * width
    row, byte = np.divmod(start, WORD_BYTES)
    bytes_ = byte[:, None] + np.arange(length) * width
    places = _run(row[:, None], basic.column, bytes_, vertical=bool(basic.vertical))
    pitch = 8 << basic.memory_pitch if basic.memory_pitch else extended_pitch
    return Block(width, places, _addresses(address, pitch, rows))


def store_block(basic: VdwBasicSetup, stride: int, block_mode: bool, address: int) -> Block:
    """What a store moves to `address` and on; MODEW must not be reserved.

    Units start a row or a column further on, or, in block mode, where the unit before ended. Units of a single word take
    a row or column each in block mode too, as programs that set it expect. A laned unit takes one element of each word.
    """
    width, byte = _element(basic.mode)
    units, depth = basic.units or _STORE_COUNTS, basic.depth or _STORE_COUNTS
    step = WORD_BYTES if basic.laned else width
    unit, element = np.arange(units)[:, None], np.arange(depth)
    row, column = basic.row, basic.column
    if block_mode and (depth, width) != (1, WORD_BYTES):
        element = element + unit * depth
    elif basic.horizontal:
        row = row + unit
    else:
        column = column + unit
    places = _run(row, column, byte + element * step, vertical=not basic.horizontal)
    return Block(width, places, _addresses(address, depth * width + stride, units))
