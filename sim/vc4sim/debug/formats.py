"""Words as people read them."""

import struct
from collections.abc import Sequence
from enum import Enum

from ..workload.compare import WordType

__all__ = ["Format", "table", "words_text"]


class Format(Enum):
    """What the words of a register or of memory are; bytes and halves begin with the lowest."""

    HEX = "hex"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    BYTES = "bytes"
    HALVES = "halves"
    HALF_FLOATS = "half_floats"

    def text(self, word: int) -> str:
        """A word of 32 bits."""
        data = struct.pack("<I", word)
        match self:
            case Format.BYTES:
                return ",".join(map(str, data))
            case Format.HALVES:
                return ",".join(map(str, struct.unpack("<2h", data)))
            case Format.HALF_FLOATS:
                return ",".join(f"{half:.5g}" for half in struct.unpack("<2e", data))
        return WordType(self.value).text(word)


def table(words: Sequence[int], format_: Format) -> list[str]:
    """Words in rows of four or eight, each row with the number of its first word; one text if all are the same."""
    texts = [format_.text(int(word)) for word in words]
    if len(texts) > 1 and len(set(texts)) == 1:
        return [f"{texts[0]}*{len(texts)}"]
    if len(texts) == 1:
        return texts
    width = max(map(len, texts))
    columns = 8 if width <= 8 else 4
    rows = (texts[first : first + columns] for first in range(0, len(texts), columns))
    return [f"{columns * row:>3}  {' '.join(f'{text:>{width}}' for text in part)}" for row, part in enumerate(rows)]


def words_text(words: Sequence[int], format_: Format) -> str:
    """Words in one line, or one of them if all are the same."""
    texts = [format_.text(int(word)) for word in words]
    return f"{texts[0]}*{len(texts)}" if len(texts) > 1 and len(set(texts)) == 1 else " ".join(texts)
