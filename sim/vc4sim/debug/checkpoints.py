"""The state of the model, kept so that a run can go back to it."""

import zlib
from bisect import bisect_right
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..model.compiled import State
from ..model.machine import Machine

__all__ = ["Checkpoints", "Image"]

_T = TypeVar("_T")
#: What can be found out again: decoded instructions.
_LEFT_OUT = ("instructions",)
#: Positions between two checkpoints at first, and how many there are at the most.
_INTERVAL, _MOST = 256, 64
#: Of zlib: most of the state is 0, so that the fastest one is small, too.
_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Image:
    """All that kernels know of a GPU, but for what can be found out again, and other arrays beside it."""

    machine: bytes
    others: tuple[bytes, ...]

    @classmethod
    def of(cls, machine: State[Machine], *others: np.ndarray) -> "Image":
        """As it is now."""
        data = b"".join(part.tobytes() for part in _parts(machine))
        return cls(zlib.compress(data, _LEVEL), tuple(zlib.compress(one.tobytes(), _LEVEL) for one in others))

    def restore(self, machine: State[Machine], *others: np.ndarray) -> None:
        """As it was: into the same arrays, as compiled code knows where they lie."""
        data, start = np.frombuffer(zlib.decompress(self.machine), np.uint8), 0
        for part in _parts(machine):
            part[:] = data[start : start + len(part)]
            start += len(part)
        for kept, array in zip(self.others, others, strict=True):
            array[...] = np.frombuffer(zlib.decompress(kept), array.dtype).reshape(array.shape)


def _parts(machine: State[Machine]) -> list[np.ndarray]:
    """The bytes of the record that are kept."""
    record = machine.record
    data, fields = record.view(np.uint8), record.dtype.fields
    assert fields
    places = [(place, one.itemsize) for name, (one, place, *_) in fields.items() if name not in _LEFT_OUT]
    return [data[place : place + size] for place, size in places]


class Checkpoints(Generic[_T]):
    """Some positions of a run with what is kept of them, the first one always: the longer the run, the fewer there are."""

    def __init__(self) -> None:
        self._interval = _INTERVAL
        self._positions: list[int] = []
        self._kept: list[_T] = []

    def wants(self, position: int) -> bool:
        """Whether there should be one at a position, which is after all others."""
        return not self._positions or position >= self._positions[-1] + self._interval

    def add(self, position: int, kept: _T) -> None:
        """One more."""
        self._positions.append(position)
        self._kept.append(kept)
        if len(self._positions) > _MOST:
            del self._positions[1::2], self._kept[1::2]
            self._interval *= 2

    def forget(self, after: int) -> None:
        """Those after a position are of another run."""
        end = bisect_right(self._positions, after)
        del self._positions[end:], self._kept[end:]

    def positions(self, before: int) -> list[int]:
        """Those before a position."""
        return [one for one in self._positions if one < before]

    def latest(self, position: int) -> tuple[int, _T] | None:
        """The last one that is not after a position."""
        index = bisect_right(self._positions, position) - 1
        return None if index < 0 else (self._positions[index], self._kept[index])
