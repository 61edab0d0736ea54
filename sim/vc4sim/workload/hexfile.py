"""Programs as text: one instruction word a line, or an array of C."""

import re
from collections.abc import Iterator

from vc4.isa.word import WORD_BYTES

from ..problem import BadInput

__all__ = ["bytes_of_hex", "hex_of_bytes"]

_WORD = re.compile(rf"[0-9A-Fa-f]{{{2 * WORD_BYTES}}}")
_HALF_DIGITS = WORD_BYTES

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
#: What an array has, and lines of words have not.
_OF_ARRAY = re.compile(r"0[xX]|[,{]")
_NUMBER = re.compile(r"(?:0[xX](?P<digits>[0-9A-Fa-f]+)|(?P<decimal>\d+))[uUlL]*")


def hex_of_bytes(code: bytes) -> str:
    """The words of `code`; the last one is filled up with zeros."""
    starts = range(0, len(code), WORD_BYTES)
    words = (int.from_bytes(code[start : start + WORD_BYTES], "little") for start in starts)
    return "".join(f"{word:0{2 * WORD_BYTES}x}\n" for word in words)


def bytes_of_hex(text: str, name: str) -> bytes:
    """The program that `text` holds; `name` stands in errors.

    Either each line has a word of sixteen hexadecimal digits, with `#` in front of comments; or the text is, or has in
    braces, numbers of C between commas. These are words of 64 bits if any of them has more than eight digits, else of 32
    bits, the low half of each instruction first. Raises `BadInput` for what is neither.
    """
    if _OF_ARRAY.search(_COMMENT.sub("", text)):
        return _bytes_of_array(text, name)
    parts = []
    for number, line in enumerate(text.splitlines(), 1):
        digits = line.split("#")[0].strip()
        if not digits:
            continue
        if not _WORD.fullmatch(digits):
            raise BadInput(f"{name}:{number}: not a word of {2 * WORD_BYTES} hexadecimal digits")
        parts.append(bytes.fromhex(digits)[::-1])
    return b"".join(parts)


def _bytes_of_array(text: str, name: str) -> bytes:
    numbers = list(_numbers(_initialiser(text, name), name))
    size = WORD_BYTES if any(digits > _HALF_DIGITS for _, digits in numbers) else WORD_BYTES // 2
    if len(numbers) * size % WORD_BYTES:
        raise BadInput(f"{name}: {len(numbers)} words of {8 * size} bits are no whole number of instructions")
    return b"".join(value.to_bytes(size, "little") for value, _ in numbers)


def _initialiser(text: str, name: str) -> str:
    """`text` with blanks for all that is not between its braces, if it has some, and for comments."""
    text = _COMMENT.sub(_blank, text)
    if "{" not in text:
        return text
    before, _, behind = text.partition("{")
    inside, _, after = behind.partition("}")
    if "{" in inside + after:
        raise BadInput(f"{name}: there is more than one array")
    return re.sub(r"[^\n]", " ", before) + inside


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _numbers(text: str, name: str) -> Iterator[tuple[int, int]]:
    """The numbers of an array, each with the hexadecimal digits that it was written with, or needs."""
    for number, line in enumerate(text.split("\n"), 1):
        for item in re.split(r"[\s,]+", line.strip(" \t\r,")):
            match = _NUMBER.fullmatch(item)
            if item and not match:
                raise BadInput(f"{name}:{number}: not a number of C: {item}")
            if match:
                digits = match["digits"] or f"{int(match['decimal'][: 4 * WORD_BYTES]):x}"
                if len(digits) > 2 * WORD_BYTES:
                    raise BadInput(f"{name}:{number}: more than {8 * WORD_BYTES} bits: {item}")
                yield int(digits, 16), len(digits)
