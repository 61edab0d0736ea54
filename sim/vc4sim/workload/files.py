"""Reading files, with errors that name them."""

import sys
from pathlib import Path

from ..problem import BadInput

__all__ = ["MAX_BYTES", "STDIN", "read_bytes", "read_text"]

#: Largest file and largest memory.
MAX_BYTES = 1 << 26
#: Name of standard input.
STDIN = "-"


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file, or of standard input; `BadInput` if it cannot be read or is larger than `MAX_BYTES`."""
    if str(path) == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES)
    path = Path(path)
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    if not path.is_file():
        raise BadInput(f"{path}: not a file")
    if path.stat().st_size > MAX_BYTES:
        raise BadInput(f"{path}: larger than {MAX_BYTES} bytes")
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, or of standard input; `BadInput` as `read_bytes`, or if it is not text."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not a text file, byte {error.start} is no UTF-8") from None
