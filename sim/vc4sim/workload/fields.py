"""JSON with its types checked: whatever is wrong is said in one line that names the field."""

import json
import reprlib
from collections.abc import Iterator
from typing import Any, Self

from ..problem import BadInput

__all__ = ["Fields"]

_LARGEST_SIZE = 2.0**128


class Fields:
    """An object of a JSON file; `place` is the name of the file and of the object in it.

    Every method takes the name of a field and raises `BadInput` if it is missing or not what it should be.
    """

    def __init__(self, value: Any, place: str):
        if not isinstance(value, dict):
            raise BadInput(f"{place} must be an object, not {reprlib.repr(value)}")
        self._value = value
        self._place = place

    @classmethod
    def parse(cls, text: str, place: str) -> "Fields":
        """The object that is the whole of `text`."""
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise BadInput(f"{place}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{place}: not JSON that can be read: {error}") from None
        return cls(value, place)

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def _get(self, name: str) -> Any:
        if name not in self._value:
            raise BadInput(f"{self._place}: there is no {name}")
        return self._value[name]

    def _wrong(self, name: str, wanted: str) -> BadInput:
        return BadInput(f"{self._place}: {name} must be {wanted}, not {reprlib.repr(self._value[name])}")

    def integer(self, name: str, low: int, high: int, step: int = 1) -> int:
        """An integer from `low` to `high`, a multiple of `step`."""
        value = self._get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high or value % step:
            multiple = f", a multiple of {step}" if step > 1 else ""
            raise self._wrong(name, f"an integer from {low} to {high}{multiple}")
        return value

    def size(self, name: str) -> float:
        """A number that is not negative, and not larger than a float of 32 bits can be."""
        value = self._get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LARGEST_SIZE:
            raise self._wrong(name, "a number that is not negative")
        return float(value)

    def text(self, name: str) -> str:
        """A line of text."""
        value = self._get(name)
        if not isinstance(value, str) or not value.isprintable():
            raise self._wrong(name, "a line of text")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of lines of text."""
        value = self._get(name)
        if not isinstance(value, list) or not all(isinstance(item, str) and item.isprintable() for item in value):
            raise self._wrong(name, "a list of lines of text")
        return value

    def object(self, name: str) -> Self:
        """An object."""
        return type(self)(self._get(name), f"{self._place}: {name}")

    def objects(self, name: str, *, some: bool = True) -> Iterator[Self]:
        """The objects of a list that is not empty, or may be empty if there need not be `some`."""
        value = self._get(name)
        if not isinstance(value, list) or (some and not value):
            raise self._wrong(name, "a list of objects")
        for index, item in enumerate(value):
            yield type(self)(item, f"{self._place}: {name}[{index}]")
