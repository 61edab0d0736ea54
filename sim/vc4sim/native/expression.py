"""C++ expressions that know which variables they read."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..cxxrtl.cuts import WORD
from ..cxxrtl.rtlil import Chunk, Spec, sliced

__all__ = [
    "OPERATION",
    "PUBLIC",
    "READ_NOW",
    "VARIABLE",
    "ZERO",
    "Expression",
    "Names",
    "join",
    "mask",
    "number",
    "parts_of",
    "renamed",
    "spread",
    "word",
    "words",
]

#: In front of the names that somebody gave.
PUBLIC = "\\"
#: An operation in a text.
OPERATION = re.compile(r"[a-z]+\(|>>|<<|[&|^~+*]")
#: What reads a memory at once, not with the clock.
READ_NOW = "load("
#: What may be a variable in a text.
VARIABLE = re.compile(r"\w+")
#: The variable of a wire.
Names = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Expression:
    """A word in every lane; the bits above its width are 0."""

    text: str
    reads: frozenset[str] = frozenset()


def join(template: str, *operands: Expression) -> Expression:
    """The expression that `template` makes of the texts of others."""
    return Expression(
        template.format(*(one.text for one in operands)), frozenset().union(*(one.reads for one in operands))
    )


def renamed(value: Expression, names: Mapping[str, str]) -> Expression:
    """The same of the variables that `names` has for those that are read."""
    if value.reads.isdisjoint(names):
        return value
    text = VARIABLE.sub(lambda found: names.get(found[0], found[0]), value.text)
    return Expression(text, frozenset(names.get(read, read) for read in value.reads))


def number(value: int) -> Expression:
    """A constant."""
    return Expression(f"k({value:#x}u)")


ZERO = number(0)


def mask(width: int) -> int:
    """A word with its low `width` bits set."""
    return (1 << width) - 1


def word(spec: Spec, names: Names, widths: Callable[[str], int]) -> Expression:
    """A signal of up to 32 bits; unknown bits are 0."""
    found, at = [], 0
    for chunk, same in groupby(spec):
        times = len(list(same))
        if chunk.wire or "1" in chunk.bits:
            value = _chunk(chunk, names, widths)
            if times > 1:
                # Copies side by side: fewer operations than a shift for each.
                ones = sum(1 << time * chunk.width for time in range(times))
                value = join(f"({{}} * {ones:#x}u)", value)
            found.append(join(f"({{}} << {at})", value) if at else value)
        at += times * chunk.width
    if not found:
        return ZERO
    return found[0] if len(found) == 1 else join(f"({' | '.join(['{}'] * len(found))})", *found)


def words(spec: Spec, names: Names, widths: Callable[[str], int]) -> list[Expression]:
    """A signal in words, the lowest first."""
    return [word(part, names, widths) for part in parts_of(spec)]


def parts_of(spec: Spec) -> list[Spec]:
    """A signal in parts of a word, the lowest first; the last one may be narrower."""
    width = sum(chunk.width for chunk in spec)
    return [sliced(spec, low, min(WORD, width - low)) for low in range(0, width, WORD)]


def _chunk(chunk: Chunk, names: Names, widths: Callable[[str], int]) -> Expression:
    if not chunk.wire:
        return number(int(chunk.bits[::-1].translate({ord("x"): "0", ord("z"): "0"}), 2))
    name = names(chunk.wire)
    text = f"({name} >> {chunk.low})" if chunk.low else name
    if chunk.high != widths(chunk.wire):
        text = f"({text} & {mask(chunk.width):#x}u)"
    return Expression(text, frozenset([name]))


def spread(values: Sequence[Expression], spec: Spec) -> list[tuple[Chunk, Expression]]:
    """What each chunk of `spec` gets of a value, which is given in words."""
    found, at = [], 0
    for chunk in spec:
        first, shift = divmod(at, WORD)
        value = values[first]
        if shift:
            value = join(f"({{}} >> {shift})", value)
        if shift + chunk.width > WORD:
            value = join(f"({{}} | ({{}} << {WORD - shift}))", value, values[first + 1])
        if len(spec) > 1 and chunk.width < WORD:
            value = join(f"({{}} & {mask(chunk.width):#x}u)", value)
        found.append((chunk, value))
        at += chunk.width
    return found
