"""Memory and errors as text."""

import struct
from collections.abc import Iterator, Sequence

import numpy as np

from ..bench.driver import ERROR_FIELDS
from ..workload import Buffer
from ..workload.compare import WORD_BYTES
from ..workload.workload import ROW_BYTES

__all__ = ["buffer_lines", "error_lines"]

#: Characters of a line of an array, without those in front.
_LINE = 118
#: Elements of an array that is not abridged, at most.
_WHOLE = 256
#: Biased exponents of floats that people compute with: 2**-40 to 2**40.
_PLAIN_EXPONENTS = range(127 - 40, 127 + 41)


def buffer_lines(buffer: Buffer, data: bytes) -> Iterator[str]:
    """A buffer: an array as NumPy prints it; of one of which nobody has said what it is, rows of sixteen words in hexadecimal, and
    below them or after them as numbers.
    """
    if buffer.type:
        yield f"{buffer.name}, {buffer.type} at {buffer.address:#010x}"
        text = np.array2string(buffer.type.array(data), max_line_width=_LINE, threshold=_WHOLE)
        yield from (f"  {line}" for line in text.splitlines())
        return
    yield f"{buffer.name}, {buffer.size} bytes at {buffer.address:#010x}"
    width = max((len(row) + 2 for row in buffer.rows), default=0)
    for index, start in enumerate(range(0, len(data), ROW_BYTES)):
        name = buffer.rows[index] if index < len(buffer.rows) else ""
        yield from _row_lines(f"  {start:05x}  {name:{width}}", data[start : start + ROW_BYTES])


def _row_lines(head: str, row: bytes) -> Iterator[str]:
    whole = len(row) // WORD_BYTES * WORD_BYTES
    words = struct.unpack(f"<{whole // WORD_BYTES}I", row[:whole])
    digits = [f"{word:08x}" for word in words] + [f"{byte:02x}" for byte in row[whole:]]
    numbers = _numbers(words)
    if len(row) == ROW_BYTES and len(set(words)) == 1:
        yield f"{head}{digits[0]}*{len(words)}  {numbers[0]}"
        return
    width = max(map(len, [*digits, *numbers]))
    yield (head + " ".join(f"{text:>{width}}" for text in digits)).rstrip()
    if numbers:
        yield " " * len(head) + " ".join(f"{text:>{width}}" for text in numbers)


def _numbers(words: Sequence[int]) -> list[str]:
    """Floats, if all words look like floats of a usual size; else signed integers."""
    is_float = [word >> 23 & 255 in _PLAIN_EXPONENTS for word in words]
    if any(is_float) and all(plain or not word & 0x7FFF_FFFF for plain, word in zip(is_float, words, strict=True)):
        return [f"{value:.7g}" for value in struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *words))]
    return [str(word - (word >> 31 << 32)) for word in words]


def error_lines(errors: frozenset[str]) -> Iterator[str]:
    """What the blocks of the GPU found wrong."""
    fields = (field for register in ERROR_FIELDS for field in register)
    return (f"error {field.name}: {field.description}" for field in fields if field.name in errors)
