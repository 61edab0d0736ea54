"""What a driver does with the registers to run programs and to count what happens meanwhile."""

import dataclasses
from collections.abc import Iterable

from vc4.host.error_status import STATES
from vc4.qpu.structs import ProgramStart
from vc4.regs.counters import PERFORMANCE_COUNTERS, SOURCES
from vc4.regs.scheduler import REQUESTS
from vc4.regs.table import register

from ..launch import Launch

__all__ = [
    "COUNTED",
    "ERROR_FIELDS",
    "QUEUE",
    "READ_OFFSETS",
    "START_OFFSET",
    "launch_of",
    "setup_writes",
    "start_writes",
    "thread_words",
]

#: Programs that wait in the scheduler at most.
QUEUE = REQUESTS
#: A write there asks for a program.
START_OFFSET = register("SRQPC").offset
_RESERVATIONS = ("SQRSV0", "SQRSV1")
_BLOCKS = ("QPU_", "L2C_", "VPM_")
#: What the performance counters are set to: all that blocks do that exist, but not clocks, which pass while counts are read.
COUNTED = tuple(source for source in SOURCES if source.name.startswith(_BLOCKS) and "_CLOCKS_" not in source.name)
assert len(COUNTED) <= PERFORMANCE_COUNTERS
#: Where errors are: those of blocks, and of the bus.
_ERRORS = (register("ERRSTAT"), register("XBUSERR"))
#: Fields of these registers that are errors.
ERROR_FIELDS = tuple(tuple(field for field in one.fields if field.name not in STATES) for one in _ERRORS)
#: What is read at the end: the counts of `COUNTED`, then the errors.
READ_OFFSETS = (
    *(register(f"PCTR{index}").offset for index in range(len(COUNTED))),
    *(one.offset for one in _ERRORS),
)


def _write(name: str, **fields: int) -> tuple[int, int]:
    """Offset and word of a write to the register `name`."""
    one = register(name)
    places = {field.name: field.low for field in one.fields}
    return one.offset, sum(value << places[field] for field, value in fields.items())


def _reservations(reserved: Iterable[int]) -> list[tuple[int, int]]:
    """Writes after which the QPUs `reserved` run no programs of any kind."""
    names = {f"QPURSV{number}" for number in reserved}
    fields = {name: {one.name: 0xF for one in register(name).fields if one.name in names} for name in _RESERVATIONS}
    return [_write(name, **chosen) for name, chosen in fields.items() if chosen]


def _user_blocks() -> int:
    """As much of the VPM as the host can reserve for programs."""
    (field,) = register("VPMBASE").fields
    return (1 << field.width) - 1


def setup_writes(reserved: Iterable[int]) -> list[tuple[int, int]]:
    """Offsets and words: QPUs that are `reserved`, VPM, caches, counters."""
    return [
        *_reservations(reserved),
        _write("VPMBASE", VPMURSV=_user_blocks()),
        _write("L2CACTL", L2CCLR=1),
        _write("SLCACTL", ICCS=0xF, UCCS=0xF, T0CCS=0xF, T1CCS=0xF),
        *(_write(f"PCTRS{index}", PCTRS=source.number) for index, source in enumerate(COUNTED)),
        _write("PCTRC", CTCLR=(1 << len(COUNTED)) - 1),
        _write("PCTRE", CTEN=(1 << len(COUNTED)) - 1, EN=1),
    ]


def start_writes(launches: Iterable[Launch]) -> list[tuple[int, int]]:
    """Offsets and words: the programs that are not threaded, which are those of the user's queue."""
    writes = []
    for launch in launches:
        if not launch.threaded:
            writes += [
                _write("SRQUA", QPURQUA=launch.uniforms),
                _write("SRQUL", QPURQUL=launch.length),
                _write("SRQPC", QPURQPC=launch.pc),
            ]
    return writes


def launch_of(start) -> Launch:
    """What a `ProgramStart` asks for."""
    return Launch(start.pc, start.uniforms, bool(start.threaded), start.length)


def thread_words(launches: Iterable[Launch]) -> list[int]:
    """`ProgramStart` of the programs that are threaded, as numbers: only blocks of the GPU start such programs."""
    return [ProgramStart.const(dataclasses.asdict(launch)).as_value().value for launch in launches if launch.threaded]
