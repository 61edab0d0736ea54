"""What a host does to draw captured frames on the RTL."""

import dataclasses

from vc4.config import V3DConfig, preset

from ..backends.base import Waves
from ..clist import Capture, CaptureJob
from ..model.cle.cle import RENDERING
from ..model.memory import Memory
from ..problem import BadInput
from ..render import Host
from .draw import DrawJob, DrawRun, Progress, run_draw
from .draw_lockstep import DrawLockstep

__all__ = ["DrawHost"]


class DrawHost:
    """Draws a capture: the model bins, the RTL renders.

    Parameters
    ----------
    capture : of which jobs are drawn, in their order
    config : of the GPU, with `pixels`
    on : the simulator, see `run_draw`
    options : of each `DrawJob`

    Attributes
    ----------
    memory : of the capture
    """

    def __init__(self, capture: Capture, config: V3DConfig, on: str = "native", **options):
        self._capture, self._config, self._on, self._options = capture, config, on, options
        self._host = Host(capture, preset("bcm2835"))

    @property
    def memory(self) -> Memory:
        return self._host.memory

    def run(
        self,
        job: CaptureJob,
        *,
        lockstep: bool = False,
        waves: Waves | None = None,
        tile: tuple[int, int] | None = None,
        progress: Progress | None = None,
    ) -> tuple[DrawRun, DrawLockstep | None] | None:
        """Draw a job, perhaps in lockstep with the model; nothing if it only bins.

        tile : only the clocks of this one count for `DrawRun.stages` and are in the waves; the fastest simulator draws
            before, to find them

        Raises `BadInput` if it does not come to its end, or has no such tile, and `Difference`.
        """
        self._host.bin(job)
        if RENDERING not in job.threads:
            return None
        draw = DrawJob(
            image=self.memory.read(0, self._capture.memory_size),
            # The list that is binned already goes as well, up to shaded vertices: the other one may wait for its end.
            registers=job.starts,
            config=self._config,
            **self._options,
        )
        if tile:
            draw = dataclasses.replace(draw, window=self._clocks_of(job, draw, tile))
            if waves:
                waves = Waves(waves.path, *draw.window)
        beside = DrawLockstep(draw) if lockstep else None
        run = self._run(job, draw, self._on, follow=beside, waves=waves, progress=progress)
        if beside:
            beside.compare_memory(run)
        self.memory.write(0, run.memory[: self._capture.memory_size], "picture")
        return run, beside

    def _run(self, job: CaptureJob, draw: DrawJob, on: str, **listeners) -> DrawRun:
        run = run_draw(draw, on, read=("CT1CS", "CT1CA"), **listeners)
        if not run.drawn:
            place = f"the list stands at {run.read['CT1CA']:#010x} after {run.cycles} clocks"
            raise BadInput(f"{self._capture.name}: {job.name} does not come to its end: {place}")
        return run

    def _clocks_of(self, job: CaptureJob, draw: DrawJob, tile: tuple[int, int]) -> tuple[int, int]:
        """When it is drawn; the last time, as a driver may begin with an empty tile."""
        run = self._run(job, draw, "native")
        found = [one for one in run.tiles if (one.x, one.y) == tile]
        if not found:
            raise BadInput(f"{self._capture.name}: {job.name} has no tile {tile[0]},{tile[1]}")
        return found[-1].first, max(found[-1].last, found[-1].first + 1)
