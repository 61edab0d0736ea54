"""What the trace ports tell as events, for every simulator."""

import struct
from collections import deque
from collections.abc import Iterator

import numpy as np
from amaranth.lib import data

from vc4.isa.registers import ELEMENTS, WRITE
from vc4.qpu.trace import R4_SOURCES

from .bench.gather import Retired, RetiredWrite
from .events import ALL_ELEMENTS, Event, Retirement, Write

__all__ = ["RECORD_WORDS", "VECTOR_BYTES", "EventOrder", "RetirementReader"]

_layout = data.Layout.cast(Retired)
#: Words of the struct.
RECORD_WORDS = -(-_layout.size // 32)
#: Bytes of what arrives in r4.
VECTOR_BYTES = 4 * ELEMENTS
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
_BRINGS = tuple(_shift(_layout, f"brings_{source}", "mul") for source in R4_SOURCES)
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
        """The event of a struct `Retired`, in bytes, the lowest first; without what it brings to r4, see `brings`."""
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

    @staticmethod
    def brings(record: bytes | memoryview) -> list[int]:
        """The numbers of those of `R4_SOURCES` from which r4 changes behind it."""
        _, mul, *_ = _TAIL.unpack_from(record, _ADD)
        return [source for source, bit in enumerate(_BRINGS) if mul >> bit & 1]


class _Held:
    """An event that is not told yet, and what r4 becomes by each source for which it waits."""

    def __init__(self, event: Event, sources: list[int]):
        self.event = event
        self.r4: dict[int, bytes | memoryview | None] = dict.fromkeys(sources)

    @property
    def is_complete(self) -> bool:
        return None not in self.r4.values()

    @property
    def whole(self) -> Event:
        """The event with what has arrived; a loaded word is newer than a result."""
        if not self.r4 or not isinstance(self.event, Retirement):
            return self.event
        words = np.frombuffer(self.r4[max(self.r4)], np.uint32)
        return self.event._replace(writes=(*self.event.writes, Write.of_r4(words)))


class EventOrder:
    """Tells events in their order, each when all of it is known.

    Who does not read r4 does not wait for it: the special function unit, which QPUs share, may bring a result when the
    instruction with which it is due has long retired.
    """

    def __init__(self, qpus: int):
        self._readers = [RetirementReader(number) for number in range(qpus)]
        self._held: deque[_Held] = deque()
        keys = [(qpu, source) for qpu in range(qpus) for source in range(len(R4_SOURCES))]
        # What has come before anybody waits for it, and who waits; one of them is empty.
        self._come: dict[tuple[int, int], deque[bytes]] = {key: deque() for key in keys}
        self._waiting: dict[tuple[int, int], deque[_Held]] = {key: deque() for key in keys}

    def tell(self, event: Event, qpu: int = 0, sources: list[int] | None = None) -> Iterator[Event]:
        """An event, and the numbers of those of `R4_SOURCES` from which its QPU gets a new r4."""
        if not sources and not self._held:
            yield event
            return
        held = _Held(event, sources or [])
        self._held.append(held)
        for source in sources or ():
            self._waiting[qpu, source].append(held)
            self._match(qpu, source)
        yield from self._complete()

    def retire(self, qpu: int, record: bytes | memoryview) -> Iterator[Event]:
        """A struct `Retired`, in bytes, the lowest first."""
        return self.tell(self._readers[qpu](record), qpu, RetirementReader.brings(record))

    def arrive(self, qpu: int, source: int, vector: bytes) -> Iterator[Event]:
        """What comes from a source, in its order."""
        self._come[qpu, source].append(vector)
        self._match(qpu, source)
        return self._complete()

    def _match(self, qpu: int, source: int) -> None:
        come, waiting = self._come[qpu, source], self._waiting[qpu, source]
        if come and waiting:
            waiting.popleft().r4[source] = come.popleft()

    def _complete(self) -> Iterator[Event]:
        while self._held and self._held[0].is_complete:
            yield self._held.popleft().whole


def _write(written: int, record: bytes | memoryview, at: int) -> list[Write]:
    """What one ALU wrote: its `RetiredWrite`, and where its data lies."""
    elements = written >> _MASK & ALL_ELEMENTS
    name = _NAMES[written >> _FILE & 1][written & 63]
    if not elements or not name:
        return []
    return [Write.of(name, elements, written >> _BYTES & 15, np.frombuffer(record, np.uint32, ELEMENTS, at))]
