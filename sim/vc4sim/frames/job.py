"""A run of control lists, as any simulator is given it, and how it ends."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES, Source
from vc4.regs.table import register
from vc4.vertex_pipe import FRONT_STALLS

from ..backends.base import BenchJob
from ..bench.writer import ON_DEMAND, HostWrite
from ..render.host import BEGINNING, OUT_OF_MEMORY

__all__ = ["COUNTED", "STALLS", "FrontJob", "FrontState", "given"]

#: What waits, see `FRONT_STALLS`.
STALLS = tuple(FRONT_STALLS.members)
#: What performance counters count.
COUNTED = tuple(
    source
    for source in SOURCES
    if source.name.startswith("QPU_CLOCKS_") or source.name in ("VPM_STALLS_VCD", "L2C_HITS", "L2C_MISSES")
)
#: And with a binner.
_COUNTED_OF_BINNER = tuple(source for source in SOURCES if source.name.startswith("PTB_"))


def given(overspill: Iterable[tuple[int, int]]) -> list[tuple[int, str, int]]:
    """Writes of a host that gives memory to a binner that asks for it: the first clock, register and word of each."""
    return [
        (ON_DEMAND, name, value)
        for address, size in overspill
        for name, value in (("BPOA", address), ("BPOS", size), ("INTCTL", OUT_OF_MEMORY))
    ]


@dataclass(frozen=True, kw_only=True)
class FrontJob(BenchJob):
    """One run of control lists, see `BenchJob`; the configuration has them.

    registers : names and values of the registers that start the threads, in the order in which they are written
    later : the same after them, with the clock before which each is not written
    then : registers of the frames after that, each when the one before is drawn
    overspill : addresses and sizes of what the host gives a binner that asks for memory, in this order
    bins : the GPU has a binner; else something takes its place
    reads : all words of vertices are read, before a primitive is taken; else it is taken at once
    pipeline_gap : chance of a pause of binner and renderer in each clock
    """

    base: int = 0
    registers: tuple[tuple[str, int], ...]
    later: tuple[tuple[int, str, int], ...] = ()
    then: tuple[tuple[tuple[str, int], ...], ...] = ()
    overspill: tuple[tuple[int, int], ...] = ()
    bins: bool = False
    reads: bool = True
    pipeline_gap: float = 0.0
    max_cycles: int = 5_000_000

    @property
    def frames(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Registers of all frames."""
        return (self.registers, *self.then)

    @property
    def built(self) -> V3DConfig:
        """See `BenchJob`."""
        return dataclasses.replace(super().built, binner=self.bins)

    @property
    def counted(self) -> tuple[Source, ...]:
        """What performance counters count."""
        return (*COUNTED, *(_COUNTED_OF_BINNER if self.bins else ()))

    @property
    def writes(self) -> list[HostWrite]:
        """All of the host."""
        counters = (1 << len(self.counted)) - 1
        setup = (
            *BEGINNING,
            *((f"PCTRS{number}", source.number) for number, source in enumerate(self.counted)),
            *(("PCTRC", counters), ("PCTRE", 1 << 31 | counters)),
        )
        writes = (*((0, *write) for write in (*setup, *self.registers)), *self.later, *given(self.overspill))
        return [HostWrite(clock, register(name).offset, value) for clock, name, value in writes]


class FrontState(NamedTuple):
    """What a bench says at the end.

    rests : nothing moves any more
    cycles : clocks until then
    instructions : retired
    stalls : clocks in which something waited, in the order of `STALLS`
    """

    rests: int
    cycles: int
    instructions: int
    stalls: tuple[int, ...]
