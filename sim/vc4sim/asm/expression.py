"""Evaluation of expressions while they are parsed (QPU facts, 10.5)."""

from dataclasses import fields, replace
from typing import Protocol

from . import operators
from .errors import Problem
from .lexer import Cursor, Kind, Token
from .names import REGISTERS
from .scope import Function, Scopes
from .values import Label, RawRegister, Register, Value

__all__ = ["Context", "evaluate", "number"]

#: No literal is longer; longer ones would only cost time.
_LONGEST_NUMBER = 80
_RAW_FIELDS = len(fields(RawRegister))


class Context(Protocol):
    """What an expression needs to know of the program around it."""

    scopes: Scopes

    def label(self, name: str, column: int) -> Label:
        """The label `name`, which may end in `f` or `b` if it is a number; `Problem` if there is none."""
        ...

    def apply(self, function: Function, arguments: list[Value], column: int) -> Value:
        """The value of a function that the source defines."""
        ...


def number(token: Token) -> int | float:
    """The value of a number token; `Problem` if its digits are wrong."""
    text = token.text
    if len(text) > _LONGEST_NUMBER or "_" in text:
        raise Problem(token.column, f"expected a number of at most {_LONGEST_NUMBER} digits")
    try:
        if "." in text:
            return _finite(float(text.rstrip("eE")), token)
        if len(text) > 1 and text[0] == "0" and text.isdigit():
            return int(text, 8)
        return int(text, 0)
    except ValueError:
        raise Problem(token.column, f"expected a number, not {text!r}") from None


def _finite(value: float, token: Token) -> float:
    if value == float("inf"):
        raise Problem(token.column, f"{token.text} is too large")
    return value


def evaluate(cursor: Cursor, context: Context) -> Value:
    """The value of the expression at `cursor`, which moves after it; `Problem` if there is none."""
    with context.scopes.nested(cursor.peek().column):
        return _Evaluation(cursor, context).run()


class _Evaluation:
    """One expression between parentheses, commas or ends: operands and operators that wait for their right side."""

    def __init__(self, cursor: Cursor, context: Context) -> None:
        self._cursor = cursor
        self._context = context
        self._operands: list[Value] = []
        self._operators: list[Token] = []

    def run(self) -> Value:
        """The value."""
        self._operands.append(self._operand())
        while self._cursor.peek().kind is Kind.OPERATOR and self._cursor.peek().text in operators.PRECEDENCE:
            token = self._cursor.next()
            self._reduce(operators.PRECEDENCE[token.text])
            self._operators.append(token)
            self._operands.append(self._operand())
        self._reduce(0)
        return self._operands[0]

    def _reduce(self, strength: int) -> None:
        """Apply the waiting operators that bind at least as strongly."""
        while self._operators and operators.PRECEDENCE[self._operators[-1].text] >= strength:
            token = self._operators.pop()
            right = self._operands.pop()
            left = self._operands.pop()
            self._operands.append(operators.binary(token.text, left, right, token.column))

    def _operand(self) -> Value:
        """A value with the signs in front of it and the suffixes after it."""
        signs = []
        while self._cursor.peek().kind is Kind.OPERATOR and self._cursor.peek().text in operators.UNARY:
            signs.append(self._cursor.next())
        value = self._suffixed(self._primary())
        for sign in reversed(signs):
            value = operators.unary(sign.text, value, sign.column)
        return value

    def _suffixed(self, value: Value) -> Value:
        while self._cursor.peek().kind is Kind.SUFFIX:
            token = self._cursor.next()
            if not isinstance(value, Register):
                raise Problem(token.column, f"only a register can have a suffix like .{token.text}")
            value = replace(value, suffixes=(*value.suffixes, token.text))
        return value

    def _primary(self) -> Value:
        token = self._cursor.next()
        if token.kind is Kind.NUMBER:
            return number(token)
        if token.kind is Kind.NAME:
            return self._named(token)
        if token.kind is Kind.OPERATOR and token.text in _BRACKETED:
            return _BRACKETED[token.text](self, token)
        raise Problem(token.column, f"expected a value, not {token.shown}")

    def _named(self, token: Token) -> Value:
        if token.text == "r" and self._cursor.accept(":"):
            return self._label(token)
        found = self._context.scopes.find(token.text)
        if isinstance(found, Function):
            return self._context.apply(found, self._arguments(), token.column)
        if found is not None:
            return found
        if token.text in operators.FUNCTIONS and self._cursor.accept("("):
            return operators.call(token.text, self._parenthesis(token), token.column)
        if token.text in REGISTERS:
            return REGISTERS[token.text]
        raise Problem(token.column, f"expected a register or a defined name, not {token.shown}")

    def _label(self, _: Token) -> Label | RawRegister:
        token = self._cursor.next()
        if token.kind is Kind.OPERATOR and token.text == "[":
            return self._raw_register(token)
        if token.kind not in (Kind.NAME, Kind.NUMBER):
            raise Problem(token.column, f"expected the name of a label, not {token.shown}")
        return self._context.label(token.text, token.column)

    def _raw_register(self, token: Token) -> RawRegister:
        numbers = self._elements(token)
        if len(numbers) > _RAW_FIELDS:
            raise Problem(token.column, f"expected at most {_RAW_FIELDS} numbers of a register, not {len(numbers)}")
        return RawRegister.of(*numbers)

    def _parenthesis(self, _: Token) -> Value:
        value = evaluate(self._cursor, self._context)
        self._cursor.expect(")")
        return value

    def _arguments(self) -> list[Value]:
        self._cursor.expect("(")
        return self._list(")")

    def _list(self, end: str) -> list[Value]:
        """Values between commas up to `end`."""
        values: list[Value] = []
        while not self._cursor.accept(end):
            if values:
                self._cursor.expect(",")
            values.append(evaluate(self._cursor, self._context))
        return values

    def _elements(self, token: Token) -> tuple[int, ...]:
        values = self._list("]")
        if not all(isinstance(value, int) for value in values):
            raise Problem(token.column, "expected a list of integers")
        return tuple(value for value in values if isinstance(value, int))


_BRACKETED = {"(": _Evaluation._parenthesis, "[": _Evaluation._elements, ":": _Evaluation._label}
