"""What memory must hold at the end, and how it differs."""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

__all__ = ["MOST_SHOWN", "WORD_BYTES", "Check", "Difference", "WordType", "WrongWord", "is_close"]

#: Words of memory as programs see them.
WORD_BYTES = 4

#: Wrong words, or elements, that are shown of a region.
MOST_SHOWN = 16


def is_close(found: np.ndarray, wanted: np.ndarray, atol: float, rtol: float) -> np.ndarray:
    """Which elements of two arrays of one type are the same bits, or numbers with |difference| <= atol + rtol * |wanted|."""
    bits = f"u{wanted.dtype.itemsize}"
    numbers = found.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(numbers[0] - numbers[1]) <= atol + rtol * np.abs(numbers[1])
    return (found.view(bits) == wanted.view(bits)) | (near & np.isfinite(numbers[0]) & np.isfinite(numbers[1]))


class WordType(Enum):
    """What the words of a region are."""

    FLOAT = "float"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    HEX = "hex"

    @property
    def dtype(self) -> str:
        """For NumPy."""
        return {WordType.FLOAT: "<f4", WordType.SIGNED: "<i4"}.get(self, "<u4")

    def text(self, word: int) -> str:
        """A word of 32 bits as what it is."""
        match self:
            case WordType.FLOAT:
                return f"{struct.unpack('<f', struct.pack('<I', word))[0]:.9g}"
            case WordType.SIGNED:
                return str(word - (word >> 31 << 32))
            case WordType.UNSIGNED:
                return str(word)
            case WordType.HEX:
                return f"{word:08x}"


@dataclass(frozen=True, slots=True)
class WrongWord:
    """A word, or the part of one that lies in the region: its address, what was expected, what was found."""

    address: int
    expected: bytes
    got: bytes

    def line(self, type_: WordType) -> str:
        """As text, with its hexadecimal digits."""
        return f"  {self.address:#010x}  expected {_shown(self.expected, type_)}  got {_shown(self.got, type_)}"


def _shown(data: bytes, type_: WordType) -> str:
    digits = data[::-1].hex()  # as words are written
    if type_ is WordType.HEX or len(data) < WORD_BYTES:
        return digits
    return f"{type_.text(int.from_bytes(data, 'little'))} ({digits})"


@dataclass(frozen=True, slots=True)
class Difference:
    """How a region differs.

    region, type, words : its name, what its words are, and how many it has
    wrong : the words that differ, in order
    largest : the largest difference of two numbers, in words; nothing if the words are no numbers
    """

    region: str
    type: WordType
    words: int
    wrong: tuple[WrongWord, ...]
    largest: str

    def lines(self) -> Iterator[str]:
        """The difference as text: the first line is all of it in short."""
        largest = f", the largest difference is {self.largest}" if self.largest else ""
        yield f"{self.region}: {len(self.wrong)} of {self.words} words wrong{largest}"
        for word in self.wrong[:MOST_SHOWN]:
            yield word.line(self.type)
        if len(self.wrong) > MOST_SHOWN:
            yield f"  and {len(self.wrong) - MOST_SHOWN} more"


@dataclass(frozen=True, slots=True)
class Check:
    """The bytes that a region must hold at the end.

    region : its name in messages
    address : of the first byte
    expected : the bytes
    type : what its words are
    atol, rtol : if not `None`, |difference| <= atol + rtol * |expected| is good enough; infinities must be equal
    """

    region: str
    address: int
    expected: bytes
    type: WordType = WordType.HEX
    atol: float | None = None
    rtol: float = 0.0

    def difference(self, memory: bytes, base: int) -> Difference | None:
        """The difference in `memory`, whose first byte lies at `base`; `None` if there is none."""
        start = self.address - base
        got = memory[start : start + len(self.expected)]
        wrong = self._wrong(got)
        if not wrong.any():
            return None
        item = WORD_BYTES if self.atol is not None else 1
        words = sorted({(self.address + int(index) * item) // WORD_BYTES for index in wrong.nonzero()[0]})
        found = tuple(self._word(word * WORD_BYTES, got) for word in words)
        first, last = self.address // WORD_BYTES, (self.address + len(self.expected) - 1) // WORD_BYTES
        return Difference(self.region, self.type, last - first + 1, found, self._largest(found))

    def _word(self, address: int, got: bytes) -> WrongWord:
        """What of the word at `address` lies in the region."""
        first = max(address - self.address, 0)
        part = slice(first, address + WORD_BYTES - self.address)
        return WrongWord(self.address + first, self.expected[part], got[part])

    def _largest(self, words: tuple[WrongWord, ...]) -> str:
        """The largest difference of whole words as numbers."""
        whole = [word for word in words if len(word.expected) == WORD_BYTES]
        if self.type is WordType.HEX or not whole:
            return ""
        wanted, found = (
            np.frombuffer(b"".join(data), self.type.dtype).astype(np.float64 if self.type is WordType.FLOAT else object)
            for data in ([word.expected for word in whole], [word.got for word in whole])
        )
        with np.errstate(invalid="ignore"):
            apart = abs(found - wanted)
        largest = max(apart, key=lambda value: math.inf if value != value else value)
        return f"{largest:.9g}" if self.type is WordType.FLOAT else str(largest)

    def _wrong(self, got: bytes) -> np.ndarray:
        """Which bytes, or words if there is a tolerance, are wrong."""
        if self.atol is None:
            return np.frombuffer(got, np.uint8) != np.frombuffer(self.expected, np.uint8)
        wanted, found = (np.frombuffer(data, self.type.dtype) for data in (self.expected, got))
        return ~is_close(found, wanted, self.atol, self.rtol)

    @property
    def size(self) -> int:
        """Bytes that are compared."""
        return len(self.expected)
