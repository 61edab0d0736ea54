"""The GPU behind the C interface, see ``vc4sim.h``."""

import os
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Protocol

from vc4.config import V3DConfig, preset
from vc4.regs.table import REGISTERS, register

from ..model.cle.cle import Rest
from ..model.memory import Memory
from ..model.v3d import V3D
from ..problem import BadInput
from .progress import Progress
from .recorder import Recorder
from .watcher import Watcher

__all__ = ["ENGINES", "Call", "Device", "Engine", "of_environment", "open_device"]

_CONFIG = "bcm2835"
#: Steps between two looks at the interrupt line.
_STEPS = 256
_FRAME_DONE = next(field.mask for field in register("INTCTL").fields if field.name == "INT_FRDONE")
_BY_OFFSET = {one.offset: one.name for one in REGISTERS}


class Call(IntEnum):
    """What the functions of ``vc4sim.h`` are called by: `Device.call`."""

    CLOSE = 0
    RESET = 1
    WRITE = 2
    READ = 3
    RUN = 4


class Engine(Protocol):
    """A GPU that is as after a reset. `Engine(config, memory)` puts it in front of `memory`, whose bytes are the caller's."""

    def __init__(self, config: V3DConfig, memory: Memory): ...

    def read(self, where: str) -> int:
        """A register."""
        ...

    def write(self, where: str, word: int) -> None:
        """A register."""
        ...

    def run(self, limit: int) -> None:
        """Go on until the interrupt line is up, nothing more can happen, or for `limit` clocks or steps."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """What it has done since the reset, to be shown."""
        ...


def run_model(gpu: V3D, limit: int) -> Rest:
    """Run the model up to an interrupt, which is seen after some steps; why it rests."""
    rest = Rest.LIMIT
    while limit > 0 and not gpu.interrupt and rest is Rest.LIMIT:
        rest = gpu.advance(min(limit, _STEPS))
        limit -= _STEPS
    return rest


class Model:
    """The reference model as an `Engine`."""

    def __init__(self, config: V3DConfig, memory: Memory):
        self._gpu = V3D(config, memory)
        self.read, self.write = self._gpu.read, self._gpu.write

    def run(self, limit: int) -> None:
        """See `Engine`."""
        run_model(self._gpu, limit)

    @property
    def counts(self) -> Mapping[str, int]:
        """See `Engine`."""
        return {"instructions": self._gpu.instructions, "quads": self._gpu.renderer.fragments.quads}


def _rtl(on: str) -> Callable[..., Engine]:
    """The RTL on a simulator, which is imported when it draws something: who wants the model need not wait for that."""

    def make(config: V3DConfig, memory: Memory, *, lockstep: bool = False) -> Engine:
        return import_module(".rtl", __package__).Rtl(config, memory, on=on, lockstep=lockstep)

    return make


#: By the names for ``VC4_ON``; those of the RTL take `lockstep`.
ENGINES: Mapping[str, Callable[..., Engine]] = {"model": Model, "native": _rtl("native")}


class Device:
    """An engine, and who watches it.

    Raises `BadInput` for a register that does not exist.
    """

    def __init__(self, memory: Memory, engine: Callable[..., Engine], watchers: Sequence[Watcher] = ()):
        self._memory, self._engine, self._watchers = memory, engine, watchers
        self.reset()

    def reset(self) -> None:
        """As after power-on; memory stays."""
        self._gpu = self._engine(preset(_CONFIG), self._memory)
        self._is_drawing = False
        for watcher in self._watchers:
            watcher.reset()

    def read(self, offset: int) -> int:
        """A register."""
        return self._gpu.read(_name(offset))

    def write(self, offset: int, word: int) -> None:
        """A register."""
        name = _name(offset)
        for watcher in self._watchers:
            watcher.written(name, word)
        self._is_drawing |= name == "CT1EA"
        self._gpu.write(name, word)

    def run(self, limit: int) -> int:
        """Go on until an interrupt, until nothing more can happen, or for `limit` clocks or steps; returns INTCTL & INTENA."""
        self._gpu.run(limit)
        interrupts = self._gpu.read("INTCTL")
        if self._is_drawing and interrupts & _FRAME_DONE:
            self._is_drawing = False
            for watcher in self._watchers:
                watcher.drawn(self._gpu.counts)
        return interrupts & self._gpu.read("INTENA")

    def close(self) -> None:
        """Nothing more comes."""
        for watcher in self._watchers:
            watcher.close()

    def call(self, what: int, offset: int, value: int) -> int:
        """A function of C, by its number; 0 if it returns nothing."""
        match Call(what):
            case Call.CLOSE:
                self.close()
            case Call.RESET:
                self.reset()
            case Call.WRITE:
                self.write(offset, value)
            case Call.READ:
                return self.read(offset)
            case Call.RUN:
                return self.run(value)
        return 0


def _name(offset: int) -> str:
    if offset not in _BY_OFFSET:
        raise BadInput(f"there is no register at offset {offset:#x}")
    return _BY_OFFSET[offset]


def open_device(
    memory: memoryview,
    on: str = "model",
    record: Path | None = None,
    progress: bool = False,
    lockstep: bool = False,
) -> Device:
    """A GPU in front of somebody else's bytes; the others as the variables of the environment, see `of_environment`.

    Raises `BadInput` if jobs cannot be kept in `record`, or for `lockstep` on the model.
    """
    if lockstep and on == "model":
        raise BadInput("VC4_LOCKSTEP is for VC4_ON=native")
    own = Memory.around(memory)
    watchers: list[Watcher] = []
    if record:
        watchers.append(Recorder(record, own))
    if progress:
        watchers.append(Progress())
    return Device(own, partial(ENGINES[on], lockstep=True) if lockstep else ENGINES[on], watchers)


def of_environment(memory: memoryview) -> Device:
    """The GPU that the environment asks for. Raises `BadInput`."""
    on, record = os.environ.get("VC4_ON", "model"), os.environ.get("VC4_CAPTURE")
    if on not in ENGINES:
        raise BadInput(f"VC4_ON is {on}: what draws frames is {', '.join(ENGINES)}")
    progress, lockstep = (bool(os.environ.get(name)) for name in ("VC4_PROGRESS", "VC4_LOCKSTEP"))
    return open_device(memory, on, Path(record) if record else None, progress, lockstep)
