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
from ..shrink.again import Again, error_of
from ..shrink.search import needed
from .frame import RandomFrame
from .image import frame_job

__all__ = ["ShrunkFrame", "compare_frame", "compare_with_alone", "shrink_frame"]

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
    """Memory at the end as the model alone has it, one vector after the other, or where coverage locks up. Raises `ValueError` if it
    has no end for another reason.
    """
    memory = Memory(len(job.image), 0, job.image)
    gpu = V3D(job.config, memory)
    for name, value in job.registers:
        gpu.write(name, value)
    rest = gpu.advance(_LIMIT)
    thread = gpu.cle.threads[1]
    if not gpu.renderer.locked and (thread.error or thread.waits or not gpu.read("RFC")):
        raise ValueError(f"the model does not draw the frame: {thread.error or thread.waits or rest}")
    return np.frombuffer(memory.read(0, len(job.image)), np.uint8), gpu


def compare_frame(job: DrawJob, on: str = "native", waves: Waves | None = None, draw: Draw = run_draw) -> int:
    """Draw a frame on the RTL, instruction by instruction with the model; returns how many there were.

    What is in memory at the end must also be what the model draws alone; where coverage locks up, that is the end of both. Raises
    `Difference`, and what a check of the RTL raises.
    """
    beside = DrawLockstep(job)
    run = draw(job, on, follow=beside, waves=waves, read=("CT1CA",))
    beside.catch_up(run)
    if not run.drawn and not beside.locks_up:
        beside.differ("the frame does not come to its end", f"the list is at {run.read['CT1CA']:#x}", "it ends")
    beside.compare_memory(run)
    model, _ = drawn_by_model(job)
    rtl = np.frombuffer(bytes(run.memory[: len(model)]), np.uint8)
    compare_with_alone(rtl, model)
    return run.instructions


def compare_with_alone(rtl: np.ndarray, model: np.ndarray, checked: np.ndarray | None = None) -> None:
    """Memory of the RTL is what the model has drawn alone, where it is `checked`. Raises `Difference`."""
    different = np.flatnonzero(rtl != model if checked is None else (rtl != model) & checked)
    if len(different):
        at = int(different[0])
        what = f"{len(different)} bytes differ from what the model draws alone, the first at {at:#010x}"
        raise Difference(what, f"{rtl[at]:02x}", f"{model[at]:02x}", [])


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

    told : called after each run
    memory : see `frame_job`
    """

    def run(job: DrawJob) -> None:
        compare_frame(job, on, draw=draw)

    def make(kept: Collection[int]) -> DrawJob:
        job = frame_job(frame, config, kept, **memory)
        drawn_by_model(job)
        return job

    found = error_of(lambda: run(frame_job(frame, config, **memory)))
    if found is None:
        return None
    again = Again(found, make, run, most, told)
    kept = tuple(needed(range(len(frame.things)), again))
    return ShrunkFrame(kept, [str(thing) for thing in frame.left(set(kept))], again.error, again.runs)
