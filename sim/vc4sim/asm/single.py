"""One line without a program around it."""

from .encoder import encode_line
from .errors import Problem
from .lexer import Cursor, tokenize
from .scope import Function, Scopes
from .statement import parse_line
from .values import Label, Value

__all__ = ["word_of"]


class _Nothing:
    """A context without definitions."""

    def __init__(self) -> None:
        self.scopes = Scopes()

    def label(self, name: str, column: int) -> Label:
        """There are no labels."""
        raise Problem(column, f"there is no label {name!r}")

    def apply(self, function: Function, arguments: list[Value], column: int) -> Value:
        """There are no functions."""
        raise Problem(column, f"there is no function {function.name!r}")


def word_of(text: str) -> int | None:
    """The word of one line of instructions that needs no labels and definitions, `None` if it is wrong."""
    try:
        return encode_line(parse_line(Cursor(tokenize(text)), _Nothing()), 0)
    except Problem:
        return None
