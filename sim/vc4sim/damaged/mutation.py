"""Memory that is damaged."""

import random
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from vc4.records.control import RECORDS

__all__ = ["CODES", "HOW", "Damage", "mutate"]

CODES = sorted(RECORDS)
#: Words that numbers of any kind are seldom prepared for.
_WORDS = (
    0,
    1,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0x7F7FFFFF,
    0xFF7FFFFF,
    1 << 31,
    0x00800000,
    0xFFFF_FFFF,
    0x8000_8000,
)
_WORD_BYTES = 4


#: What may happen to bytes, in the order of the cases below.
HOW = (
    *("one bit", "any byte", "the code of a record", "any word", "an odd word", "an address", "bytes are missing"),
    "bytes from elsewhere",
)


class Damage(NamedTuple):
    """What is wrong: the number of the region where it is, an index of `HOW`, and the address; -1 if it is not known yet."""

    region: int
    how: int
    address: int = -1


def mutate(
    rng: random.Random,
    image: bytes,
    base: int,
    regions: Sequence[tuple[int, int]],
    *,
    first: Damage | None = None,
    told: Callable[[Damage], object] = lambda damage: None,
    kept: Collection[int] | None = None,
) -> bytes:
    """The memory from address `base` on, with some bytes different, missing or doubled.

    regions : first address, and the one after the last, of what is worth to be changed; one that is named twice is
        changed more often
    first : the first damage, in place of any
    told : called with every damage
    kept : numbers of those that are done, `None`: all
    """
    data, size = bytearray(image), len(image)
    for number in range(rng.choice((1, 1, 2, 3, 8))):
        region = first.region if first else rng.randrange(len(regions))
        start, end = regions[region]
        place = rng.randrange(start, end) - base
        word = slice(place, place + _WORD_BYTES)
        how = first.how if first else rng.randrange(len(HOW))
        told(Damage(region, how, base + place))
        first = None
        before = None if kept is None or number in kept else bytes(data)
        match how:
            case 0:
                data[place] ^= 1 << rng.randrange(8)
            case 1:
                data[place] = rng.randrange(256)
            case 2:
                data[place] = rng.choice(CODES)
            case 3:
                data[word] = rng.randrange(1 << 32).to_bytes(_WORD_BYTES, "little")
            case 4:
                data[word] = rng.choice(_WORDS).to_bytes(_WORD_BYTES, "little")
            case 5:  # an address in the frame
                address = rng.choice((base + rng.randrange(size), rng.choice(regions)[0]))
                data[word] = address.to_bytes(_WORD_BYTES, "little")
            case 6:
                cut = rng.randrange(1, 6)
                data[place : end - base] = data[place + cut : end - base] + bytes(cut)
            case 7:
                more = rng.randrange(1, 20)
                other = rng.randrange(*rng.choice(regions)) - base
                data[place : place + more] = data[other : other + more]
        if before is not None:
            data[:] = before
    return bytes(data[:size]).ljust(size, b"\0")
