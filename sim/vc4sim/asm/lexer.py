"""Lines of assembly language to tokens (QPU facts, 10.1)."""

import re
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from .errors import Problem
from .habits import NUMBER

__all__ = ["Cursor", "Kind", "Token", "tokenize"]


class Kind(Enum):
    """Sort of a token."""

    NAME = auto()
    NUMBER = auto()
    SUFFIX = auto()
    STRING = auto()
    OPERATOR = auto()
    END = auto()


class Token(NamedTuple):
    """A token: its `kind`, its `text` as written and its `column` from 1.

    The text of a suffix does not have the dot, that of a string not the quotes.
    """

    kind: Kind
    text: str
    column: int

    @property
    def end(self) -> int:
        """The column after the token."""
        return self.column + len(self.text) + {Kind.SUFFIX: 1, Kind.STRING: 2}.get(self.kind, 0)

    @property
    def shown(self) -> str:
        """The token in messages."""
        return self.text if self.kind is Kind.END else repr(self.text)


#: Operators of more than one character, and of one.
_LONG = "!^^ !== ><<< >>>< >>> >>< ><< <<< <=> === << >> <= >= == != && || ^^ !^ ** ::"
_SHORT = r"[-+*/%&|^~!<>()\[\],;:]"

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v]+|\#.*)"
    rf"|(?P<NUMBER>{NUMBER})"
    r"|(?P<NAME>[A-Za-z_]\w*)"
    r"|\.(?P<SUFFIX>\w+)"
    r'|"(?P<STRING>[^"]*)"'
    rf"|(?P<OPERATOR>{'|'.join(map(re.escape, sorted(_LONG.split(), key=len, reverse=True)))}|{_SHORT})",
    re.ASCII,
)


@lru_cache(maxsize=1 << 14)
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of one line, comments left out. Raises `Problem` at a character that begins none."""
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Problem(position + 1, f"expected a name, number or operator, not {text[position]!r}")
        if match.lastgroup != "space":
            name = match.lastgroup or ""
            tokens.append(Token(Kind[name], match.group(name), position + 1))
        position = match.end()
    return tuple(tokens)


class Cursor:
    """A position in a sequence of tokens; after the last one comes an `END` token."""

    def __init__(self, tokens: tuple[Token, ...], start: int = 1) -> None:
        """`start` is the column to name if there are no tokens at all."""
        self._tokens = tokens
        self._position = 0
        self._end = Token(Kind.END, "end of the statement", tokens[-1].end if tokens else start)

    def peek(self, ahead: int = 0) -> Token:
        """The token that comes next, or `ahead` tokens later."""
        position = self._position + ahead
        return self._tokens[position] if position < len(self._tokens) else self._end

    def next(self) -> Token:
        """The token that comes next, and move after it."""
        token = self.peek()
        self._position += 1
        return token

    def rest(self) -> tuple[Token, ...]:
        """All tokens that remain, and move after them."""
        tokens = self._tokens[self._position :]
        self._position = len(self._tokens)
        return tokens

    def at(self, operator: str) -> bool:
        """Whether `operator` comes next."""
        token = self.peek()
        return token.kind is Kind.OPERATOR and token.text == operator

    def accept(self, operator: str) -> bool:
        """Move after `operator` if it comes next; whether it did."""
        found = self.at(operator)
        self._position += found
        return found

    def done(self) -> bool:
        """Whether no token remains."""
        return self._position >= len(self._tokens)

    def expect(self, operator: str) -> Token:
        """Move after `operator`; `Problem` if something else comes next."""
        if not self.at(operator):
            raise Problem(self.peek().column, f"expected {operator!r}, not {self.peek().shown}")
        return self.next()

    def name(self, what: str) -> Token:
        """Move after a name; `Problem` that says `what` was expected otherwise."""
        token = self.next()
        if token.kind is not Kind.NAME:
            raise Problem(token.column, f"expected {what}, not {token.shown}")
        return token

    def finish(self) -> None:
        """Raise `Problem` if a token remains."""
        if not self.done():
            raise Problem(self.peek().column, f"expected the end of the statement, not {self.peek().shown}")
