"""Numbers of parts, in the words of a command."""

from collections.abc import Iterable

__all__ = ["numbers_of", "ranges_of"]


def ranges_of(numbers: Iterable[int]) -> str:
    """Like 0,5,7-19; of none, none."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in found) or "none"


def numbers_of(text: str) -> frozenset[int]:
    """Those of `ranges_of`. Raises `ValueError`."""
    numbers: set[int] = set()
    for some in text.split(",") if text != "none" else ():
        first, _, last = some.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return frozenset(numbers)
