"""An episode on the RTL, with the model beside it; one that fails becomes small."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..backends.base import Waves
from ..frames.binned import advance
from ..frames.draw import DrawRun, run_draw
from ..model.memory import Memory
from ..model.v3d import V3D
from ..random_frames.compare import compare_with_alone
from ..shrink.again import Again, error_of
from ..shrink.search import needed
from .acts import RESETS
from .episode import Episode, Part
from .job import SoakJob, episode_job
from .lockstep import SoakLockstep

__all__ = ["Compared", "ShrunkEpisode", "compare_episode", "shrink_episode"]

_LIMIT = 1 << 40
#: Registers that say where an episode is that has no end.
_READ = ("CT0CA", "CT0CS", "CT1CA", "CT1CS", "PCS", "RFC", "SRQCS", "DBQHLT", "ERRSTAT")
#: What runs an episode on the RTL: see `run_draw`.
Draw = Callable[..., DrawRun]
#: What compares one: gives what was compared, or raises `Difference` or `AssertionError`.
Compare = Callable[[SoakJob], object]


class Compared(NamedTuple):
    """What was the same: frames, programs of users, instructions; and clocks of the RTL."""

    frames: int = 0
    programs: int = 0
    instructions: int = 0
    clocks: int = 0


class ShrunkEpisode(NamedTuple):
    """What is left of an episode that fails.

    kept : its parts
    error : how it fails
    runs : on the RTL that it took
    """

    kept: tuple[Part, ...]
    error: Exception
    runs: int


def _drawn_by_model(job: SoakJob) -> bytes:
    """Memory of frames as the model alone draws them, one vector after the other. Raises `ValueError` if it does not end."""
    memory = Memory(len(job.image), 0, job.image)
    gpu = V3D(job.config, memory)
    spoilt, drawn, blocks = dict(job.spoilt), 0, iter(job.overspill)
    for number, registers in enumerate((job.registers, *job.then)):
        if number in spoilt:
            for name, value in RESETS:
                gpu.write(name, value)
            continue
        for name, value in registers:
            gpu.write(name, value)
        rest = advance(gpu, blocks, _LIMIT)
        thread, drawn = gpu.cle.threads[1], drawn + 1
        if thread.error or thread.waits or gpu.read("RFC") != drawn:
            raise ValueError(f"the model does not draw frame {number}: {thread.error or thread.waits or rest}")
    return memory.read(0, job.programs)


def compare_episode(job: SoakJob, on: str = "native", *, waves: Waves | None = None, draw: Draw = run_draw) -> Compared:
    """Run an episode on the RTL, instruction by instruction with the model; then all of memory is compared.

    Frames in memory must also be what the model draws alone; where frames that are spoilt store there may be anything. Raises `Difference`, and what a check of the RTL raises.
    """
    beside = SoakLockstep(job)
    run = draw(job, on, follow=beside, waves=waves, read=_READ)
    if not run.drawn:
        what = ", ".join(f"{name} is {value:#x}" for name, value in run.read.items())
        beside.differ(f"the episode does not come to its end within {run.cycles} clocks", what, "it ends")
    beside.compare_memory(run)
    alone = np.frombuffer(_drawn_by_model(job), np.uint8)
    rtl = np.frombuffer(bytes(run.memory[: job.programs]), np.uint8)
    checked = np.ones(job.programs, bool)
    for first, end in job.loose:
        checked[first:end] = False
    compare_with_alone(rtl, alone, checked)
    return Compared(1 + len(job.then), len(job.asked), run.instructions, run.cycles)


def shrink_episode(
    episode: Episode,
    compare: Compare,
    *,
    most: int = 200,
    told: Callable[[], object] = lambda: None,
    **memory,
) -> ShrunkEpisode | None:
    """The fewest parts of an episode that fail in the same way, found in at most so many runs; `None` if it does not fail again.

    told : called after each run
    memory : see `episode_job`
    """

    def make(kept: list[Part]) -> SoakJob:
        job = episode_job(episode, kept, **memory)
        _drawn_by_model(job)
        return job

    found = error_of(lambda: compare(episode_job(episode, **memory)))
    if found is None:
        return None
    again = Again(found, make, compare, most, told)
    kept: list[Part] = list(episode.parts)
    for kind in ("act", "team", "frame", "thing"):
        others = [part for part in kept if part.kind != kind]
        mine = [part for part in kept if part.kind == kind]
        kept = others + needed(mine, lambda some, others=others: again(others + some))
    return ShrunkEpisode(tuple(sorted(kept)), again.error, again.runs)
