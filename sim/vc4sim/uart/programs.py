"""Runs programs on a board, as a driver does."""

import time
from collections.abc import Iterable

from vc4.boards.protocol import Fact, StateBit
from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.table import register

from ..backends.base import Ending, Follower, Job, Outcome, Watcher, Waves
from ..backends.final import errors_of
from ..bench.driver import COUNTED, QUEUE, READ_OFFSETS, START_OFFSET, start_writes
from ..problem import BadInput
from .board import Board, open_board

__all__ = ["INSTRUCTION_CLOCKS", "config", "patience", "refuse_listeners", "refuse_size", "run"]

#: Clocks of `QPU_CLOCKS_EXECUTING` that an instruction counts.
INSTRUCTION_CLOCKS = 4
#: The counter after those of `COUNTED` counts these clocks.
_EXECUTING = next(source.number for source in SOURCES if source.name == "QPU_CLOCKS_EXECUTING")
_NUMBER = len(COUNTED)
_ALL_COUNTERS = (1 << _NUMBER + 1) - 1
_COUNTERS = (
    (f"PCTRS{_NUMBER}", _EXECUTING),
    ("PCTRC", _ALL_COUNTERS),
    ("PCTRE", 1 << 31 | _ALL_COUNTERS),
)
#: Seconds that a run may take beside its clocks.
_SECONDS = 10.0
_ENDED = 0xFF  # what programs that have ended are counted with


def run(name: str, job: Job, watch: Watcher | None, waves: Waves | None, follow: Follower | None) -> Outcome:
    """Run `job` on the board `name`, see `base.Run`; nobody can listen. Raises `BadInput` if there is no such board, or what it
    has is not enough.
    """
    refuse_listeners(name, watch, waves, follow)
    if any(launch.threaded for launch in job.launches):
        raise BadInput(f"{name}: a board starts no threaded programs")
    with open_board(name) as board:
        refuse_size(name, board, job.base, job.size)
        return _run(board, job)


def config(name: str) -> V3DConfig:
    """That of the board `name`."""
    with open_board(name) as board:
        return board.config


def refuse_listeners(name: str, *listeners: object) -> None:
    """Raises `BadInput` if there are some."""
    if any(listener is not None for listener in listeners):
        raise BadInput(f"{name}: a board shows its registers and its memory, not what happens in it")


def refuse_size(name: str, board: Board, base: int, size: int) -> None:
    """Raises `BadInput` if memory from `base` on is not all there."""
    if base < board.base or base + size > board.base + board.size:
        has = f"it has {board.base:#010x} to {board.base + board.size - 1:#010x}"
        raise BadInput(f"{name}: the board lacks memory: {base:#010x} to {base + size - 1:#010x} is needed, {has}")


def patience(board: Board, max_cycles: int) -> float:
    """Seconds after which a run that does not end is given up."""
    return max_cycles / board.clock_hz + _SECONDS


def _run(board: Board, job: Job) -> Outcome:
    board.reset()
    board.write_memory(job.base, job.image.ljust(job.size, b"\0"))
    setup = [*job.setup, *((register(name).offset, word) for name, word in _COUNTERS)]
    for offset, word in setup:
        board.write(offset, word)
    end = time.monotonic() + patience(board, job.max_cycles)
    _start(board, start_writes(job.launches), end)
    facts, ended = _wait(board, job, end)
    *words, executing = [board.read(offset) for offset in (*READ_OFFSETS, register(f"PCTR{_NUMBER}").offset)]
    errors = errors_of(words[len(COUNTED) :])
    outcome = Outcome(
        Ending.DONE if ended else Ending.TOO_LONG,
        board.read_memory(job.base, job.size)[: len(job.image)],
        cycles=facts[Fact.BUSY_CLOCKS],
        instructions=executing // INSTRUCTION_CLOCKS,
        counts={source.name: count for source, count in zip(COUNTED, words, strict=False)},
        errors=errors,
        registers={name: board.read(name) for name in job.reads},
    )
    if not ended:
        errors_are = f", {' and '.join(sorted(errors))} of ERRSTAT and XBUSERR" if errors else ""
        outcome.why = f"not ended after {outcome.cycles} cycles{errors_are}"
        board.reset()
    return outcome


def _start(board: Board, writes: Iterable[tuple[int, int]], end: float) -> None:
    """Queue the programs; what finds no room before the `end` is not queued."""
    for offset, word in writes:
        if offset == START_OFFSET:
            while _field(board, "QPURQL") >= QUEUE:
                if time.monotonic() > end:
                    return
        board.write(offset, word)


def _wait(board: Board, job: Job, end: float) -> tuple[dict[int, int], bool]:
    """Until all programs have ended and their stores are in memory, or for too long; the facts then, and whether they have."""
    while True:
        ended = _field(board, "QPURQCC") == len(job.launches) & _ENDED and not _field(board, "QPURQL")
        facts = board.facts()
        if ended and facts[Fact.STATE] >> StateBit.IDLE & 1:
            return facts, True
        if facts[Fact.BUSY_CLOCKS] >= job.max_cycles or time.monotonic() > end:
            return facts, False


def _field(board: Board, name: str) -> int:
    """One of SRQCS."""
    field = next(field for field in register("SRQCS").fields if field.name == name)
    return (board.read("SRQCS") & field.mask) >> field.low
