"""What the sources of tables say of their members."""

import inspect
import re
from collections.abc import Iterator
from functools import cache

from amaranth.hdl import Shape
from amaranth.lib import data, enum

__all__ = ["Field", "docs_of", "fields_of", "member_texts"]

_BEFORE = re.compile(r"\s+#: (.*)")
_MEMBER = re.compile(r"\s+(\w+)(?:: | = )[^#]*?(?:\s+#: (.*))?")
#: A name of the guide in front of a text.
_GUIDE = re.compile(r"([A-Z][A-Z0-9_]+(?: [XY])?)(?:[:;] (.*))?")


@cache
def member_texts(owner: type) -> dict[str, str]:
    """The text of each member of a class that has one: after `#:` in its line, or in the lines in front of it."""
    found, before = {}, []
    for line in inspect.getsource(owner).splitlines():
        if match := _BEFORE.fullmatch(line):
            before.append(match[1])
            continue
        match = _MEMBER.fullmatch(line)
        if match and (text := " ".join([*before, *([match[2]] if match[2] else [])])):
            found[match[1]] = text
        before = []
    return found


def docs_of(owner: type) -> str:
    """The docstring of a class, on one line."""
    return " ".join((inspect.getdoc(owner) or "").split())


class Field:
    """A field of a layout.

    name : with those of the structures around it
    low, width : its place in bits
    guide : its name in the guide, where the text begins with one
    text : what it means
    values : what its values are named, if they are
    """

    def __init__(self, name: str, low: int, shape: object, text: str):
        guide = _GUIDE.fullmatch(text)
        self.name = name
        self.low = low
        self.width = Shape.cast(shape).width
        self.guide, self.text = (guide[1], guide[2] or "") if guide else ("", text)
        self.values = shape if isinstance(shape, enum.EnumMeta) else None

    @property
    def place(self) -> str:
        """Its bits."""
        return f"{self.low + self.width - 1}:{self.low}" if self.width > 1 else f"{self.low}"

    def of(self, word: int) -> int:
        """Its value in a word."""
        return word >> self.low & (1 << self.width) - 1

    def said(self, word: int) -> str:
        """Its value in a word: the name of the value, if it has one."""
        value = self.of(word)
        names = {one.value: one.name for one in self.values} if self.values else {}
        return names.get(value, f"{value:#x}" if value > 9 else f"{value}")


def fields_of(layout: type[data.Struct], prefix: str = "", low: int = 0) -> Iterator[Field]:
    """The fields of a layout from the lowest bit on, and those of the structures in it; what is unused is left out."""
    texts = member_texts(layout)
    for name, place in data.Layout.cast(layout):
        if isinstance(place.shape, type(data.Struct)) and place.shape.__module__ == layout.__module__:
            yield from fields_of(place.shape, f"{prefix}{name}.", low + place.offset)
        elif not name.startswith(("unused", "reserved")):
            yield Field(prefix + name, low + place.offset, place.shape, texts.get(name, ""))
