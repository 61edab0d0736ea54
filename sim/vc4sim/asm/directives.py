"""Directives of one line (QPU facts, 10.4)."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from .blocks import BLOCKS, parameter_list
from .data import DATA_DIRECTIVES
from .errors import Problem
from .expression import evaluate
from .lexer import Cursor
from .runner import Runner
from .scope import Function
from .source import Line, block_end, lines_of
from .statement import Operand, parse_operands
from .values import Label, Register, describe, integer

__all__ = ["execute"]

_LARGEST_ALIGNMENT = 1 << 16
_LARGEST_INCLUDE = 1 << 20


def execute(runner: Runner, cursor: Cursor, lines: Sequence[Line], index: int) -> int:
    """Execute the directive at `cursor` on the line `index`; returns the index of the line after it or its block.

    Raises `Problem` if there is no such directive, or it does not belong here.
    """
    token = cursor.next()
    if token.text in BLOCKS:
        end = block_end(lines, index, token)
        BLOCKS[token.text](runner, cursor, lines[index:end])
        return end + 1
    if token.text in DATA_DIRECTIVES:
        runner.emit(DATA_DIRECTIVES[token.text](runner, cursor))
        return index + 1
    if token.text not in _DIRECTIVES:
        raise Problem(token.column, f"expected a directive, not .{token.text}, or it has no beginning")
    _DIRECTIVES[token.text](runner, cursor)
    cursor.finish()
    return index + 1


def _define(runner: Runner, cursor: Cursor, *, local: bool, final: bool) -> None:
    name = cursor.name("the name of a constant")
    if not cursor.accept("("):
        cursor.accept(",")
        runner.scopes.define(name, evaluate(cursor, runner), local=local, final=final)
        return
    parameters = parameter_list(cursor, ")")
    cursor.accept(",")
    body = cursor.rest()
    if not body:
        raise Problem(cursor.peek().column, f"expected the expression of {name.text}")
    runner.scopes.define(name, Function(name.text, parameters, body, inline=True), local=local, final=final)


def _unset(runner: Runner, cursor: Cursor, *, local: bool) -> None:
    runner.scopes.forget(cursor.name("the name of a constant").text, local=local)


def _align(runner: Runner, cursor: Cursor) -> None:
    column = cursor.peek().column
    operands = parse_operands(cursor, runner)
    if not 1 <= len(operands) <= 2:
        raise Problem(column, "expected the alignment in bytes, and perhaps what is left over")
    align, base = (integer(operand.value, operand.column, "an integer") for operand in (*operands, Operand(0, 1))[:2])
    if align not in (1 << power for power in range(_LARGEST_ALIGNMENT.bit_length())):
        raise Problem(column, f"expected a power of two up to {_LARGEST_ALIGNMENT}, not {align}")
    runner.emit(align=align, base=base % align, fill=True)


def _assert(runner: Runner, cursor: Cursor) -> None:
    column = cursor.peek().column
    value = evaluate(cursor, runner)
    if not isinstance(value, (int, float)):
        raise Problem(column, f"expected a condition, not {describe(value)}")
    if not value and not runner.measuring:
        raise Problem(column, "the assertion does not hold")


def _clone(runner: Runner, cursor: Cursor) -> None:
    column = cursor.peek().column
    operands = parse_operands(cursor, runner)
    if len(operands) != 2 or not isinstance(operands[0].value, Label):
        raise Problem(column, "expected a label and a number of instructions")
    count = integer(operands[1].value, operands[1].column, "a number of instructions")
    code = b"" if runner.layout is None else runner.layout.code
    start, end = operands[0].value.address, operands[0].value.address + count * WORD_BYTES
    if count not in range(_LARGEST_ALIGNMENT) or start < 0 or (not runner.measuring and end > len(code)):
        raise Problem(operands[1].column, f"there are no {count} instructions after this label")
    runner.clone(code[start:end].ljust(count * WORD_BYTES, b"\0"))


def _include(runner: Runner, cursor: Cursor) -> None:
    column = cursor.peek().column
    match = _INCLUDED.match(runner.line.text, column - 1)
    if match is None:
        raise Problem(column, 'expected the name of a file, "name" or <name>')
    cursor.rest()
    quoted, bracketed = match.groups()
    beside = Path(runner.line.filename).parent
    folders = (beside, *runner.folders) if quoted else (*runner.folders, beside)
    path = _found([folder / (quoted or bracketed) for folder in folders], column)
    with runner.scopes.local(column):
        runner.run(lines_of(_read(path, column), str(path)))


_INCLUDED = re.compile(r'"([^"]+)"\s*(?:#.*)?$|<([^>]+)>\s*(?:#.*)?$')


def _found(paths: Sequence[Path], column: int) -> Path:
    """The first of `paths` where there is a file."""
    try:
        found = next((path for path in paths if path.is_file()), None)
    except ValueError as error:
        raise Problem(column, f"{paths[0]} cannot be read: {error}") from None
    if found is None:
        more = f" nor in {', '.join(str(path.parent) for path in paths[1:])}" if len(paths) > 1 else ""
        raise Problem(column, f"there is no file {paths[0]}{more}", fatal=True)
    return found


def _read(path: Path, column: int) -> str:
    try:
        if path.stat().st_size > _LARGEST_INCLUDE:
            raise Problem(column, f"{path} is larger than {_LARGEST_INCLUDE} bytes")
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise Problem(column, f"{path} cannot be read: {error}") from None


def _global(runner: Runner, cursor: Cursor) -> None:
    """A name for other programs. There is no linker: the label has to exist, and its value to make sense."""
    cursor.accept(":")
    name = cursor.name("a label")
    if cursor.accept(","):
        value = evaluate(cursor, runner)
        if isinstance(value, Register):
            raise Problem(name.column, f"expected a number or label, not {describe(value)}")
    else:
        runner.label(name.text, name.column)


def _section(runner: Runner, cursor: Cursor) -> None:
    """A section. There is one only, so this says nothing."""


_Directive = Callable[[Runner, Cursor], None]

_DIRECTIVES: dict[str, _Directive] = {
    **dict.fromkeys(("set", "equ", "define"), partial(_define, local=False, final=False)),
    "const": partial(_define, local=False, final=True),
    "lset": partial(_define, local=True, final=False),
    "lconst": partial(_define, local=True, final=True),
    **dict.fromkeys(("unset", "undef"), partial(_unset, local=False)),
    "lunset": partial(_unset, local=True),
    "align": _align,
    "assert": _assert,
    "clone": _clone,
    "include": _include,
    "global": _global,
    **dict.fromkeys(("code", "text", "rodata", "data"), _section),
}
