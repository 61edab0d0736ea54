"""Random frames."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from vc4.config import V3DConfig
from vc4.records.control import ControlCode, Threads

from ..backends.base import Waves
from ..clist.walk import walk
from ..coverage.count import Cells
from ..coverage.groups import Group
from ..frames.draw import DrawJob
from ..model.cle.control_records import ControlRecord
from ..model.memory import Memory
from ..random_frames import RandomFrame, compare_frame, frame_job, shrink_frame
from ..random_programs import Wanted
from .frame_cells import GROUPS, observed, wishes
from .job import Settings, SteeredCell
from .kind import Done, Kind, Small

__all__ = ["Frames", "drawing_config"]

#: Characters of a thing that is left of a failing frame.
_MOST_SHOWN = 200


def drawing_config(settings: Settings) -> V3DConfig:
    """The configuration with all that draws."""
    return dataclasses.replace(settings.built.drawing, trace=True)


class Frames(Kind):
    """Random frames, as `vc4 lockstep --frames` draws them."""

    name = "frames"
    unit = "frames"
    doc = "random frames: every instruction and all memory compared"
    size = 25
    most_shrinking = 300

    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """Records and their fields."""
        return GROUPS

    def steerable(self, groups: Iterable[Group]) -> tuple[Group, ...]:
        """Those with fields."""
        return tuple(group for group in groups if group.name != "record" and "shader" not in group.dimensions)

    def run(
        self,
        settings: Settings,
        seed: int,
        cells: tuple[SteeredCell, ...],
        covered: Cells,
        *,
        on: str,
        waves: Waves | None = None,
    ) -> Done:
        """In lockstep, and as the model draws alone."""
        frame = _frame(seed, cells)
        job = frame_job(frame, drawing_config(settings))
        instructions = compare_frame(job, on, waves)
        for some in observed(frame, _codes(job)):
            covered.add(some)
        return Done(1, instructions)

    def shrink(
        self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...], told: Callable[[], object]
    ) -> Small | None:
        """The things that are needed, in words."""
        frame, config = _frame(seed, cells), drawing_config(settings)
        small = shrink_frame(frame, config, settings.on, most=settings.shrink_runs, told=told)
        if not small:
            return None
        head = f"{len(small.kept)} of {len(frame.things)} things, after {small.runs} runs: {small.error}"
        return Small("\n".join([head, *(f"  {line[:_MOST_SHOWN]}" for line in small.lines)]))


def _codes(job: DrawJob) -> Iterator[ControlCode]:
    """Of the records of the list that draws a frame, and of those that it branches to."""
    registers, memory = dict(job.registers), Memory(len(job.image), 0, job.image)
    for line in walk(memory, registers["CT1CA"], registers["CT1EA"], Threads.RENDERING):
        if isinstance(line, ControlRecord):
            yield line.code


def _frame(seed: int, cells: tuple[SteeredCell, ...]) -> RandomFrame:
    return RandomFrame(seed, wanted=Wanted(wishes(cells)))
