"""The trace port's struct as events, for every simulator."""

import struct

import numpy as np
from amaranth.lib import data

from vc4.isa.registers import ELEMENTS, WRITE

from .bench.gather import Retired, RetiredWrite
from .events import ALL_ELEMENTS, Retirement, Write

__all__ = ["RECORD_WORDS", "RetirementReader"]

_layout = data.Layout.cast(Retired)
#: Words of the struct.
RECORD_WORDS = -(-_layout.size // 32)
#: Names of write addresses, or "" where nothing is written.
_NAMES = [
    ["" if name in ("-", "quad_x", "quad_y") else name for name in (WRITE.name(address, file) for address in range(64))]
    for file in range(2)
]


def _offset(name: str) -> int:
    """The byte where a field that begins with a byte lies."""
    byte, bit = divmod(_layout[name].offset, 8)
    assert not bit
    return byte


_HEAD = struct.Struct("<IQI")  # pc, word, uniform
_TAIL = struct.Struct("<IIHHHH")  # add and single bits, mul and single bits, n, z, c, flag_mask
assert _offset("pc") == 0
assert _offset("add_data") == _HEAD.size
_ADD_DATA, _MUL_DATA, _ADD = (_offset(name) for name in ("add_data", "mul_data", "add"))
assert _TAIL.size == 4 * RECORD_WORDS - _ADD


def _shift(layout: data.Layout, name: str, first: str) -> int:
    """How far a field lies behind another one."""
    return layout[name].offset - layout[first].offset


_READS_UNIFORM = _shift(_layout, "reads_uniform", "add")
_SETS_FLAGS, _THREAD = (_shift(_layout, name, "mul") for name in ("sets_flags", "thread"))
#: The states of DMA engines: name, whether it was read, and what.
_STATES = tuple(
    (f"v{engine}_busy", _shift(_layout, f"reads_{name}_busy", "add"), _shift(_layout, f"{name}_busy", "add"))
    for engine, name in (("r", "load"), ("w", "store"))
)
_written = data.Layout.cast(RetiredWrite)
_FILE, _MASK, _BYTES = (_shift(_written, name, "address") for name in ("file", "mask", "bytes"))


class RetirementReader:
    """Reads the retirements of one QPU in their order, and keeps its flags in mind."""

    def __init__(self, qpu: int):
        self._qpu = qpu
        self._flags = (0, 0, 0)

    def __call__(self, record: bytes | memoryview) -> Retirement:
        """The event of a struct `Retired`, in bytes, the lowest first."""
        pc, word, uniform = _HEAD.unpack_from(record)
        add, mul, *new, mask = _TAIL.unpack_from(record, _ADD)
        writes = [*_write(add, record, _ADD_DATA), *_write(mul, record, _MUL_DATA)]
        reads = []
        if add >> _READS_UNIFORM & 1:
            reads.append(("unif", uniform))
        reads += [(name, add >> busy & 1) for name, is_read, busy in _STATES if add >> is_read & 1]
        flags = None
        if mul >> _SETS_FLAGS & 1:
            flags = self._flags = tuple(
                before & ~mask | after & mask for before, after in zip(self._flags, new, strict=True)
            )
        return Retirement(self._qpu, mul >> _THREAD & 1, pc, word, tuple(reads), tuple(writes), flags)


def _write(written: int, record: bytes | memoryview, at: int) -> list[Write]:
    """What one ALU wrote: its `RetiredWrite`, and where its data lies."""
    elements = written >> _MASK & ALL_ELEMENTS
    name = _NAMES[written >> _FILE & 1][written & 63]
    if not elements or not name:
        return []
    return [Write.of(name, elements, written >> _BYTES & 15, np.frombuffer(record, np.uint32, ELEMENTS, at))]
