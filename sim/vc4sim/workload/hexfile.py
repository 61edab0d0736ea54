"""Programs as text: one instruction word a line, sixteen hexadecimal digits."""

import re

from vc4.isa.word import WORD_BYTES

from ..problem import BadInput

__all__ = ["bytes_of_hex", "hex_of_bytes"]

_WORD = re.compile(rf"[0-9A-Fa-f]{{{2 * WORD_BYTES}}}")


def hex_of_bytes(code: bytes) -> str:
    """The words of `code`; the last one is filled up with zeros."""
    starts = range(0, len(code), WORD_BYTES)
    words = (int.from_bytes(code[start : start + WORD_BYTES], "little") for start in starts)
    return "".join(f"{word:0{2 * WORD_BYTES}x}\n" for word in words)


def bytes_of_hex(text: str, name: str) -> bytes:
    """The program that `text` holds; `name` stands in errors. Raises `BadInput` for a line that is no word."""
    parts = []
    for number, line in enumerate(text.splitlines(), 1):
        digits = line.split("#")[0].strip()
        if not digits:
            continue
        if not _WORD.fullmatch(digits):
            raise BadInput(f"{name}:{number}: not a word of {2 * WORD_BYTES} hexadecimal digits")
        parts.append(bytes.fromhex(digits)[::-1])
    return b"".join(parts)
