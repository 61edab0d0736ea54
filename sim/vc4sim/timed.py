"""When things happen on the RTL: the content of the records that a job asks for with `TIMES`."""

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from amaranth.utils import exact_log2

from vc4.config import V3DConfig
from vc4.isa.registers import QUADS
from vc4.l2c.l2c import SLOTS
from vc4.qpu.stall import STALL_REASONS

from .backends.base import BenchJob
from .retired import BUS, KIND_BITS, SLOT, TIMES, record

__all__ = [
    "EMPTY",
    "ISSUES",
    "SLOT_CLOCKS",
    "Slot",
    "TimedFollower",
    "Transfer",
    "client_names",
    "reason_of",
    "record_of",
    "rows_of",
    "slots_of",
    "transfers_of",
]

#: Clocks of a slot.
SLOT_CLOCKS = QUADS
#: What a slot without an instruction is called that has no reason of `STALL_REASONS`.
EMPTY = "empty"
#: Bits of the last word of a slot: its thread, and whether an instruction goes on its way.
_THREAD, ISSUES = 1, 2
_WORDS = 6
_JobType = TypeVar("_JobType", bound=BenchJob)


class Slot(NamedTuple):
    """A slot of a QPU that runs a program. It has an instruction that is issued, one that waits, or none.

    qpu, thread : where
    first : its first clock
    pc, word : the instruction in SP; what they are if there is none means nothing
    reason : for which it waits, the first one of `STALL_REASONS`; `None` if it does not
    issues : the instruction goes on its way with the end of this slot
    """

    qpu: int
    thread: int
    first: int
    pc: int
    word: int
    reason: str | None
    issues: bool


class Transfer(NamedTuple):
    """Something between the GPU and memory.

    clock : when
    ends : the last word of an answer, else a request
    tag : of the bus; answers to one tag come in the order of its requests
    write : the request writes
    address, words : what it asks for
    """

    clock: int
    ends: bool
    tag: int
    write: bool
    address: int
    words: int


def reason_of(stall: int) -> str | None:
    """The first one of the bits of a `Stall`, for which statistics count the slot."""
    return STALL_REASONS[(stall & -stall).bit_length() - 1] if stall else None


def rows_of(rows: np.ndarray, kind: int) -> np.ndarray:
    """Those of a kind."""
    return rows[rows[:, 0] & (1 << KIND_BITS) - 1 == kind]


def slots_of(rows: np.ndarray) -> Iterator[Slot]:
    """The slots among records, one a row."""
    found = rows_of(rows, SLOT)
    for about, clock, stall, pc, low, high, state in found[:, : 1 + _WORDS].tolist():
        yield Slot(
            about >> KIND_BITS,
            state & _THREAD,
            clock - SLOT_CLOCKS + 1,
            pc,
            high << 32 | low,
            reason_of(stall),
            bool(state & ISSUES),
        )


def transfers_of(rows: np.ndarray) -> Iterator[Transfer]:
    """What happens on the bus, among records, one a row."""
    for clock, ends, tag, write, address, words in rows_of(rows, BUS)[:, 1 : 1 + _WORDS].tolist():
        yield Transfer(clock, bool(ends), tag, bool(write), address, words)


def client_names(config: V3DConfig) -> tuple[list[str], int]:
    """The clients of the hub of a GPU, and how many low bits of a tag are a client's own."""
    # The tags of the L2C have most bits: those of all clients have as many.
    names = ["L2 cache", "DMA stores", "DMA loads"]
    more = {"control lists, vertices": config.lists, "binner": config.binner, "tile buffer": config.pixels}
    names += [name for name, is_built in more.items() if is_built]
    return names, exact_log2(SLOTS)


def record_of(kind: int, qpu: int, *words: int) -> np.ndarray:
    """A record, as the benches make it."""
    return record(kind, np.array(words, np.uint32).tobytes(), qpu)


class TimedFollower:
    """Follows the records of a run on the RTL, perhaps beside somebody who wants to know what happens, but not when.

    kinds : of the records that it wants
    """

    kinds: ClassVar[frozenset[int]]

    @abstractmethod
    def follow(self, rows: np.ndarray) -> None:
        """Records, one a row, in the order of their clocks for each QPU, and for the bus."""

    def of(self, job: _JobType, *, effects: bool) -> _JobType:
        """The job, with records for it, and those for others only if they want `effects`."""
        return dataclasses.replace(job, kinds=self.kinds | (job.kinds if effects else frozenset()))

    def beside(self, follow: Callable[[np.ndarray], object] | None) -> Callable[[np.ndarray], None]:
        """Who follows the records of that job."""

        def both(rows: np.ndarray) -> None:
            self.follow(rows)
            if follow:
                follow(rows[~np.isin(rows[:, 0] & (1 << KIND_BITS) - 1, [*TIMES])])

        return both
