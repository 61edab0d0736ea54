"""What is debugged: a run of the model that can go on, and back."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator

from ..launch import Launch
from ..model.memory import Memory
from ..model.v3d import V3D
from .changes import Change, Changes
from .moment import Goal

__all__ = ["Target"]


class Target(ABC):
    """A run of the model. A position is the number of moments that have passed: the model does the same again each time, with what
    somebody has changed at positions.

    name : for people
    position : where the run is
    launches : what each thread of a QPU runs, or has run last: the kind of the program and its launch, by QPU and thread
    ending : why nothing comes any more, nothing if something may
    """

    name: str
    position: int
    ending: str
    launches: dict[tuple[int, int], tuple[str, Launch]]

    def __init__(self) -> None:
        self.interrupted = threading.Event()
        self.changes = Changes()

    @property
    @abstractmethod
    def gpu(self) -> V3D:
        """The GPU as it is at the position."""

    @property
    def memory(self) -> Memory:
        """That of the GPU."""
        return self.gpu.memory

    @abstractmethod
    def advance(self, goal: Goal, last: int | None = None) -> object:
        """Go on until `goal` says of a moment that it shall, and return what it says; or up to the position `last`, to the end, or
        until `interrupted` is set, and return `None`.
        """

    @abstractmethod
    def seek(self, position: int) -> None:
        """Go to a position, from 0 to one that there has been."""

    @abstractmethod
    def change(self, change: Change) -> None:
        """Make a change at the position; what has been after it is not any more. Raises `BadInput` where nothing can be changed."""

    @abstractmethod
    def marks(self, before: int) -> list[int]:
        """Positions before one that are quickly reached, in their order; the first one is 0."""

    @abstractmethod
    def wait_of(self, qpu: int) -> str:
        """What a QPU waits for, nothing if it does not."""

    def close(self) -> None:
        """Nobody wants to go on."""
        self.interrupted.set()

    def hits(self, goal: Goal, before: int) -> Iterator[tuple[int, object]]:
        """The positions before one at which `goal` stops a run, the last one first, and what it says.

        The run moves while this is used.
        """
        end = before - 1
        for start in reversed(self.marks(before)):
            self.seek(start)
            found = []
            while self.position < end and (hit := self.advance(goal, end)) is not None:
                found.append((self.position, hit))
            if self.interrupted.is_set():
                return
            yield from reversed(found)
            end = start
