"""What every simulator of the RTL is given, and what it gives back."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np

from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.regs.table import register

from ..bench.driver import READ_OFFSETS, setup_writes
from ..events import Event
from ..launch import Launch
from ..retired import EFFECTS

__all__ = ["BenchJob", "Ending", "Follower", "Job", "Launch", "Outcome", "Run", "Watcher", "Waves"]

#: Called with every event of a run; what it raises ends the run.
Watcher = Callable[[Event], None]
#: Called with records of the RTL, see `retired`, one a row; what it raises ends the run.
Follower = Callable[[np.ndarray], None]


@dataclass(frozen=True, kw_only=True)
class BenchJob:
    """What any bench around the RTL is given.

    image : the memory at the start; byte 0 lies at `base`
    config : of the GPU
    latency : clocks from a memory request to its first word
    gap : chance of a pause of the memory in each clock, 0 to below 1
    seed : of the pauses
    max_cycles : clocks after which the run is given up
    kinds : of records that are told, see `retired`
    """

    image: bytes
    base: int
    config: V3DConfig
    latency: int = 20
    gap: float = 0.0
    seed: int = 1
    max_cycles: int = 1_000_000
    kinds: frozenset[int] = EFFECTS

    @property
    def built(self) -> V3DConfig:
        """What is simulated: with trace ports, and without what bins and draws."""
        return dataclasses.replace(self.config.front, trace=True)

    @property
    def size(self) -> int:
        """Bytes of the memory: whole words of the bus."""
        return -(-len(self.image) // BUS_BYTES) * BUS_BYTES


@dataclass(frozen=True, kw_only=True)
class Job(BenchJob):
    """One run of programs, see `BenchJob`.

    launches : programs, in the order in which they begin
    qpus : the first so many QPUs run programs; `None`: all
    writes : names of registers and words, which the host writes before it asks for the programs, in this order
    reads : names of registers that it reads when they have ended
    """

    launches: tuple[Launch, ...]
    qpus: int | None = None
    writes: tuple[tuple[str, int], ...] = ()
    reads: tuple[str, ...] = ()

    @property
    def reserved(self) -> range:
        """The numbers of the QPUs that run no programs."""
        return range(self.config.qpus if self.qpus is None else self.qpus, self.config.qpus)

    @property
    def setup(self) -> list[tuple[int, int]]:
        """Offsets and words: all that the host writes before any program."""
        return [*setup_writes(self.reserved), *((register(name).offset, word) for name, word in self.writes)]

    @property
    def read_offsets(self) -> tuple[int, ...]:
        """Offsets of all that it reads at the end."""
        return (*READ_OFFSETS, *(register(name).offset for name in self.reads))


@dataclass(frozen=True, slots=True)
class Waves:
    """A VCD file to write, with the clocks from `first` on to the one before `last`, `None` for all."""

    path: Path
    first: int = 0
    last: int | None = None

    @property
    def whole(self) -> bool:
        """All clocks."""
        return not self.first and self.last is None


class Ending(Enum):
    """Why a run ended."""

    DONE = "done"
    STUCK = "stuck"
    TOO_LONG = "too long"


@dataclass
class Outcome:
    """What a run left behind.

    ending : why it ended; `why` says more, in words, unless it is `DONE`
    memory : the memory at the end
    cycles : clocks
    instructions : retired
    stalls : clocks lost, by reason, of all QPUs together
    counts : performance counters, by the names of their sources
    interrupts : host interrupts raised
    pcs : addresses of the instructions at which QPUs wait that cannot go on
    errors : names of the bits of ERRSTAT and XBUSERR that are set
    registers : those that the job wants to be read, by name
    """

    ending: Ending
    memory: bytes
    cycles: int = 0
    instructions: int = 0
    stalls: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    interrupts: int = 0
    pcs: tuple[int, ...] = ()
    errors: frozenset[str] = frozenset()
    why: str = ""
    registers: dict[str, int] = field(default_factory=dict)


#: Given a job, who watches its events, the waves to write, and who follows its records, each of these or `None`, gives the
#: outcome. The fewer listen, the faster; the model has no records.
Run = Callable[[Job, Watcher | None, Waves | None, Follower | None], Outcome]
