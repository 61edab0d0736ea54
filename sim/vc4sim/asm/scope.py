"""Names that a source defines: constants, functions and macros, global or local (QPU facts, 10.4)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .errors import Problem
from .lexer import Token
from .source import Line
from .values import Value

__all__ = ["MAX_DEPTH", "Function", "Macro", "Scopes"]

#: How deep blocks, calls, macros, included files and parentheses may lie in each other.
MAX_DEPTH = 96


@dataclass(frozen=True)
class Function:
    """A function: its parameters and its body, the tokens of one expression or the lines of a block."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Token, ...] | tuple[Line, ...]
    inline: bool


@dataclass(frozen=True)
class Macro:
    """A macro: its parameters and the lines between `.macro` and `.endm`."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Line, ...]


class Scopes:
    """The visible definitions: a stack of local scopes above the global one, innermost looked up first."""

    def __init__(self) -> None:
        self._stack: list[dict[str, Value | Function]] = [{}]
        self._final: list[set[str]] = [set()]
        self._depth = 0

    @contextmanager
    def nested(self, column: int) -> Iterator[None]:
        """Count one level of nesting while the context lasts; `Problem` beyond `MAX_DEPTH`."""
        if self._depth >= MAX_DEPTH:
            raise Problem(column, f"expected at most {MAX_DEPTH} levels of nesting", fatal=True)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextmanager
    def local(self, column: int, names: dict[str, Value] | None = None) -> Iterator[None]:
        """A new innermost scope that holds `names` while the context lasts."""
        with self.nested(column):
            self._stack.append({**(names or {})})
            self._final.append(set())
            try:
                yield
            finally:
                self._stack.pop()
                self._final.pop()

    def find(self, name: str) -> Value | Function | None:
        """The innermost definition of `name`, `None` if there is none."""
        return next((scope[name] for scope in reversed(self._stack) if name in scope), None)

    def define(self, name: Token, value: Value | Function, *, local: bool, final: bool) -> None:
        """Give `name` a value in the innermost scope (`local`) or the global one; `Problem` if that one is `final`."""
        level = -1 if local else 0
        if name.text in self._final[level]:
            raise Problem(name.column, f"{name.text!r} is a constant and has a value already")
        self._stack[level][name.text] = value
        if final:
            self._final[level].add(name.text)

    def forget(self, name: str, *, local: bool) -> None:
        """Remove the innermost definition of `name`, if any; if `local`, only one in the innermost scope."""
        levels = range(len(self._stack) - 1, len(self._stack) - 2 if local else -1, -1)
        for level in levels:
            if name in self._stack[level]:
                del self._stack[level][name]
                self._final[level].discard(name)
                return

    @contextmanager
    def variable(self, name: str, column: int) -> Iterator[Callable[[Value], None]]:
        """A setter for the loop variable `name` of the innermost scope; what it meant before returns afterwards."""
        scope = self._stack[-1]
        before = scope.get(name)
        with self.nested(column):
            try:
                yield lambda value: scope.__setitem__(name, value)
            finally:
                scope.pop(name, None)
                if before is not None:
                    scope[name] = before
