"""Instruction statements: a mnemonic with suffixes, and operands (QPU facts, 10.1)."""

from dataclasses import dataclass, replace

from .errors import Problem
from .expression import Context, evaluate
from .lexer import Cursor, Kind, Token
from .names import REGISTERS
from .values import Register, Value, describe

__all__ = ["Operand", "Statement", "line_segments", "parse_line", "parse_operands", "parse_statement"]


@dataclass(frozen=True, slots=True)
class Operand:
    """An evaluated operand and the column where it begins."""

    value: Value
    column: int

    def register(self) -> Register:
        """The operand as a register; `Problem` if it is none."""
        if not isinstance(self.value, Register):
            raise Problem(self.column, f"expected a register, not {describe(self.value)}")
        return self.value


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an instruction line. The suffixes are tokens."""

    name: str
    column: int
    suffixes: tuple[Token, ...]
    operands: tuple[Operand, ...]

    def require(self, *counts: int) -> None:
        """Raise `Problem` unless the number of operands is one of `counts`."""
        if len(self.operands) not in counts:
            expected = " or ".join(str(count) for count in counts)
            raise Problem(self.column, f"{self.name} needs {expected} operands, not {len(self.operands)}")


def _parse_suffixes(cursor: Cursor) -> tuple[Token, ...]:
    """The suffixes at `cursor`, none or more."""
    suffixes = []
    while cursor.peek().kind is Kind.SUFFIX:
        suffixes.append(cursor.next())
    return tuple(suffixes)


def _operand(cursor: Cursor, context: Context) -> Operand:
    column = cursor.peek().column
    follower = cursor.peek(1)
    if cursor.at("-") and (follower.kind in (Kind.END, Kind.SUFFIX) or follower.text == ","):
        register = REGISTERS[cursor.next().text]
        return Operand(replace(register, suffixes=tuple(token.text for token in _parse_suffixes(cursor))), column)
    return Operand(evaluate(cursor, context), column)


def parse_operands(cursor: Cursor, context: Context) -> tuple[Operand, ...]:
    """The operands up to the end, separated by commas. A lone `-` is the register that is not there."""
    operands: list[Operand] = []
    while not cursor.done():
        if operands:
            cursor.expect(",")
        operands.append(_operand(cursor, context))
    return tuple(operands)


def parse_statement(cursor: Cursor, context: Context) -> Statement:
    """The statement at `cursor`, all of it; `Problem` if there is something wrong in it."""
    name = cursor.name("an operation or a signal")
    suffixes = _parse_suffixes(cursor)
    operands = parse_operands(cursor, context)
    return Statement(name.text, name.column, suffixes, operands)


def line_segments(cursor: Cursor) -> tuple[list[Cursor], bool]:
    """The statements of a line as cursors, and whether two semicolons at its end let the next line join.

    One semicolon at the end means nothing.
    """
    segments = []
    while True:
        segments.append(_segment(cursor))
        if not cursor.accept(";") or cursor.done():
            return segments, False
        if cursor.accept(";"):
            cursor.finish()
            return segments, True


def _segment(cursor: Cursor) -> Cursor:
    """The tokens up to the next semicolon or the end; `cursor` moves there."""
    start = cursor.peek().column
    tokens = []
    while not cursor.done() and not cursor.at(";"):
        tokens.append(cursor.next())
    return Cursor(tuple(tokens), start)


def parse_line(cursor: Cursor, context: Context) -> list[Statement]:
    """The statements of a line; `Problem` if there is something wrong in one."""
    return [parse_statement(segment, context) for segment in line_segments(cursor)[0]]
