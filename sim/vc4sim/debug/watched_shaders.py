"""Programs that the 3D pipeline starts, one instruction after the other."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from vc4.regs.scheduler import KINDS

from ..events import Start
from ..launch import Launch
from ..model.compiled import Buffers, State
from ..model.machine import Machine, Parts
from ..model.memory import MemoryState
from ..model.qps.shaders import CHUNK, ENDED, QPU, RUN_PROGRAM, RUNS, Shaders
from ..model.qpu.qpu import Qpu, retirement, why
from ..model.qpu.status import FAULT_STREAM, RETIRED, UNKNOWN
from .moment import Moment

__all__ = ["ShaderRun", "Watcher", "WatchedShaders"]


class ShaderRun:
    """A program that runs, or those of a queue of fragments, one after the other.

    about : all that it changes beside the machine, see `Shaders.run`
    rewound : somebody has set both back, and the run goes on from there
    """

    def __init__(self, about: np.ndarray):
        self.about = about
        self.rewound = False


class Watcher(Protocol):
    """Who looks at every instruction."""

    def skips(self) -> bool:
        """Whether the run that is about to begin is of no interest."""
        ...

    def begin(self, run: ShaderRun) -> None:
        """One begins that is."""
        ...

    def tell(self, moment: Moment) -> None:
        """What it does."""
        ...

    def end(self) -> None:
        """It is over."""
        ...


class WatchedShaders(Shaders):
    """Runs them as `Shaders` does, and tells a watcher of each instruction."""

    def __init__(self, parts: Parts, qpus: list[Qpu], watcher: Watcher):
        super().__init__(parts, qpus)
        self._watcher = watcher

    def run(
        self,
        kind: int,
        launch: Launch,
        units: int,
        limit: int,
        *,
        go_on: Callable[..., int] = RUN_PROGRAM,
        more: Sequence[int] = (),
    ) -> None:
        """See `Shaders`."""
        if self._watcher.skips():
            super().run(kind, launch, units, limit, go_on=go_on, more=more)
            return
        begun: list[ShaderRun] = []

        def step(machine: State[Machine], memory: Buffers[MemoryState], about: Buffers[np.ndarray]) -> int:
            if not begun:
                begun.append(ShaderRun(about.arrays))
                self._watcher.begin(begun[0])
            about.arrays[CHUNK] = about.arrays[RUNS]  # only begin, or one instruction
            status = go_on(machine, memory, about)
            if status == UNKNOWN:
                return status
            self._watcher.tell(_moment(machine.arrays, about.arrays, status, KINDS[kind], launch))
            if begun[0].rewound:
                begun[0].rewound = False
                return RETIRED
            return status

        try:
            super().run(kind, launch, units, limit, go_on=step, more=more)
        finally:
            self._watcher.end()


def _moment(machine: Machine, about: np.ndarray, status: int, kind: str, launch: Launch) -> Moment:
    """What a step was."""
    qpu = int(about[QPU])
    if not about[CHUNK]:
        return Moment(Start(qpu, launch), kind=kind)
    if status in (RETIRED, ENDED):
        return Moment(retirement(machine))
    text = str(why(machine, qpu, status)) if status <= FAULT_STREAM else "the program does not end"
    return Moment(waits=((qpu, text),))
