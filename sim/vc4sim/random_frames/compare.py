"""A random frame on the RTL, with the model beside it; a frame that fails becomes small."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from vc4.config import V3DConfig

from ..backends.base import Waves
from ..frames.draw import DrawJob, DrawRun, run_draw
from ..frames.draw_lockstep import DrawLockstep
from ..lockstep import Difference
from ..model.memory import Memory
from ..model.v3d import V3D
from ..shrink.search import needed
from .frame import RandomFrame
from .image import frame_job

__all__ = ["ShrunkFrame", "compare_frame", "kind_of", "shrink_frame"]

_LIMIT = 1 << 40
#: What runs a frame on the RTL: see `run_draw`.
Draw = Callable[..., DrawRun]


class ShrunkFrame(NamedTuple):
    """What is left of a frame that fails.

    kept : the numbers of its things
    lines : these in words
    error : how it fails
    runs : on the RTL that it took
    """

    kept: tuple[int, ...]
    lines: list[str]
    error: Exception
    runs: int


def drawn_by_model(job: DrawJob) -> tuple[np.ndarray, V3D]:
    """Memory at the end as the model alone has it, one vector after the other. Raises `ValueError` if it has no end."""
    memory = Memory(len(job.image), 0, job.image)
    gpu = V3D(job.config, memory)
    for name, value in job.registers:
        gpu.write(name, value)
    rest = gpu.advance(_LIMIT)
    thread = gpu.cle.threads[1]
    if thread.error or thread.waits or not gpu.read("RFC"):
        raise ValueError(f"the model does not draw the frame: {thread.error or thread.waits or rest}")
    return np.frombuffer(memory.read(0, len(job.image)), np.uint8), gpu


def compare_frame(job: DrawJob, on: str = "native", waves: Waves | None = None, draw: Draw = run_draw) -> int:
    """Draw a frame on the RTL, instruction by instruction with the model; returns how many there were.

    What is in memory at the end must also be what the model draws alone. Raises `Difference`, and what a check of the RTL raises.
    """
    beside = DrawLockstep(job)
    run = draw(job, on, follow=beside, waves=waves, read=("CT1CA",))
    if not run.drawn:
        beside.differ("the frame does not come to its end", f"the list stands at {run.read['CT1CA']:#x}", "it ends")
    beside.compare_memory(run)
    model, _ = drawn_by_model(job)
    rtl = np.frombuffer(bytes(run.memory[: len(model)]), np.uint8)
    different = np.flatnonzero(rtl != model)
    if len(different):
        at = int(different[0])
        what = f"{len(different)} bytes differ from what the model draws alone, the first at {at:#010x}"
        raise Difference(what, f"{rtl[at]:02x}", f"{model[at]:02x}", [])
    return run.instructions


def _failure(job: DrawJob, on: str, draw: Draw) -> Exception | None:
    try:
        compare_frame(job, on, draw=draw)
    except (Difference, AssertionError) as error:
        return error
    return None


def kind_of(error: Exception) -> str:
    """What went wrong, without its numbers, however many digits they have."""
    what = error.what if isinstance(error, Difference) else str(error)
    words = "".join(" " if letter in "0123456789abcdefx" else letter for letter in what.partition("\n")[0])
    return " ".join(words.split())


def shrink_frame(
    frame: RandomFrame,
    config: V3DConfig,
    on: str = "native",
    *,
    most: int = 300,
    told: Callable[[], object] = lambda: None,
    draw: Draw = run_draw,
    **memory,
) -> ShrunkFrame | None:
    """The fewest things of a frame that fail in the same way, found in at most so many runs; `None` if it does not fail again.

    told : called behind each run
    memory : see `frame_job`
    """
    found = _failure(frame_job(frame, config, **memory), on, draw)
    if found is None:
        return None
    runs, last = 0, found

    def fails(kept: Collection[int]) -> bool:
        nonlocal runs, last
        if runs >= most:
            return False
        try:
            job = frame_job(frame, config, kept, **memory)
            drawn_by_model(job)
        except ValueError:
            return False
        runs += 1
        told()
        error = _failure(job, on, draw)
        if error is None or kind_of(error) != kind_of(found):
            return False
        last = error
        return True

    kept = tuple(needed(range(len(frame.things)), fails))
    return ShrunkFrame(kept, [str(thing) for thing in frame.left(set(kept))], last, runs)
