"""One pass through a source: executes its lines and collects the pieces of the program."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from .encoder import encode_line
from .errors import AsmError, Problem
from .expression import evaluate
from .labels import LabelTable
from .layout import MAX_BYTES, Layout, Piece
from .lexer import Cursor, Kind, Token, tokenize
from .scope import Function, Macro, Scopes
from .source import Line, behind
from .statement import Statement, line_segments, parse_operands, parse_statement
from .values import Label, Value

__all__ = ["Runner"]

#: Lines and calls that one pass may execute; more is taken as a program without end.
_MAX_STEPS = 1 << 17


#: Executes the directive at a cursor, which stands on the line of this index; returns the index of the next line.
Execute = Callable[["Runner", Cursor, Sequence[Line], int], int]


@dataclass
class _Pending:
    """An instruction that later lines may still join: its statements, its first line and the last one joined.

    It is `broken` if something is wrong with a line of it.
    """

    first: Line
    last: Line
    statements: list[Statement] = field(default_factory=list)
    open: bool = False
    broken: bool = False


class Runner:
    """One pass through a source.

    The first pass (`layout` is `None`) only measures; the others take the addresses of labels and instructions from the
    pass before, so that the last but one and the last agree. `folders` are where included files may lie.
    """

    def __init__(
        self, execute: Execute, labels: LabelTable, layout: Layout | None, folders: Sequence[Path] = ()
    ) -> None:
        self.scopes = Scopes()
        self.macros: dict[str, Macro] = {}
        self.labels = labels
        self.layout = layout
        self.folders = tuple(folders)
        self.pieces: list[Piece] = []
        self.clones: list[bytes] = []
        self.line = Line("", 1, "")
        self.errors: dict[str, AsmError] = {}
        self._execute_directive = execute
        self._pending: _Pending | None = None
        self._results: list[Value | None] = []
        self._serial = 0
        self._steps = 0
        self._size = 0

    @property
    def measuring(self) -> bool:
        """Whether this is the first pass, in which labels have no addresses yet."""
        return self.layout is None

    def run(self, lines: Sequence[Line]) -> None:
        """Execute `lines`. What is wrong is kept in `errors`, each once; `AsmError` if it is fatal."""
        with self.scopes.nested(1):
            index = 0
            while index < len(lines):
                try:
                    with self.at(lines[index]):
                        index = self._execute(lines, index)
                except AsmError as error:
                    self._keep(error)
                    index = behind(lines, index)

    def finish(self) -> list[Piece]:
        """End the pass: the last instruction is complete. Returns all pieces."""
        self._flush()
        return self.pieces

    def emit(self, data: bytes = b"", *, align: int = 1, base: int = 0, fill: bool = False) -> int:
        """Add a piece after the others, its fields as in `Piece`; returns its serial number."""
        self._flush()
        return self._add(Piece(self._serial, data, align, base, fill))

    def clone(self, code: bytes) -> None:
        """Add copies of instructions."""
        self.clones.append(b"" if self.measuring else code)
        for start in range(0, len(code), WORD_BYTES):
            origin = (self.line.filename, self.line.number)
            self._flush()
            self._add(Piece(self._serial, code[start : start + WORD_BYTES], align=WORD_BYTES, origin=origin))

    def repeat(self, lines: Sequence[Line]) -> None:
        """Execute the lines of a loop once more."""
        self._step(1)
        self.run(lines)

    @contextmanager
    def inserted(self, count: int, column: int) -> Iterator[None]:
        """Put what is added meanwhile before the last `count` instructions; `Problem` if there are fewer."""
        self._flush()
        outer = self.pieces
        places = [index for index, piece in enumerate(outer) if piece.origin is not None]
        if not 0 <= count <= len(places):
            raise Problem(column, f"expected 0 to {len(places)} instructions to go back, not {count}")
        self.pieces = []
        try:
            yield
            self._flush()
        finally:
            place = places[-count] if count else len(outer)
            self.pieces = outer[:place] + self.pieces + outer[place:]

    def label(self, name: str, column: int) -> Label:
        """The label `name`; `Problem` if there is none."""
        return self.labels.find(name, column)

    def apply(self, function: Function, arguments: list[Value], column: int) -> Value:
        """The value of a function of the source; `Problem` at the call if it has none."""
        self._step(column)
        if len(arguments) != len(function.parameters):
            expected = len(function.parameters)
            raise Problem(column, f"expected {expected} arguments of {function.name}, not {len(arguments)}")
        with self.scopes.local(column, dict(zip(function.parameters, arguments, strict=True))):
            if function.inline:
                return self._inline(function, column)
            return self._block(function, column)

    def _inline(self, function: Function, column: int) -> Value:
        cursor = Cursor(tuple(token for token in function.body if isinstance(token, Token)))
        try:
            value = evaluate(cursor, self)
            cursor.finish()
        except Problem as problem:
            message = problem.message if problem.message.startswith("in ") else f"in {function.name}: {problem.message}"
            raise Problem(column, message) from None
        return value

    def _block(self, function: Function, column: int) -> Value:
        self._results.append(None)
        line = self.line
        try:
            self.run([line for line in function.body if isinstance(line, Line)])
        finally:
            self.line = line
            value = self._results.pop()
        if value is None:
            raise Problem(column, f"the function {function.name} came to no value")
        return value

    @contextmanager
    def at(self, line: Line) -> Iterator[None]:
        """Make `line` the current one; a `Problem` becomes an `AsmError` there."""
        self.line = line
        try:
            yield
        except Problem as problem:
            raise AsmError(
                line.filename, line.number, problem.column, problem.message, text=line.text, fatal=problem.fatal
            ) from None

    def _keep(self, error: AsmError) -> None:
        """Keep `error` and go on; a function has no value then, so it is raised there."""
        if error.fatal or self._results:
            raise error
        self.errors.setdefault(str(error), error)

    def _step(self, column: int) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Problem(column, f"more than {_MAX_STEPS} lines to assemble, expected an end", fatal=True)

    def _execute(self, lines: Sequence[Line], index: int) -> int:
        """Execute the line `index`, and the block that it begins; returns the index of the next one."""
        self._step(1)
        cursor = Cursor(tokenize(lines[index].text))
        self._define_labels(cursor)
        if cursor.peek().kind is Kind.SUFFIX:
            return self._execute_directive(self, cursor, lines, index)
        if not cursor.done():
            self._statement_line(cursor)
        return index + 1

    def _statement_line(self, cursor: Cursor) -> None:
        if self._results:
            self._function_line(cursor)
        elif cursor.peek().text in self.macros and cursor.peek(1).text != ";":
            self._expand(self.macros[cursor.next().text], cursor)
        else:
            self._instruction(cursor)

    def _function_line(self, cursor: Cursor) -> None:
        if self._results[-1] is not None:
            raise Problem(cursor.peek().column, "expected one value in a function, not two")
        self._results[-1] = evaluate(cursor, self)
        cursor.finish()

    def _expand(self, macro: Macro, cursor: Cursor) -> None:
        column = cursor.peek().column
        operands = parse_operands(cursor, self)
        if len(operands) != len(macro.parameters):
            raise Problem(column, f"expected {len(macro.parameters)} arguments of {macro.name}, not {len(operands)}")
        values = (operand.value for operand in operands)
        with self.scopes.local(column, dict(zip(macro.parameters, values, strict=True))):
            self.run(macro.body)

    def _define_labels(self, cursor: Cursor) -> None:
        """Define the labels in front of a line: `:name`, `::name` or `name:`, the name at the colon."""
        while (token := self._label_token(cursor)) is not None:
            self.labels.define(token, self.emit())

    @staticmethod
    def _label_token(cursor: Cursor) -> Token | None:
        first, second = cursor.peek(), cursor.peek(1)
        if second.column != first.end:
            return None
        if first.text in (":", "::") and second.kind in (Kind.NAME, Kind.NUMBER):
            cursor.next()
            return _label_name(cursor.next())
        if first.kind in (Kind.NAME, Kind.NUMBER) and second.text in (":", "::"):
            cursor.next()
            cursor.next()
            return _label_name(first)
        return None

    def _instruction(self, cursor: Cursor) -> None:
        """Add the statements of a line to a new instruction, or to the one before if a semicolon says so."""
        apart = cursor.accept(":")
        if apart and cursor.done():
            self._flush()
            return
        join = cursor.accept(";")
        pending = self._pending
        if pending is None or apart or not (join or pending.open):
            if join:
                raise Problem(1, "expected an instruction on the line before, to join")
            self._flush()
            pending = self._pending = _Pending(self.line, self.line)
        pending.last = self.line
        broken, pending.broken = pending.broken, True
        segments, pending.open = line_segments(cursor)
        if not self.measuring:
            pending.statements += [parse_statement(segment, self) for segment in segments]
        pending.broken = broken

    def _flush(self) -> None:
        """Add the instruction that is complete now. A function must leave the program alone."""
        if self._results:
            raise Problem(1, "a function can neither add to the program nor define labels")
        pending, self._pending = self._pending, None
        if pending is None:
            return
        line, word = self.line, 0
        try:
            with self.at(pending.last):
                if self.layout is not None and not pending.broken:
                    word = encode_line(pending.statements, self._address(self.layout))
        except AsmError as error:
            self._keep(error)
        origin = (pending.first.filename, pending.first.number)
        with self.at(pending.last):
            self._add(Piece(self._serial, word.to_bytes(WORD_BYTES, "little"), align=WORD_BYTES, origin=origin))
        self.line = line

    def _address(self, layout: Layout) -> int:
        """Where the next piece lay in the pass before."""
        return layout.addresses.get(self._serial, 0)

    def _add(self, piece: Piece) -> int:
        self._size += len(piece.data) + (piece.align if piece.fill else 0)
        if self._size > MAX_BYTES:
            raise Problem(1, f"the program is larger than {MAX_BYTES} bytes", fatal=True)
        self.pieces.append(piece)
        self._serial += 1
        return piece.serial


def _label_name(token: Token) -> Token:
    if token.kind is Kind.NUMBER and not token.text.isdigit():
        raise Problem(token.column, f"expected the name of a label or a decimal number, not {token.shown}")
    return token
