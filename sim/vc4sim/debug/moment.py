"""What a debugger sees happen, one thing after the other."""

from collections.abc import Callable
from typing import NamedTuple

from ..events import MemoryWrite, Retirement, Start

__all__ = ["Goal", "Moment"]


class Moment(NamedTuple):
    """What lies between one position of a run and the next one.

    event : an instruction that has retired, or a program that begins; `None`: something outside of the QPUs
    writes : what reached memory meanwhile
    kind : of the program that begins, one of `vc4.regs.scheduler.KINDS`
    waits : the QPUs that cannot go on since then, and for what
    """

    event: Start | Retirement | None = None
    writes: tuple[MemoryWrite, ...] = ()
    kind: str = ""
    waits: tuple[tuple[int, str], ...] = ()


#: Whether a run shall stop after a moment: anything but `None`. It may look at the GPU, and must not change it.
Goal = Callable[[Moment], object]
