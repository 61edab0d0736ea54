"""What a host does to draw captured frames on the RTL."""

import dataclasses

from vc4.config import V3DConfig

from ..backends.base import Waves
from ..clist import Capture, CaptureJob
from ..model.memory import Memory
from ..problem import BadInput
from ..render.host import overspill_of
from ..timed import TimedFollower
from .draw import DrawJob, DrawRun, Progress, run_draw
from .draw_lockstep import DrawLockstep

__all__ = ["DrawHost"]

#: BMOOM of PCS.
_OUT_OF_MEMORY = 1 << 8


class DrawHost:
    """Draws a capture.

    Parameters
    ----------
    capture : of which jobs are drawn, in their order
    config : of the GPU, with all blocks
    on : the simulator, see `run_draw`
    options : of each `DrawJob`

    Attributes
    ----------
    memory : of the capture
    """

    def __init__(self, capture: Capture, config: V3DConfig, on: str = "native", **options):
        self._capture, self._config, self._on, self._options = capture, config, on, options
        self.memory = Memory(capture.memory_size)

    def run(
        self,
        job: CaptureJob,
        *,
        lockstep: bool = False,
        waves: Waves | None = None,
        tile: tuple[int, int] | None = None,
        progress: Progress | None = None,
        timed: TimedFollower | None = None,
    ) -> tuple[DrawRun, DrawLockstep | None]:
        """Draw a job, perhaps in lockstep with the model.

        tile : only the clocks of this one count for `DrawRun.stages` and are in the waves; the fastest simulator draws
            before, to find them
        timed : follows the run, too

        Raises `BadInput` if it does not come to its end, or has no such tile, and `Difference`.
        """
        job.load(self.memory)
        draw = DrawJob(
            image=self.memory.read(0, self._capture.memory_size),
            registers=job.starts,
            overspill=overspill_of(job),
            config=self._config,
            **self._options,
        )
        if tile:
            draw = dataclasses.replace(draw, window=self._clocks_of(job, draw, tile))
            if waves:
                waves = Waves(waves.path, *draw.window)
        beside = DrawLockstep(draw) if lockstep else None
        follow = timed.beside(beside) if timed else beside
        draw = timed.of(draw, effects=lockstep) if timed else draw
        run = self._run(job, draw, self._on, follow=follow, waves=waves, progress=progress)
        if beside:
            beside.compare_memory(run)
        self.memory.write(0, run.memory[: self._capture.memory_size], "picture")
        return run, beside

    def _run(self, job: CaptureJob, draw: DrawJob, on: str, **listeners) -> DrawRun:
        run = run_draw(draw, on, read=("CT0CA", "CT1CA", "PCS"), **listeners)
        if not run.drawn:
            if run.read["PCS"] & _OUT_OF_MEMORY:
                raise BadInput(f"{self._capture.name}: {job.name} asks for more memory than the case has")
            place = " and ".join(f"{run.read[f'CT{thread}CA']:#010x}" for thread in job.threads)
            place = f"its lists are at {place} after {run.cycles} clocks"
            raise BadInput(f"{self._capture.name}: {job.name} does not come to its end: {place}")
        return run

    def _clocks_of(self, job: CaptureJob, draw: DrawJob, tile: tuple[int, int]) -> tuple[int, int]:
        """When it is drawn; the last time, as a driver may begin with an empty tile."""
        run = self._run(job, draw, "native")
        found = [one for one in run.tiles if (one.x, one.y) == tile]
        if not found:
            raise BadInput(f"{self._capture.name}: {job.name} has no tile {tile[0]},{tile[1]}")
        return found[-1].first, max(found[-1].last, found[-1].first + 1)
