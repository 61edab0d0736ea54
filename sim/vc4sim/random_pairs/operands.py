"""Pairs of operands that reach the corners of the arithmetic: integers around powers of two, floats around the ends of every range."""

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["CORNERS", "KINDS", "random_pairs"]

_SIGN = 0x8000_0000
#: Integers around powers of two and patterns, floats around the ends of every range. Each with every other one.
_CORNERS = np.array(
    [
        *(0, 1, 2, 0x1F, 0x20, 0x21, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000),
        *(0x00FF_00FF, 0xFF00_FF00, 0x0101_0101, 0x7F7F_7F7F, 0x8080_8080, 0x5555_5555, 0xAAAA_AAAA),
        *(0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x00FF_FFFF, 0x0100_0000, 0x017F_FFFF),  # smallest floats
        *(0x7F00_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF),  # largest ones
        *(0x3F80_0000, 0x3F80_0001, 0x3F7F_FFFF, 0x3F00_0000, 0x3F00_0001, 0x3EFF_FFFF, 0x4000_0000, 0x3FC0_0000),
        *(0x3380_0000, 0x3300_0000, 0x337F_FFFF, 0x3B80_8080, 0x3B00_8080, 0x3AFF_FFFF),  # an ulp of 1, colours
        *(0x4B00_0000, 0x4B7F_FFFF, 0x4B80_0000, 0x4EFF_FFFF, 0x4F00_0000, 0x4F7F_FFFF, 0x4F80_0000, 0x5E7F_FFFF),
        *(0x7000_0000, 0x1000_0000, 0x1FC0_0000, 0x2000_0000, 0x5F80_0000),  # products around the ends
    ],
    np.uint32,
)
CORNERS = np.unique(np.concatenate([_CORNERS, _CORNERS | np.uint32(_SIGN), ~_CORNERS[:14]]))


def _floats(rng: np.random.Generator, exponent: np.ndarray) -> np.ndarray:
    """Floats of any sign with these exponents; half of the mantissas are sparse, where a sticky bit decides."""
    mantissa = rng.integers(0, 1 << 23, exponent.size)
    sparse = rng.integers(0, 1 << 23, exponent.size) & rng.integers(0, 1 << 23, exponent.size) & mantissa
    mantissa = np.where(rng.random(exponent.size) < 0.5, mantissa, np.where(sparse % 2, ~sparse & 0x7F_FFFF, sparse))
    sign = rng.integers(0, 2, exponent.size) * _SIGN
    return (sign | np.clip(exponent, 0, 255) << 23 | mantissa).astype(np.uint32)


def _words(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(0, 1 << 32, count, dtype=np.uint32)


def _uniform(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    return _words(rng, count), _words(rng, count)


def _narrow(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Integers of every length, small counts among them."""
    a, b = (_words(rng, count) >> rng.integers(0, 32, count, dtype=np.uint32) for _ in range(2))
    return np.where(rng.random(count) < 0.5, a, ~a), np.where(rng.random(count) < 0.5, b, b & np.uint32(63))


def _close(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Exponents that differ by up to 40, so that every alignment occurs."""
    exponent = rng.integers(0, 256, count)
    return _floats(rng, exponent), _floats(rng, exponent + rng.integers(-40, 41, count))


def _cancelling(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Floats that are some units in the last place apart, with equal or opposite signs."""
    a = _floats(rng, rng.integers(0, 256, count))
    step = rng.integers(-8, 9, count) << rng.integers(0, 24, count)
    b = (a.astype(np.int64) + step & 0xFFFF_FFFF).astype(np.uint32)
    return a, np.where(rng.random(count) < 0.5, b, b ^ np.uint32(_SIGN))


def _extreme(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Products at the smallest and at the largest exponents."""
    exponent, bound = rng.integers(0, 256, count), np.where(rng.random(count) < 0.5, 127, 127 + 255)
    return _floats(rng, exponent), _floats(rng, bound - exponent + rng.integers(-3, 4, count))


def _coloured(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Products near the middle between two colours, (n + 1/2) / 255."""
    middle = (rng.integers(-1, 257, count) + 0.5) / 255
    b = np.where(rng.random(count) < 0.25, 1, rng.uniform(0.25, 4, count)).astype(np.float32)
    a = (middle / b).astype(np.float32).view(np.uint32) + rng.integers(-2, 3, count).astype(np.uint32)
    return a, b.view(np.uint32)


#: Each makes so many pairs of one kind.
KINDS: tuple[Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]], ...] = (
    *(_uniform, _narrow, _close, _cancelling, _extreme, _coloured),
)


def random_pairs(
    rng: np.random.Generator, count: int, kinds: Sequence[int] = range(len(KINDS))
) -> tuple[np.ndarray, np.ndarray]:
    """At least `count` pairs: the same number of each of some kinds."""
    share = -(-count // len(kinds))
    a, b = zip(*(KINDS[kind](rng, share) for kind in kinds), strict=True)
    return np.concatenate(a), np.concatenate(b)
