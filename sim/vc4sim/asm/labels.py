"""Labels: named ones, and numbers that may be used again (QPU facts, 10.1)."""

import re
from dataclasses import dataclass, field

from vc4.isa.word import WORD_BYTES

from .errors import Problem
from .layout import Layout
from .lexer import Token
from .values import Label

__all__ = ["LabelTable"]


_NUMBERED = re.compile(r"(\d+)([fb]?)", re.ASCII)


@dataclass
class LabelTable:
    """The labels of one pass through a source, as serial numbers of pieces.

    Their addresses come from the pass before, `previous`, and its `layout`; in the first pass there is none, and all
    addresses are guesses.
    """

    previous: "LabelTable | None" = None
    layout: Layout = field(default_factory=Layout)
    named: dict[str, int] = field(default_factory=dict)
    numbered: dict[str, list[int]] = field(default_factory=dict)
    _guesses: int = 0

    def define(self, token: Token, serial: int) -> None:
        """Let the label `token` stand at the piece `serial`; `Problem` if a named one stands elsewhere already."""
        if token.text.isdigit():
            self.numbered.setdefault(token.text, []).append(serial)
        elif token.text in self.named:
            raise Problem(token.column, f"the label {token.text!r} is defined already")
        else:
            self.named[token.text] = serial

    def find(self, name: str, column: int) -> Label:
        """The label `name`. Of a number it is the last one before, or with `f` after it the next one.

        Raises `Problem` if there is none.
        """
        if self.previous is None:
            # Guesses differ from each other, so that a difference of two in a divisor is not 0.
            self._guesses += 1
            return Label(self._guesses * WORD_BYTES)
        match = _NUMBERED.fullmatch(name)
        serial = self._numbered(*match.groups()) if match else self.previous.named.get(name)
        if serial is None:
            raise Problem(column, f"there is no label {name!r}")
        return Label(self.layout.addresses[serial])

    def _numbered(self, number: str, direction: str) -> int | None:
        """The piece at a numbered label of the pass before, counted as far as this pass has come."""
        index = len(self.numbered.get(number, [])) - (direction != "f")
        places = self.previous.numbered.get(number, []) if self.previous else []
        return places[index] if 0 <= index < len(places) else None
