"""Set-ups of the DMA, as the blocks that they mean and the rows that these touch."""

from amaranth.hdl import C, Cat, Mux, Value

from vc4.records.vpm import DmaMode, VdrBasicSetup, VdwBasicSetup, VdwStrideSetup

from .structs import DOWN_BITS, WINDOW_ROWS, RowRange

__all__ = ["first_byte_of", "is_reserved", "load_block", "load_rows", "spread_of", "store_block", "store_rows"]

_WORD_BYTES, _WORD_BYTES_BITS = 4, 2
_ROW_BYTES_BITS = 6
_COLUMN_STEP = 1 << DOWN_BITS  # places from a column to the next one
_ROW_STEP = 1 << _ROW_BYTES_BITS


def _width(mode: Value) -> Value:
    """log2 of the bytes of an element."""
    code = Value.cast(mode)
    return Mux(code[2], 0, Mux(code[1], 1, 2))


def first_byte_of(mode: Value) -> Value:
    """The byte of its word where the first element begins."""
    code = Value.cast(mode)
    return Mux(code[2], code[:2], Cat(C(0, 1), code[0] & code[1]))


def _length(mode: Value, elements: Value) -> Value:
    """Bytes - 1 of as many elements, of which 0 stands for one more than it can hold."""
    less = (elements - 1)[: len(elements)]
    code = Value.cast(mode)
    return Mux(code[2], less, Mux(code[1], Cat(C(1, 1), less), Cat(C(3, 2), less)))


def _place(vertical: Value, row: Value, column: Value, byte: Value) -> Value:
    return Mux(vertical, Cat(byte, row, column), Cat(byte, column, row))


def _span(basic: VdwBasicSetup) -> Value:
    """Bytes - 1 from the first to the last one of a unit in the VPM; of laned elements all words count as a whole."""
    less = (basic.depth - 1)[: len(basic.depth)]
    return Mux(basic.laned, Cat(C(3, 2), less), _length(basic.mode, basic.depth))


def _is_packed(basic: VdwBasicSetup, stride: VdwStrideSetup) -> Value:
    """Units follow each other in the VPM; single words do not, as programs that set BLOCKMODE expect."""
    return stride.block_mode & ~((basic.depth == 1) & (Value.cast(basic.mode)[1:] == 0))


def spread_of(basic: VdwBasicSetup) -> Value:
    """Elements of a store lie 1 << this times as far apart in the VPM as in memory."""
    code = Value.cast(basic.mode)
    return Mux(basic.laned, Cat(code[1] & ~code[2], code[2]), 0)


def store_block(basic: VdwBasicSetup, stride: VdwStrideSetup, address: Value) -> dict[str, Value]:
    """The fields of the `DmaBlock` of a store.

    A unit starts a row or a column further on than the one before, or, in block mode, where that one has ended.
    """
    length = _length(basic.mode, basic.depth)
    start_step = Mux(basic.horizontal, _ROW_STEP, _COLUMN_STEP)
    end_step = _span(basic) + 1
    packed_step = Cat(
        end_step[:DOWN_BITS], end_step[DOWN_BITS:] & basic.horizontal
    )  # 128 words are once down the column
    return {
        "vertical": ~basic.horizontal,
        "place": _place(~basic.horizontal, basic.row, basic.column, first_byte_of(basic.mode)),
        "place_step": Mux(_is_packed(basic, stride), packed_step, start_step),
        "keep_column": C(0, 1),
        "length": length,
        "units": basic.units - 1,
        "address": address,
        "address_step": length + 1 + stride.stride,
    }


def load_block(basic: VdrBasicSetup, pitch: Value, address: Value) -> dict[str, Value]:
    """The fields of the `DmaBlock` of a load; VPITCH counts elements of the column."""
    step = _row_step(basic)
    along_rows = Cat(step[:_WORD_BYTES_BITS], C(0, 4), step[_WORD_BYTES_BITS:])
    return {
        "vertical": basic.vertical,
        "place": _place(basic.vertical, basic.row, basic.column, first_byte_of(basic.mode)),
        "place_step": Mux(basic.vertical, step, along_rows),
        "keep_column": ~basic.vertical,
        "length": _length(basic.mode, basic.row_length),
        "units": (basic.rows - 1)[: len(basic.rows)],
        "address": address,
        "address_step": Mux(basic.memory_pitch == 0, pitch, 8 << basic.memory_pitch),
    }


def _row_step(basic: VdrBasicSetup) -> Value:
    """Bytes of the column from a row of a load to the next one."""
    return Value.cast((Cat(basic.row_pitch, basic.row_pitch == 0) << _width(basic.mode))[:7])


def _range(first: Value, count: Value) -> RowRange:
    """As many rows, or all if that is more than there are."""
    return RowRange(Cat(first, Mux(count[7:].any(), WINDOW_ROWS, count[:8])))


def store_rows(basic: VdwBasicSetup, stride: VdwStrideSetup) -> RowRange:
    """Rows that a store reads, or some more: units packed in the VPM that are longer than a row may be anywhere."""
    span = _span(basic)
    first_byte = first_byte_of(basic.mode)
    along = (Cat(first_byte, basic.column) + span) >> _ROW_BYTES_BITS
    rows = Cat(basic.units, basic.units == 0) + along
    down = (first_byte + span + _WORD_BYTES) >> _WORD_BYTES_BITS
    anywhere = _is_packed(basic, stride) & (~basic.horizontal | (span >= _ROW_STEP))
    return _range(basic.row, Mux(anywhere, WINDOW_ROWS, Mux(basic.horizontal, rows, down)))


def load_rows(basic: VdrBasicSetup) -> RowRange:
    """Rows that a load writes, or one more."""
    code = Value.cast(basic.mode)
    length = _length(basic.mode, basic.row_length)
    last_byte = Cat(code[2], code[2] | code[1])  # where a row can begin in its word
    along = (Cat(last_byte, basic.column) + length) >> _ROW_BYTES_BITS
    last_row = Mux(basic.vertical, length, along << _WORD_BYTES_BITS) + first_byte_of(basic.mode) + _WORD_BYTES
    # A sum, as a multiplication would be a slow multiplier for 18 bits.
    step = _row_step(basic)
    less = (basic.rows - 1)[: len(basic.rows)]
    low, high = (Mux(one, step, 0) + (Mux(two, step, 0) << 1) for one, two in (less[:2], less[2:]))
    return _range(basic.row, (low + (high << 2) + last_row) >> _WORD_BYTES_BITS)


def is_reserved(mode: Value) -> Value:
    """A code that means no element."""
    return Value.cast(mode) == DmaMode.EXTENDED.value
