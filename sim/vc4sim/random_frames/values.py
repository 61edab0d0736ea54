"""Random numbers for frames: mostly of the size that draws something, seldom anything."""

import random
import struct
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Random", "bits_of_float"]

_FLOAT, _WORD = struct.Struct("<f"), struct.Struct("<I")
#: Zeros, the smallest and largest numbers, infinities, NaNs, denormals.
_ODD = (0, 0x8000_0000, 0x0080_0000, 0x7F7F_FFFF, 0xFF7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 1, 0x3F7F_FFFF)

Thing = TypeVar("Thing")


def bits_of_float(value: float) -> int:
    """As a word."""
    return _WORD.unpack(_FLOAT.pack(value))[0]


class Random(random.Random):
    """With what frames need more."""

    def chance(self, probability: float) -> bool:
        """True so often."""
        return self.random() < probability

    def bit(self, probability: float = 0.5) -> int:
        """1 so often."""
        return int(self.chance(probability))

    def mostly(self, usual: Thing, others: Sequence[Thing], probability: float) -> Thing:
        """One of `others` so often, else what is usual."""
        return self.choice(others) if self.chance(probability) else usual

    def word(self) -> int:
        """Any word, or one with few bits."""
        return self.choice((self.getrandbits(32), self.getrandbits(8), 1 << self.randrange(32), 0, 0xFFFF_FFFF))

    def number(self, low: float, high: float, odd: float = 0.03) -> int:
        """The word of a float; seldom of one that is special, or of any."""
        if self.chance(odd):
            return self.choice((*_ODD, self.getrandbits(32)))
        return bits_of_float(self.uniform(low, high))
