"""Errors of the assembler: one for the callers, one for the way up to the line that is at fault."""

__all__ = ["AsmError", "Problem"]


class AsmError(ValueError):
    """A source that cannot be assembled.

    `filename`, `line` and `column` (both from 1) say where, `message` what was expected; `str(error)` is all of it in
    one line, `file:line:column: message`.
    """

    def __init__(self, filename: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{filename}:{line}:{column}: {message}")
        self.filename = filename
        self.line = line
        self.column = column
        self.message = message


class Problem(Exception):
    """What is wrong at a `column` (from 1) of the current line; becomes an `AsmError` where the line is known."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message
