"""Where the elements of vectors and of DMA blocks lie (guide, figures 8 and 9, tables 32 to 37; QPU facts, 8.4 to 8.6).

A place in the VPM is the number of a byte, 13 bits: row, 7 bits; column, 4 bits; byte of the word, 2 bits. An element is
as many bytes from its place on as it is wide, all of one word. Rows are counted modulo 128, columns modulo 16. Set-ups are
words, as programs write them.
"""

from typing import Any

from amaranth.lib import data

from vc4.isa.registers import ELEMENTS
from vc4.records.vpm import VdrBasicSetup, VdrExtendedSetup, VdwBasicSetup, VdwStrideSetup

from ..compiled import kernel

__all__ = [
    "ROW_BYTES",
    "WORD_BYTES",
    "element_bytes",
    "load_address",
    "load_length",
    "load_mode",
    "load_place",
    "load_rows",
    "store_address",
    "store_length",
    "store_mode",
    "store_place",
    "store_rows",
    "vector_place",
]

WORD_BYTES = 4
ROW_BYTES = ELEMENTS * WORD_BYTES
_WORD = 0xFFFF_FFFF
#: Rows that a DMA set-up can name.
_ROWS = 128
#: What a vertical vector fills, or a part of it.
_BAND_ROWS = 16
_VECTOR_ADDRESSES = 64
_LOAD_COUNTS, _STORE_COUNTS = 16, 128
_SMALLEST_PITCH = 8


def _low(layout: Any, *names: str) -> tuple[int, ...]:
    """The lowest bits of fields."""
    return tuple(data.Layout.cast(layout)[name].offset for name in names)


_LOAD_MODE, _LOAD_COLUMN, _LOAD_ROW, _VERTICAL = _low(VdrBasicSetup, "mode", "column", "row", "vertical")
_ROW_PITCH, _LOAD_ROWS, _ROW_LENGTH, _MEMORY_PITCH = _low(
    VdrBasicSetup, "row_pitch", "rows", "row_length", "memory_pitch"
)
_STORE_MODE, _STORE_COLUMN, _STORE_ROW, _HORIZONTAL = _low(VdwBasicSetup, "mode", "column", "row", "horizontal")
_LANED, _DEPTH, _UNITS = _low(VdwBasicSetup, "laned", "depth", "units")
_PITCH_MASK = (1 << data.Layout.cast(VdrExtendedSetup)["pitch"].width) - 1
_STRIDE_MASK = (1 << data.Layout.cast(VdwStrideSetup)["stride"].width) - 1
(_BLOCK_MODE,) = _low(VdwStrideSetup, "block_mode")
assert _low(VdrExtendedSetup, "pitch") == _low(VdwStrideSetup, "stride") == (0,)


@kernel
def _place(row: int, column: int, byte: int) -> int:
    return row % _ROWS * ROW_BYTES + column % ELEMENTS * WORD_BYTES + byte


@kernel
def vector_place(address: int, width: int, laned: int, horizontal: int, element: int) -> int:
    """The place of an element of the vector that ADDR (8 bits) names, `width` bytes each.

    The lowest bits of ADDR choose a lane of every word, or a half or quarter of the row or column; the six above them are
    the row, or the band of sixteen rows and the column.
    """
    parts = WORD_BYTES // width
    part, vector = address % parts, address // parts % _VECTOR_ADDRESSES
    if laned:
        word, byte = element, part * width
    else:
        first = (part * ELEMENTS + element) * width
        word, byte = first // WORD_BYTES, first % WORD_BYTES
    if horizontal:
        return _place(vector, word, byte)
    return _place(vector // ELEMENTS * _BAND_ROWS + word, vector % ELEMENTS, byte)


@kernel
def element_bytes(mode: int) -> int:
    """The width of an element of a DMA block, by MODEW."""
    if mode & 4:
        return 1
    return 2 if mode & 2 else WORD_BYTES


@kernel
def _first_byte(mode: int) -> int:
    """The byte of the word where the first element lies."""
    if mode & 4:
        return mode & 3
    return (mode & 1) * 2 if mode & 2 else 0


@kernel
def _run(row: int, column: int, byte: int, vertical: int) -> int:
    """The place of a byte that is counted from the start of word (`row`, `column`) on.

    After column 15 a run along a row goes on in the next row; a run down a column stays in it.
    """
    word = byte // WORD_BYTES
    if vertical:
        return _place(row + word, column, byte % WORD_BYTES)
    return _place(row + (column + word) // ELEMENTS, (column + word) % ELEMENTS, byte % WORD_BYTES)


@kernel
def load_mode(load: int) -> int:
    """MODEW of a load."""
    return load >> _LOAD_MODE & 7


@kernel
def store_mode(store: int) -> int:
    """MODEW of a store."""
    return store >> _STORE_MODE & 7


@kernel
def load_rows(load: int) -> int:
    """Rows of a block that is loaded."""
    return load >> _LOAD_ROWS & 15 or _LOAD_COUNTS


@kernel
def load_length(load: int) -> int:
    """Elements of a row."""
    return load >> _ROW_LENGTH & 15 or _LOAD_COUNTS


@kernel
def load_place(load: int, row: int, element: int) -> int:
    """Where an element of a row goes.

    Each row starts VPITCH after the row before: VPM rows for words, for narrow elements halves or bytes of the column,
    which carry into the row above them.
    """
    mode = load_mode(load)
    width = element_bytes(mode)
    pitch = load >> _ROW_PITCH & 15 or _LOAD_COUNTS
    start = (load >> _LOAD_ROW & 127) * WORD_BYTES + _first_byte(mode) + row * pitch * width
    byte = start % WORD_BYTES + element * width
    return _run(start // WORD_BYTES, load >> _LOAD_COLUMN & 15, byte, load >> _VERTICAL & 1)


@kernel
def load_address(load: int, extended: int, address: int, row: int) -> int:
    """Where a row lies in memory; `extended` is the last set-up of its kind."""
    pitch = load >> _MEMORY_PITCH & 15
    return address + row * (_SMALLEST_PITCH << pitch if pitch else extended & _PITCH_MASK) & _WORD


@kernel
def store_rows(store: int) -> int:
    """Units of a block that is stored."""
    return store >> _UNITS & 127 or _STORE_COUNTS


@kernel
def store_length(store: int) -> int:
    """Elements of a unit."""
    return store >> _DEPTH & 127 or _STORE_COUNTS


@kernel
def store_place(store: int, stride: int, unit: int, element: int) -> int:
    """Where an element of a unit comes from; MODEW must not be reserved.

    Units start a row or a column further on, or, in block mode, where the unit before ended. Units of a single word take
    a row or column each in block mode too, as programs that set it expect. A laned unit takes one element of each word.
    """
    mode = store_mode(store)
    width, depth, horizontal = element_bytes(mode), store_length(store), store >> _HORIZONTAL & 1
    step = WORD_BYTES if store >> _LANED & 1 else width
    row, column = store >> _STORE_ROW & 127, store >> _STORE_COLUMN & 15
    if stride >> _BLOCK_MODE & 1 and not (depth == 1 and width == WORD_BYTES):
        element += unit * depth
    elif horizontal:
        row += unit
    else:
        column += unit
    return _run(row, column, _first_byte(mode) + element * step, 1 - horizontal)


@kernel
def store_address(store: int, stride: int, address: int, unit: int) -> int:
    """Where a unit goes in memory."""
    length = store_length(store) * element_bytes(store_mode(store))
    return address + unit * (length + (stride & _STRIDE_MASK)) & _WORD
