"""Runs control lists on a board, as a driver does."""

import time
from collections.abc import Iterator, Sequence

import numpy as np

from vc4.boards.protocol import PAGE_BITS, WORD_BYTES, Fact
from vc4.regs.table import register

from ..backends.base import Follower, Waves
from ..bench.writer import ON_DEMAND, HostWrite
from ..frames.draw import DrawJob, DrawRun
from ..problem import BadInput
from ..render.host import OUT_OF_MEMORY
from .board import Board, open_board
from .programs import INSTRUCTION_CLOCKS, patience, refuse_listeners, refuse_size

__all__ = ["draw"]

_PAGE = 1 << PAGE_BITS
#: Words that are written as fast as another request is begun.
_SHORT_GAP = 4
_EXECUTING = "QPU_CLOCKS_EXECUTING"
_CLEARED = register("INTCTL").offset


def draw(
    name: str, job: DrawJob, read: Sequence[str] = (), *, follow: Follower | None = None, waves: Waves | None = None
) -> DrawRun:
    """Run `job` on the board `name`, and read registers at the end, see `run_draw`; nobody can listen. Raises `BadInput` if there
    is no such board, or what it has is not enough.
    """
    refuse_listeners(name, follow, waves)
    if any(write.clock not in (0, ON_DEMAND) for write in job.writes):
        raise BadInput(f"{name}: a host writes no registers of a board in a clock of its choice")
    with open_board(name) as board:
        refuse_size(name, board, job.base, job.size)
        return _draw(board, job, read)


def _draw(board: Board, job: DrawJob, read: Sequence[str]) -> DrawRun:
    board.reset()
    image = np.frombuffer(job.image.ljust(job.size, b"\0"), np.uint8).copy()
    board.clear_memory(job.base, job.size)
    for first, last in _used(image):
        board.write_memory(job.base + first, image[first:last].tobytes())
    for write in job.writes:
        if write.clock == 0:
            board.write(write.offset, write.word)
    facts, drawn = _wait(board, job)
    for address in board.written_pages():
        place = address - job.base
        if 0 <= place < len(image):
            size = min(_PAGE, len(image) - place)
            image[place : place + size] = np.frombuffer(board.read_memory(address, size), np.uint8)
    counts = {name: board.read(f"PCTR{number}") for number, name in enumerate(job.counted)}
    run = DrawRun(
        drawn=drawn,
        memory=image[: len(job.image)].tobytes(),
        cycles=facts[Fact.BUSY_CLOCKS],
        instructions=counts.get(_EXECUTING, 0) // INSTRUCTION_CLOCKS,
        counts=counts,
        read={name: board.read(name) for name in read},
    )
    if not drawn:
        board.reset()
    return run


def _wait(board: Board, job: DrawJob) -> tuple[dict[int, int], bool]:
    """Until the interrupt of the end comes, or for too long; the binner gets memory when it asks. The facts then, and whether it
    has come.
    """
    gifts = _gifts(job.writes)
    end = time.monotonic() + patience(board, job.max_cycles)
    while True:
        interrupts, facts = board.read("INTCTL"), board.facts()
        if interrupts & job.end:
            return facts, True
        if facts[Fact.BUSY_CLOCKS] >= job.max_cycles or time.monotonic() > end:
            return facts, False
        if interrupts & OUT_OF_MEMORY:
            gift = next(gifts, None)
            if gift is None:
                return facts, False
            for write in gift:
                board.write(write.offset, write.word)


def _gifts(writes: Sequence[HostWrite]) -> Iterator[list[HostWrite]]:
    """What is written on demand, each time up to the write that clears the interrupt."""
    gift = []
    for write in writes:
        if write.clock == ON_DEMAND:
            gift.append(write)
            if write.offset == _CLEARED:
                yield gift
                gift = []


def _used(image: np.ndarray) -> Iterator[tuple[int, int]]:
    """First bytes and ends of what is not 0, in words; gaps that are shorter than a frame costs are written, too."""
    words = image.reshape(-1, WORD_BYTES).any(axis=1)
    places = np.flatnonzero(words)
    if not len(places):
        return
    cuts = np.flatnonzero(np.diff(places) > _SHORT_GAP) + 1
    for piece in np.split(places, cuts):
        yield int(piece[0]) * WORD_BYTES, int(piece[-1] + 1) * WORD_BYTES
