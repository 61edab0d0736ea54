"""Where the fields of a record of a retired instruction lie, for kernels."""

import numpy as np
from amaranth.lib import data

from ..bench.gather import Retired, RetiredWrite
from ..model.compiled import kernel

__all__ = [
    "ADD",
    "ADD_DATA",
    "BRINGS",
    "BYTES",
    "BYTE_BITS",
    "ELEMENT_MASK",
    "FLAG_MASK",
    "LOAD_BUSY",
    "MUL",
    "MUL_DATA",
    "N",
    "PC",
    "READS_LOAD_BUSY",
    "READS_STORE_BUSY",
    "READS_UNIFORM",
    "REGISTER",
    "REGISTER_BITS",
    "SETS_FLAGS",
    "STORE_BUSY",
    "THREAD",
    "UNIFORM",
    "WORD",
    "WORD_BITS",
    "bits",
]

WORD_BITS = 32
_layout = data.Layout.cast(Retired)
_written = data.Layout.cast(RetiredWrite)
# In bits after the first word of the record.
PC, WORD, UNIFORM, THREAD, SETS_FLAGS, N, FLAG_MASK = (
    _layout[name].offset for name in ("pc", "word", "uniform", "thread", "sets_flags", "n", "flag_mask")
)
READS_UNIFORM, READS_STORE_BUSY, STORE_BUSY, READS_LOAD_BUSY, LOAD_BUSY = (
    _layout[name].offset for name in ("reads_uniform", "reads_store_busy", "store_busy", "reads_load_busy", "load_busy")
)
ADD, MUL, ADD_DATA, MUL_DATA = (_layout[name].offset for name in ("add", "mul", "add_data", "mul_data"))
#: A bit for each of `R4_SOURCES`.
BRINGS = _layout["brings_result"].offset
assert _layout["brings_loaded"].offset == BRINGS + 1
# After the first bit of a `RetiredWrite`; the number of a register is its address, and its file above.
REGISTER, ELEMENT_MASK, BYTES = (_written[name].offset for name in ("address", "mask", "bytes"))
REGISTER_BITS, BYTE_BITS = _written["address"].width + 1, _written["bytes"].width
assert _written["file"].offset == REGISTER + REGISTER_BITS - 1


@kernel
def bits(rows: np.ndarray, row: int, offset: int, width: int) -> int:
    """A field of a record; none lies in two words."""
    return rows[row, 1 + offset // WORD_BITS] >> offset % WORD_BITS & (1 << width) - 1
