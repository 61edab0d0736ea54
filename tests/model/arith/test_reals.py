"""Numbers of the set-up, against exact rationals."""

import random
import struct
from fractions import Fraction

import numpy as np

from vc4sim.model.arith.fixed_point import fixed, quotient, reciprocal
from vc4sim.model.elementwise import elementwise


def value_of(word):
    """A float as a rational."""
    return Fraction(struct.unpack("<f", struct.pack("<I", word))[0])


def test_fixed_point_is_cut_off_toward_zero():
    rng = random.Random(1)
    for _ in range(2000):
        word = rng.getrandbits(1) << 31 | rng.randrange(100, 160) << 23 | rng.getrandbits(23)
        fraction = rng.randrange(20)
        exact = value_of(word) * 2**fraction
        assert fixed(word, fraction) == int(exact)
    assert fixed(0x0000_0001, 64) == fixed(0x8000_0000, 64) == 0
    assert fixed(0x7F80_0000, 0) == fixed(0x7FC0_0000, 0) == 1 << 128


def test_quotients_are_cut_off_to_24_bits():
    rng = random.Random(2)
    for _ in range(3000):
        numerator = rng.getrandbits(rng.randrange(1, 40)) + 1
        denominator = rng.getrandbits(rng.randrange(1, 40)) + 1
        signs = rng.choice((1, -1)), rng.choice((1, -1))
        word = quotient(signs[0] * numerator, signs[1] * denominator)
        exact, found = Fraction(numerator, denominator), abs(value_of(word))
        assert found <= exact < found * (1 + Fraction(1, 1 << 22))
        unit = Fraction(2) ** ((word >> 23 & 255) - 150)
        assert exact - found < unit
        assert word >> 31 == (signs[0] != signs[1])
    assert quotient(0, 5) == quotient(5, 0) == 0


def test_reciprocals_of_w():
    """Within three quarters of the last place, and exact for powers of two."""
    rng = np.random.default_rng(3)
    words = rng.integers(1 << 23, 253 << 23, 5000).astype(np.uint32)
    exponents = (np.arange(1, 253) << 23).astype(np.uint32)
    for word, found in zip(words.tolist(), elementwise(reciprocal, words).tolist(), strict=True):
        exact = 1 / value_of(word)
        unit = Fraction(2) ** ((found >> 23) - 150)
        assert abs(value_of(found) - exact) <= unit * Fraction(8, 10), hex(word)
    assert (elementwise(reciprocal, exponents) == (254 - np.arange(1, 253) << 23)).all()
    limits = np.array([0, 1 << 31, 1, 253 << 23, 0x7F80_0000, 0xFF80_0000, 0xC000_0000], np.uint32)
    wanted = [0x7F80_0000, 0xFF80_0000, 0x7F80_0000, 0, 0, 0x8000_0000, 0xBF00_0000]
    assert elementwise(reciprocal, limits).tolist() == wanted
