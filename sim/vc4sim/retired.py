"""What the trace ports tell: records, which are the same for every simulator, and the events that they mean.

A record is a row of words: its kind, with the number of the QPU above it, and its content.

| kind | content |
|---|---|
| `RETIRED` | a struct `Retired` |
| `WRITTEN` | a word written to memory: address, strobes, data |
| `STARTED` | the `ProgramStart` of a program that begins |
| `R4_ARRIVED` + source | a vector for r4, from one of `R4_SOURCES` |
| `ITEM` | what binner or renderer takes, a `VcmItem`; of a thread instead of a QPU |
| `QUAD` | and words of its vertices before, a `TakenQuad` |
| `SLOT` | a slot of four clocks of a QPU that runs a program, see `timed` |
| `BUS` | a request to memory, or the end of its answer, see `timed` |
| `STAGED` | what the blocks that draw did in some clocks, see `frames.activity` |
| `LEVELS` | how full queues were in some clocks, see `queues` |

The last four come only if a job asks for them, see `BenchJob.kinds`.
"""

import struct
from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
from amaranth.lib import data

from vc4.bus.port import BUS_BYTES
from vc4.isa.registers import ELEMENTS, WRITE
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import R4_SOURCES

from .bench.driver import launch_of
from .bench.gather import Retired, RetiredWrite
from .events import ALL_ELEMENTS, Event, MemoryWrite, Retirement, Start, Write

__all__ = [
    "BUS",
    "EFFECTS",
    "EVENT_WORDS",
    "ITEM",
    "KIND_BITS",
    "LEVELS",
    "QUAD",
    "R4_ARRIVED",
    "RECORD_WORDS",
    "RETIRED",
    "SLOT",
    "STAGED",
    "STARTED",
    "START_WORDS",
    "TIMES",
    "VECTOR_BYTES",
    "WRITTEN",
    "EventOrder",
    "Listeners",
    "RetirementReader",
    "record",
    "start_of",
    "written_names",
]

RETIRED, WRITTEN, STARTED, R4_ARRIVED = range(4)
ITEM, QUAD, SLOT, BUS, STAGED, LEVELS = (R4_ARRIVED + len(R4_SOURCES) + kind for kind in range(6))
#: Kinds that tell what happens, and those that tell when.
EFFECTS, TIMES = frozenset(range(SLOT)), frozenset((SLOT, BUS, STAGED, LEVELS))
#: Of the first word; the number of the QPU lies above.
KIND_BITS = 8
_layout = data.Layout.cast(Retired)
#: Words of the struct, and of a record.
RECORD_WORDS = -(-_layout.size // 32)
EVENT_WORDS = 1 + RECORD_WORDS
_START = data.Layout.cast(ProgramStart)
START_WORDS = -(-_START.size // 32)
#: Bytes of what arrives in r4.
VECTOR_BYTES = 4 * ELEMENTS


def written_names() -> list[str]:
    """The name of each register that is written, file A and then B, or "" where nothing is."""
    names = (WRITE.name(address, file) for file in range(2) for address in range(64))
    return ["" if name in ("-", "quad_x", "quad_y") else name for name in names]


_NAMES = written_names()


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
    """How far a field lies after another one."""
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

    def __init__(self, qpu: int, flags: tuple[int, int, int] = (0, 0, 0)):
        self._qpu = qpu
        self._flags = flags

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
        """The numbers of those of `R4_SOURCES` from which r4 changes after it."""
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

    def read(self, records: np.ndarray) -> Iterator[Event]:
        """The events of records, as far as they are known."""
        for row in records:
            about, content = int(row[0]), memoryview(row[1:]).cast("B")
            kind, qpu = about & (1 << KIND_BITS) - 1, about >> KIND_BITS
            if kind == RETIRED:
                yield from self.retire(qpu, content)
            elif kind == WRITTEN:
                for event in _memory_writes(int(row[1]), int(row[2]), bytes(content[8 : 8 + BUS_BYTES])):
                    yield from self.tell(event)
            elif kind == STARTED:
                yield from self.tell(start_of(row))
            elif kind not in TIMES:
                yield from self.arrive(qpu, kind - R4_ARRIVED, bytes(content[:VECTOR_BYTES]))

    def _match(self, qpu: int, source: int) -> None:
        come, waiting = self._come[qpu, source], self._waiting[qpu, source]
        if come and waiting:
            waiting.popleft().r4[source] = come.popleft()

    def _complete(self) -> Iterator[Event]:
        while self._held and self._held[0].is_complete:
            yield self._held.popleft().whole


class Listeners:
    """Those who are told what happens in a run: `watch` is called with events, `follow` with records."""

    def __init__(self, qpus: int, watch: Callable[[Event], None] | None, follow: Callable[[np.ndarray], None] | None):
        self._watch, self._follow = watch, follow
        self._order = EventOrder(qpus)

    def __bool__(self) -> bool:
        return bool(self._watch or self._follow)

    def __call__(self, records: np.ndarray) -> None:
        """Tell records, one a row."""
        if self._watch:
            for event in self._order.read(records):
                self._watch(event)
        if self._follow:
            self._follow(records)


def record(kind: int, content: bytes, qpu: int = 0) -> np.ndarray:
    """A record, whose content may be shorter than it."""
    return np.frombuffer(
        (kind | qpu << KIND_BITS).to_bytes(4, "little") + content.ljust(4 * RECORD_WORDS, b"\0"), np.uint32
    )


def start_of(row: np.ndarray) -> Start:
    """The event of a record `STARTED`."""
    start = _START.from_bits(int.from_bytes(row[1 : 1 + START_WORDS].tobytes(), "little"))
    return Start(int(row[0]) >> KIND_BITS, launch_of(start))


def _memory_writes(address: int, strobes: int, word: bytes) -> list[MemoryWrite]:
    """The runs of bytes that a word wrote."""
    runs, start = [], None
    for byte in range(BUS_BYTES + 1):
        if byte < BUS_BYTES and strobes >> byte & 1:
            start = byte if start is None else start
        elif start is not None:
            runs.append(MemoryWrite(address + start, word[start:byte]))
            start = None
    return runs


def _write(written: int, record: bytes | memoryview, at: int) -> list[Write]:
    """What one ALU wrote: its `RetiredWrite`, and where its data lies."""
    elements = written >> _MASK & ALL_ELEMENTS
    name = _NAMES[(written >> _FILE & 1) << 6 | written & 63]
    if not elements or not name:
        return []
    return [Write.of(name, elements, written >> _BYTES & 15, np.frombuffer(record, np.uint32, ELEMENTS, at))]
