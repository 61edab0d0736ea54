"""Directives that govern a block of lines (QPU facts, 10.4)."""

from collections.abc import Callable, Sequence
from functools import partial

from .errors import Problem
from .expression import evaluate
from .lexer import Cursor, Kind, tokenize
from .runner import Runner
from .scope import Function, Macro
from .source import Line, if_branches
from .statement import parse_operands
from .values import Value, describe, integer

__all__ = ["BLOCKS", "parameter_list"]

_Lines = Sequence[Line]
_Condition = Callable[[Runner, Cursor], bool]


def parameter_list(cursor: Cursor, end: str = "") -> tuple[str, ...]:
    """Names between commas up to `end`, or to the end of the line."""
    names: list[str] = []
    while not (cursor.accept(end) if end else cursor.done()):
        if names:
            cursor.expect(",")
        name = cursor.name("the name of a parameter")
        if name.text in names:
            raise Problem(name.column, f"there is a parameter {name.text} already")
        names.append(name.text)
    return tuple(names)


def _macro(runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    name = cursor.name("the name of a macro").text
    cursor.accept(",")
    runner.macros[name] = Macro(name, parameter_list(cursor), tuple(lines[1:]))


def _func(runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    name = cursor.name("the name of a function")
    cursor.expect("(")
    function = Function(name.text, parameter_list(cursor, ")"), tuple(lines[1:]), inline=False)
    cursor.finish()
    runner.scopes.define(name, function, local=False, final=False)


def _repeat(runner: Runner, cursor: Cursor, lines: _Lines, values: Callable[[], Sequence[Value]]) -> None:
    name = cursor.name("the name of a loop variable")
    cursor.accept(",")
    items = values()
    with runner.scopes.variable(name.text, name.column) as assign:
        for item in items:
            assign(item)
            runner.repeat(lines[1:])


def _rep(runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    def counts() -> Sequence[Value]:
        column = cursor.peek().column
        count = integer(evaluate(cursor, runner), column, "a number of rounds")
        cursor.finish()
        if count < 0:
            raise Problem(column, f"expected a number of rounds, not {count}")
        return range(count)

    _repeat(runner, cursor, lines, counts)


def _foreach(runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    def values() -> Sequence[Value]:
        found = [operand.value for operand in parse_operands(cursor, runner)]
        return found[0] if len(found) == 1 and isinstance(found[0], tuple) else found

    _repeat(runner, cursor, lines, values)


def _holds(runner: Runner, cursor: Cursor) -> bool:
    column = cursor.peek().column
    value = evaluate(cursor, runner)
    cursor.finish()
    if not isinstance(value, (int, float)):
        raise Problem(column, f"expected a condition, not {describe(value)}")
    return bool(value)


def _is_set(runner: Runner, cursor: Cursor) -> bool:
    name = cursor.name("the name of a constant").text
    cursor.finish()
    return runner.scopes.find(name) is not None


def _is_not_set(runner: Runner, cursor: Cursor) -> bool:
    return not _is_set(runner, cursor)


def _if(condition: _Condition, runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    first, *others = if_branches(lines)
    if condition(runner, cursor):
        runner.run(first.body)
        return
    for branch in others:
        with runner.at(branch.head):
            cursor = _behind_directive(branch.head)
            taken = branch.head.directive == "else" or _holds(runner, cursor)
            cursor.finish()
        if taken:
            runner.run(branch.body)
            return


def _behind_directive(line: Line) -> Cursor:
    """The operands of the directive on `line`."""
    cursor = Cursor(tokenize(line.text))
    while not cursor.done() and cursor.next().kind is not Kind.SUFFIX:
        pass
    return cursor


def _local(runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    column = cursor.peek().column
    cursor.finish()
    with runner.scopes.local(column):
        runner.run(lines[1:])


def _back(runner: Runner, cursor: Cursor, lines: _Lines) -> None:
    column = cursor.peek().column
    count = integer(evaluate(cursor, runner), column, "a number of instructions")
    cursor.finish()
    with runner.inserted(count, column):
        runner.run(lines[1:])


#: What executes a block: it gets the cursor after the directive and the lines from that one to before the end.
BLOCKS: dict[str, Callable[[Runner, Cursor, _Lines], None]] = {
    "macro": _macro,
    "func": _func,
    "rep": _rep,
    "foreach": _foreach,
    "if": partial(_if, _holds),
    "ifset": partial(_if, _is_set),
    "ifnset": partial(_if, _is_not_set),
    "local": _local,
    "back": _back,
}
