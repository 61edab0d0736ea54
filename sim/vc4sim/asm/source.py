"""Lines of a source and the blocks that directives make of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import Problem
from .lexer import Kind, Token

__all__ = ["Branch", "Line", "behind", "block_end", "if_branches", "lines_of"]


@dataclass(frozen=True)
class Line:
    """One line of a source file."""

    filename: str
    number: int
    text: str

    @property
    def directive(self) -> str:
        """The name of the directive on this line, after any labels; empty if there is none."""
        match = _DIRECTIVE.match(self.text)
        return _SPELLINGS.get(match.group(1), match.group(1)) if match else ""


_DIRECTIVE = re.compile(r"\s*(?:::?\w++\s*|\w++::?\s*)*+\.(\w+)", re.ASCII)

#: Other spellings of directives inside and at the end of blocks.
_SPELLINGS = {"elif": "elseif", "endback": "endb", "endfunc": "endf", "endrep": "endr"}

#: The directive that ends the block which each of these begins.
_ENDS = {
    "macro": "endm",
    "rep": "endr",
    "foreach": "endfor",
    "if": "endif",
    "ifset": "endif",
    "ifnset": "endif",
    "func": "endf",
    "back": "endb",
    "local": "endloc",
}


def lines_of(text: str, filename: str) -> tuple[Line, ...]:
    """The lines of `text`, numbered from 1."""
    return tuple(Line(filename, number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1))


def block_end(lines: Sequence[Line], start: int, begin: Token) -> int:
    """The index of the line that ends the block which `begin` on line `start` begins; `Problem` if it does not end."""
    open_blocks = [_ENDS[begin.text]]
    for index in range(start + 1, len(lines)):
        name = lines[index].directive
        if name in _ENDS:
            open_blocks.append(_ENDS[name])
        elif name == open_blocks[-1]:
            open_blocks.pop()
            if not open_blocks:
                return index
    raise Problem(begin.column, f"expected .{_ENDS[begin.text]} after .{begin.text}")


def behind(lines: Sequence[Line], index: int) -> int:
    """The index of the line after the line `index`, or after the block that it begins, which may have no end."""
    name = lines[index].directive
    if name not in _ENDS:
        return index + 1
    try:
        return block_end(lines, index, Token(Kind.SUFFIX, name, 1)) + 1
    except Problem:
        return len(lines)


@dataclass(frozen=True)
class Branch:
    """One branch of a conditional block: the line with its condition and the lines that it governs."""

    head: Line
    body: tuple[Line, ...]


def if_branches(lines: Sequence[Line]) -> list[Branch]:
    """The branches of a conditional block; `lines` goes from its first directive to the line before `.endif`."""
    heads, depth = [0], 1
    for index, line in enumerate(lines[1:], 1):
        depth += (line.directive in _ENDS) - (line.directive in _ENDS.values())
        if depth == 1 and line.directive in ("else", "elseif"):
            heads.append(index)
    return [
        Branch(lines[head], tuple(lines[head + 1 : end]))
        for head, end in zip(heads, [*heads[1:], len(lines)], strict=True)
    ]
