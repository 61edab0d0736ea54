"""What somebody changes in a run: a part of its history from then on."""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from vc4.isa.registers import ELEMENTS

from ..model.v3d import V3D
from .state import set_elements

__all__ = ["Change", "ChangeMemory", "ChangeRegister", "Changes"]


class Change(ABC):
    """New values, which can be put in their place again whenever the run comes by."""

    @abstractmethod
    def apply(self, gpu: V3D) -> None:
        """Put them there. Nobody who watches the GPU is told."""

    @abstractmethod
    def __str__(self) -> str:
        """What has changed, for people."""


@dataclass(frozen=True, slots=True)
class ChangeRegister(Change):
    """Elements of a register or flag of a QPU get words; `name` is one of `state.vector`, but not r4.

    first : the first element
    words : of this one and those after it
    """

    qpu: int
    name: str
    first: int
    words: tuple[int, ...]

    def apply(self, gpu: V3D) -> None:
        """See `Change`."""
        set_elements(gpu, self.qpu, self.name, self.first, self.words)

    def __str__(self) -> str:
        return f"{self.name} of QPU {self.qpu}" + (f"[{self.first}]" if len(self.words) < ELEMENTS else "")


@dataclass(frozen=True, slots=True)
class ChangeMemory(Change):
    """Bytes from an address on, all within memory."""

    address: int
    data: bytes

    def apply(self, gpu: V3D) -> None:
        """See `Change`."""
        memory = gpu.memory
        start = self.address - memory.base
        memory.data[start : start + len(self.data)] = self.data

    def __str__(self) -> str:
        return f"{len(self.data)} bytes at {self.address:#010x}"


class Changes:
    """Changes at positions of a run, in the order in which they were made: after the moment that leads to the position."""

    def __init__(self) -> None:
        self._positions: list[int] = []
        self._changes: list[Change] = []

    def add(self, position: int, change: Change) -> None:
        """One more. From here on the run is another one, so that changes at later positions are no part of it any more."""
        end = bisect_right(self._positions, position)
        self._positions[end:], self._changes[end:] = [position], [change]

    def at(self, position: int) -> Sequence[Change]:
        """Those at a position."""
        start, end = bisect_left(self._positions, position), bisect_right(self._positions, position)
        return self._changes[start:end]

    @property
    def first(self) -> int | None:
        """The position of the first one."""
        return self._positions[0] if self._positions else None
