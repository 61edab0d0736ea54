"""The array that a region must hold at the end, and how it differs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .array_type import ArrayType
from .compare import MOST_SHOWN, is_close

__all__ = ["ArrayCheck", "ArrayDifference"]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayDifference:
    """How an array differs.

    region : its name
    found, expected : all of it, and what it should be
    wrong : the indices of what differs, a row each, in order
    """

    region: str
    found: np.ndarray
    expected: np.ndarray
    wrong: np.ndarray

    def lines(self) -> Iterator[str]:
        """The difference as text: the first line is all of it in short."""
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.found.astype(np.float64) - self.expected.astype(np.float64))
        count = f"{len(self.wrong)} of {self.expected.size} elements wrong"
        yield f"{self.region}: {count}, the largest difference is {apart[tuple(self.wrong.T)].max():.6g}"
        places = [tuple(index) for index in self.wrong[:MOST_SHOWN].tolist()]
        rows = [(self._index(place), self.expected[place], self.found[place]) for place in places]
        widths = [max(len(str(row[column])) for row in rows) for column in range(3)]
        for place, row in zip(places, rows, strict=True):
            index, expected, found = (f"{text!s:{width}}" for text, width in zip(row, widths, strict=True))
            yield f"  {index}  expected {expected}  got {found}  off by {apart[place]:.6g}{self._ulp(place)}"
        if len(self.wrong) > MOST_SHOWN:
            yield f"  and {len(self.wrong) - MOST_SHOWN} more"

    def _index(self, place: tuple[int, ...]) -> str:
        return f"{self.region}[{', '.join(map(str, place))}]"

    def _ulp(self, place: tuple[int, ...]) -> str:
        """Of floats, how many others lie between both, and one."""
        if self.expected.dtype.kind != "f":
            return ""
        found, expected = (_ordered(values[place]) for values in (self.found, self.expected))
        return f", {abs(found - expected)} ulp"


def _ordered(value: np.floating) -> int:
    """The place of a float among all floats of its type; both zeros have the same."""
    bits = int.from_bytes(value.tobytes(), "little")
    sign = 1 << 8 * value.itemsize - 1
    return sign - bits if bits & sign else bits


@dataclass(frozen=True, slots=True, eq=False)
class ArrayCheck:
    """The array that a region must hold at the end.

    region : its name
    address : of the first byte
    expected : the array
    tolerance : floats with |difference| <= tolerance + tolerance * |expected|, and integers with |difference| <= tolerance, are
        good enough
    """

    region: str
    address: int
    expected: np.ndarray
    tolerance: float = 0.0

    @property
    def size(self) -> int:
        """Bytes that are compared."""
        return self.expected.nbytes

    def difference(self, memory: bytes, base: int) -> ArrayDifference | None:
        """The difference in `memory`, whose first byte lies at `base`; `None` if there is none."""
        start = self.address - base
        found = ArrayType.of(self.expected).array(memory[start : start + self.size])
        relative = self.tolerance if self.expected.dtype.kind == "f" else 0.0
        wrong = np.argwhere(~is_close(found, self.expected, self.tolerance, relative))
        return ArrayDifference(self.region, found, self.expected, wrong) if len(wrong) else None
