"""Performance counters and what they count (guide, tables 82 to 86; addendum for bit 31 of PCTRE)."""

from collections.abc import Callable
from dataclasses import dataclass

from vc4.config import V3DConfig

from .register import WORD_BITS, Access, Field, Register, each_qpu, each_slice

__all__ = ["COUNTERS", "PERFORMANCE_COUNTERS", "SOURCES", "Source"]

#: How many there are.
PERFORMANCE_COUNTERS = 16


@dataclass(frozen=True)
class Source:
    """Something that performance counters count.

    number : what PCTRSn selects it by
    name : of this project; the guide has none
    description : what is counted
    most : events of one clock at the most, in a configuration
    """

    number: int
    name: str
    description: str
    most: Callable[[V3DConfig], int]


def _one(config: V3DConfig) -> int:
    return 1


def _each_tmu(config: V3DConfig) -> int:
    return max(1, config.slices * config.tmus_per_slice)


def _each_tmu_twice(config: V3DConfig) -> int:
    return 2 * _each_tmu(config)


_ROWS = (
    ("FEP_PRIMITIVES_EMPTY", "FEP: valid primitives without a pixel, in all tiles", _one),
    ("FEP_PRIMITIVES", "FEP: valid primitives, once for each tile", _one),
    ("FEP_QUADS_CLIPPED", "FEP: quads dropped by early Z, near or far plane", _one),
    ("FEP_QUADS", "FEP: valid quads", _one),
    ("TLB_QUADS_STENCIL_FAILED", "TLB: quads with no pixel that passes the stencil test", _one),
    ("TLB_QUADS_Z_FAILED", "TLB: quads with no pixel that passes Z and stencil test", _one),
    ("TLB_QUADS_Z_PASSED", "TLB: quads with a pixel that passes Z and stencil test", _one),
    ("TLB_QUADS_UNCOVERED", "TLB: quads with no coverage", _one),
    ("TLB_QUADS_COVERED", "TLB: quads with some coverage", _one),
    ("TLB_QUADS_WRITTEN", "TLB: quads with pixels written to the colour buffer", _one),
    ("PTB_PRIMITIVES_OUTSIDE", "PTB: primitives outside of the viewport", _one),
    ("PTB_PRIMITIVES_CLIPPED", "PTB: primitives that need clipping", _one),
    ("PSE_PRIMITIVES_REVERSED", "PSE: primitives dropped for their direction", _one),
    ("QPU_CLOCKS_IDLE", "QPU: clocks without a program, of all QPUs", each_qpu),
    ("QPU_CLOCKS_VERTEX", "QPU: clocks of vertex and coordinate shading, of all QPUs", each_qpu),
    ("QPU_CLOCKS_FRAGMENT", "QPU: clocks of fragment shading, of all QPUs", each_qpu),
    ("QPU_CLOCKS_EXECUTING", "QPU: clocks with valid instructions, of all QPUs", each_qpu),
    ("QPU_STALLS_TMU", "QPU: clocks that wait for TMUs, of all QPUs", each_qpu),
    ("QPU_STALLS_SCOREBOARD", "QPU: clocks that wait for the scoreboard, of all QPUs", each_qpu),
    ("QPU_STALLS_VARYINGS", "QPU: clocks that wait for varyings, of all QPUs", each_qpu),
    ("QPU_INSTRUCTION_HITS", "QPU: hits of the instruction caches, of all slices", each_slice),
    ("QPU_INSTRUCTION_MISSES", "QPU: misses of the instruction caches, of all slices", each_slice),
    ("QPU_UNIFORMS_HITS", "QPU: hits of the uniforms caches, of all slices", each_slice),
    ("QPU_UNIFORMS_MISSES", "QPU: misses of the uniforms caches, of all slices", each_slice),
    ("TMU_QUADS", "TMU: quads of texture", _each_tmu_twice),
    ("TMU_MISSES", "TMU: fetches of the texture caches", _each_tmu),
    ("VPM_STALLS_VDW", "VPM: clocks that the VDW waits for it", _one),
    ("VPM_STALLS_VCD", "VPM: clocks that the VCD waits for it", _one),
    ("L2C_HITS", "L2C: hits", _one),
    ("L2C_MISSES", "L2C: misses", _one),
)

#: By their number.
SOURCES = tuple(Source(number, *row) for number, row in enumerate(_ROWS))

COUNTERS = (
    Register(
        "PCTRC",
        0x670,
        "performance counters: clear",
        (Field("CTCLR", 0, PERFORMANCE_COUNTERS, Access.STROBE, "clears; one bit a counter"),),
    ),
    Register(
        "PCTRE",
        0x674,
        "performance counters: enable",
        (
            Field("CTEN", 0, PERFORMANCE_COUNTERS, Access.READ_WRITE, "counts; one bit a counter"),
            Field("EN", 31, 1, Access.READ_WRITE, "the counters count at all; not in the guide"),
        ),
    ),
    *(
        register
        for number in range(PERFORMANCE_COUNTERS)
        for register in (
            Register(
                f"PCTR{number}",
                0x680 + 8 * number,
                f"performance counter {number}: count",
                (Field("PCTR", 0, WORD_BITS, Access.LOAD, "events"),),
            ),
            Register(
                f"PCTRS{number}",
                0x684 + 8 * number,
                f"performance counter {number}: what it counts",
                (Field("PCTRS", 0, 5, Access.READ_WRITE, "number of the source; 30 and 31 count nothing"),),
            ),
        )
    ),
)
