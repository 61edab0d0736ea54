"""How busy each unit was, and how much it can do."""

from collections.abc import Mapping
from typing import NamedTuple

from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.isa.registers import ELEMENTS, QUADS
from vc4.l2c.structs import LINE_BYTES
from vc4.qpu.structs import LANES

from ..timed import SLOT_CLOCKS
from ..workload.compare import WORD_BYTES
from .counts import Counts
from .work import Work, work_of

__all__ = ["Limit", "limits_of", "operations", "total_work"]


class Limit(NamedTuple):
    """What a unit did, and what all of its kind can do.

    name : of the unit, or of the way
    unit : what is counted
    used, most : in a clock, of all of them together
    where : what says how much it can do
    word_bytes : of what it moves, if it is a way for data, else 0
    """

    name: str
    unit: str
    used: float
    most: float
    where: str
    word_bytes: int = 0

    @property
    def part(self) -> float:
        """Of what it can do, 0 to 1."""
        return self.used / self.most if self.most else 0.0


def total_work(counts: Counts) -> Work:
    """That of all instructions of a run."""
    total = [0] * len(Work._fields)
    for pc, issued in counts.issued.items():
        for number, once in enumerate(work_of(counts.words[pc])):
            total[number] += once * issued
    return Work(*total)


def operations(work: Work) -> int:
    """Results of both ALUs, element by element."""
    return ELEMENTS * (work.add + work.mul)


def limits_of(counts: Counts, config: V3DConfig, qpus: int, clocks: int, events: Mapping[str, int]) -> list[Limit]:
    """The limits of a run.

    counts : what was issued
    config : of the GPU
    qpus : of it, that may run programs: the first ones
    clocks : that the run took
    events : performance counters, by the names of their sources
    """
    clocks = max(clocks, 1)
    work, lanes = total_work(counts), LANES * qpus
    slices = -(-qpus // config.qpus_per_slice)
    units = slices * config.tmus_per_slice
    # A quad of a lookup of memory is four words, one of a texture is one texel.
    words = ELEMENTS * (work.lookups - work.textures) + QUADS * ELEMENTS * work.textures
    lines = events.get("L2C_HITS", 0) + events.get("L2C_MISSES", 0)
    bus = sum(counts.transferred.values())
    rows = [
        ("issue", "instructions", counts.instructions, qpus / SLOT_CLOCKS, "guide, section 3: four clocks each", 0),
        ("add ALUs", "results", ELEMENTS * work.add, lanes, "guide, section 3: four lanes", 0),
        ("mul ALUs", "results", ELEMENTS * work.mul, lanes, "guide, section 3: four lanes", 0),
        ("SFUs", "results", ELEMENTS * work.functions, LANES * slices, "guide, section 3: one a slice", 0),
        ("TMUs", "words", words, LANES * units, "docs/reference/tmu.md: a quad, or a texel", WORD_BYTES),
        ("VPM reads", "words", ELEMENTS * work.vpm_reads, LANES, "vpm.py: a quad for all QPUs", WORD_BYTES),
        ("VPM writes", "words", ELEMENTS * work.vpm_writes, LANES, "vpm.py: a quad for all QPUs", WORD_BYTES),
        ("L2 cache", "words", lines * LINE_BYTES / BUS_BYTES, 1, "l2c.py: a word of the bus", BUS_BYTES),
        ("memory", "words", bus / BUS_BYTES, 1, "hub.py: a word of the bus", BUS_BYTES),
    ]
    return [Limit(name, unit, used / clocks, most, where, size) for name, unit, used, most, where, size in rows if most]
