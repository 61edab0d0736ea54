"""Errors of the assembler: one for the callers, one for the way up to the line that is at fault."""

__all__ = ["AsmError", "Problem"]


class AsmError(ValueError):
    """A source that cannot be assembled.

    `filename`, `line` and `column` (both from 1) say where, `message` what was expected; `str(error)` is all of it in
    one line, `file:line:column: message`. `text` is the line of the source. `others` are the errors that follow it in
    the order of the program. If it is `fatal`, there is no use in looking for more.
    """

    def __init__(
        self, filename: str, line: int, column: int, message: str, *, text: str = "", fatal: bool = False
    ) -> None:
        super().__init__(f"{filename}:{line}:{column}: {message}")
        self.filename = filename
        self.line = line
        self.column = column
        self.message = message
        self.text = text
        self.fatal = fatal
        self.others: tuple[AsmError, ...] = ()

    def shown(self) -> list[str]:
        """The error in lines: what is wrong, the line of the source, and a mark below the place."""
        text = self.text.expandtabs(1).rstrip()
        return [str(self), *([f"    {text}", f"    {'^':>{self.column}}"] if text else [])]


class Problem(Exception):
    """What is wrong at a `column` (from 1) of the current line; becomes an `AsmError` where the line is known."""

    def __init__(self, column: int, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.column = column
        self.message = message
        self.fatal = fatal
