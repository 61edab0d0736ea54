"""Memory and statistics as text."""

import struct
from collections.abc import Iterator, Sequence

from vc4.regs.counters import SOURCES

from ..backends.base import Outcome
from ..bench.driver import ERROR_FIELDS
from ..workload import Buffer
from ..workload.compare import WORD_BYTES
from ..workload.workload import ROW_BYTES

__all__ = ["buffer_lines", "error_lines", "statistics_lines"]

#: Biased exponents of floats that people compute with: 2**-40 to 2**40.
_PLAIN_EXPONENTS = range(127 - 40, 127 + 41)

#: Columns of a name of a statistic, at least.
_LABEL = 24
#: What each performance counter counts, in words; that it does so for all slices or QPUs goes without saying.
_COUNTED = {source.name: source.description.partition(", ")[0] for source in SOURCES}


def buffer_lines(buffer: Buffer, data: bytes) -> Iterator[str]:
    """The rows of a buffer: sixteen words in hexadecimal, and below them or behind them as numbers."""
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


def statistics_lines(outcome: Outcome, has_clocks: bool) -> Iterator[str]:
    """What a run took, and what the performance counters have counted."""
    rows = [("instructions", f"{outcome.instructions}")]
    if has_clocks:
        per_instruction = outcome.cycles / max(1, outcome.instructions)
        rows += [("cycles", f"{outcome.cycles}"), ("cycles per instruction", f"{per_instruction:.2f}")]
        rows += [(f"stalled for {reason}", f"{cycles}") for reason, cycles in outcome.stalls.items() if cycles]
        rows += [(_COUNTED[name], f"{count}") for name, count in outcome.counts.items() if count]
    width = max(len(label) for label, _ in rows) + 2
    for label, value in rows:
        yield f"{label:{max(width, _LABEL)}}{value:>9}"
