"""How the tools end, and the one error that users see."""

from enum import IntEnum

__all__ = ["BadInput", "ExitStatus", "one_line"]


class ExitStatus(IntEnum):
    """Exit status of the `vc4` command."""

    PASS = 0
    DIFFERS = 1  # results are not what was expected, or RTL and model have done different things
    BAD_INPUT = 2
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class BadInput(ValueError):
    """Something that a user gave is wrong, or asks for what cannot be done; the text says what and where, in one line."""


def one_line(text: str) -> str:
    """`text` with everything that would break a line, or a terminal, escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
