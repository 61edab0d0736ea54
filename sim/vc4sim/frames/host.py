"""What a host does to draw captured frames on the RTL."""

from vc4.config import V3DConfig, preset

from ..backends.base import Waves
from ..clist import Capture, CaptureJob
from ..model.cle.cle import RENDERING
from ..model.memory import Memory
from ..problem import BadInput
from ..render import Host
from .draw import DrawJob, DrawRun, run_draw
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
        self, job: CaptureJob, *, lockstep: bool = False, waves: Waves | None = None
    ) -> tuple[DrawRun, DrawLockstep | None] | None:
        """Draw a job, perhaps in lockstep with the model; nothing if it only bins.

        Raises `BadInput` if it does not come to its end, and `Difference`.
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
        beside = DrawLockstep(draw) if lockstep else None
        run = run_draw(draw, self._on, follow=beside, waves=waves, read=("CT1CS", "CT1CA"))
        if not run.drawn:
            place = f"the list stands at {run.read['CT1CA']:#010x} after {run.cycles} clocks"
            raise BadInput(f"{self._capture.name}: {job.name} does not come to its end: {place}")
        if beside:
            beside.compare_memory(run)
        self.memory.write(0, run.memory[: self._capture.memory_size], "picture")
        return run, beside
