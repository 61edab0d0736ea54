"""One fast, cached decoder of instruction words, made from the layouts of `word`."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from amaranth.lib import data, enum

from .ops import Signal
from .word import AluWord, BranchWord, LoadWord

__all__ = ["Instruction", "decode", "encode", "layout_of"]


class Instruction(SimpleNamespace):
    """A decoded word: `word` itself, `layout`, and each field of the layout as an int or a member of its enum."""

    word: int
    layout: type[data.Struct]
    signal: Signal

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.layout.__name__} has no field {name!r}")


def layout_of(word: int) -> type[data.Struct]:
    """The layout that the signal of `word` selects: `AluWord`, `LoadWord` or `BranchWord`."""
    signal = Signal(word >> 60)
    return {Signal.LOAD_IMMEDIATE: LoadWord, Signal.BRANCH: BranchWord}.get(signal, AluWord)


def _fields(layout: type[data.Struct]) -> list[tuple[str, int, int, dict[int, enum.Enum] | None]]:
    fields = []
    for name, field in data.Layout.cast(layout):
        shape = field.shape
        # A dictionary, as calling an enum of Amaranth is slow.
        members = {member.value: member for member in shape} if isinstance(shape, enum.EnumMeta) else None
        fields.append((name, field.offset, (1 << field.width) - 1, members))
    return fields


_FIELDS = {layout: _fields(layout) for layout in (AluWord, LoadWord, BranchWord)}


@lru_cache(maxsize=1 << 16)
def decode(word: int) -> Instruction:
    """Decode a 64-bit `word`. Every word decodes; the result is shared, so do not change it."""
    layout = layout_of(word)
    instruction = Instruction(word=word, layout=layout)
    for name, offset, mask, members in _FIELDS[layout]:
        value = word >> offset & mask
        setattr(instruction, name, members[value] if members else value)
    return instruction


def encode(layout: type[data.Struct], **fields: Any) -> int:
    """The word of `layout` with `fields`, ints or enum members; what is not named is 0.

    Raises `ValueError` if a value does not fit its field, `TypeError` if there is no such field.
    """
    word = 0
    for name, offset, mask, _ in _FIELDS[layout]:
        value = fields.pop(name, 0)
        value = value.value if isinstance(value, enum.Enum) else value
        if not 0 <= value <= mask:
            raise ValueError(f"{name} must be in 0..{mask}, not {value}")
        word |= value << offset
    if fields:
        raise TypeError(f"{layout.__name__} has no field {', '.join(fields)}")
    return word
