"""The RTL as an engine: it bins and draws, and the model does the rest."""

from collections.abc import Mapping

import numpy as np

from vc4.config import V3DConfig, preset

from ..frames.draw import DrawJob, run_draw
from ..frames.draw_lockstep import DrawLockstep
from ..lockstep.difference import Difference
from ..model.cle.cle import Rest
from ..model.memory import Memory
from ..model.v3d import V3D
from ..problem import BadInput
from .device import run_model

__all__ = ["Rtl"]

#: What draws; a driver sees the registers of another configuration, and no difference in memory.
_CONFIG = "gpu"
_QUADS = "FEP_QUADS"


class Rtl:
    """An `Engine`: the lists of a frame run on a simulator of the RTL when its rendering list starts, everything else on the model. The
    model bins before, so that the driver gives what memory that takes: the RTL gets the same.

    A list that does not come to its end leaves the GPU without an interrupt, as a chip would.

    Parameters
    ----------
    config, memory : see `Engine`
    on : the simulator
    lockstep : the model follows; the first difference is a `BadInput`
    """

    def __init__(self, config: V3DConfig, memory: Memory, *, on: str, lockstep: bool = False):
        self._gpu, self._memory, self._on, self._lockstep = V3D(config, memory), memory, on, lockstep
        self.read = self._gpu.read
        self._registers: dict[str, int] = {}
        self._overspill: list[tuple[int, int]] = []
        self._wants = False
        self._instructions = self._quads = 0

    def write(self, where: str, word: int) -> None:
        """See `Engine`."""
        if where in ("CT0CA", "CT0EA", "CT1CA", "CT1EA"):
            self._registers[where] = word
        if where == "CT0EA":
            self._overspill.clear()
        if where == "BPOS" and word:
            self._overspill.append((self.read("BPOA"), word))
        if where == "CT1EA":
            self._wants = True
        else:
            self._gpu.write(where, word)

    def run(self, limit: int) -> None:
        """See `Engine`; a frame is drawn at once, whatever the limit."""
        rest = run_model(self._gpu, limit)
        if self._wants and not self._gpu.interrupt and rest is Rest.STOPPED:
            self._wants = False
            self._draw()

    def _draw(self) -> None:
        """Both lists: the one may wait for the other's end."""
        names = [f"CT{thread}{name}" for name in ("CA", "EA") for thread in (0, 1)]
        registers = tuple((name, self._registers[name]) for name in names if name in self._registers)
        job = DrawJob(
            image=bytes(self._memory.data),
            registers=registers,
            overspill=tuple(self._overspill),
            config=preset(_CONFIG),
            counted=(_QUADS,),
        )
        beside = DrawLockstep(job) if self._lockstep else None
        try:
            run = run_draw(job, self._on, follow=beside)
            if beside:
                beside.compare_memory(run)
        except Difference as difference:
            raise BadInput(f"RTL and model differ: {difference}") from None
        np.frombuffer(self._memory.data, np.uint8)[:] = np.frombuffer(run.memory, np.uint8)[: len(self._memory.data)]
        self._instructions += run.instructions
        self._quads += run.counts[_QUADS]
        if run.drawn:
            self._gpu.cle.drawn_elsewhere(self._registers["CT1EA"])

    @property
    def counts(self) -> Mapping[str, int]:
        """See `Engine`."""
        return {"instructions": self._instructions, "quads": self._quads}
