"""The floating point of the model against exact rational arithmetic: truncated, no denormals, no NaN (QPU facts, 1)."""

import random
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from vc4.isa.ops import Unpack
from vc4sim.model.arith import float as fp
from vc4sim.model.arith.pack import colour, half_to_single, single_to_half, unpack
from vc4sim.model.elementwise import elementwise

PAIRS = 20_000
CORNERS = [
    *(0, 1, 0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x00FF_FFFF, 0x0100_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001),
    *(
        0x7FFF_FFFF,
        0x3F80_0000,
        0x3F80_0001,
        0x3F7F_FFFF,
        0x4000_0000,
        0x3380_0000,
        0x3400_0000,
        0x4B00_0000,
        0x4B80_0000,
    ),
    *(0x4EFF_FFFF, 0x4F00_0000, 0x4F7F_FFFF, 0x4F80_0000, 0x5F00_0000, 0x1F80_0000, 0x2000_0000, 0x3F00_0000),
]


def is_special(word):
    return word >> 23 & 255 == 255


def infinity(sign):
    return sign << 31 | 0x7F80_0000


def exact(word):
    """The value of a float; zeros and denormals count as zero."""
    exponent = word >> 23 & 255
    if exponent == 0:
        return Fraction(0)
    value = Fraction(word & 0x7F_FFFF | 0x80_0000) * Fraction(2) ** (exponent - 150)
    return -value if word >> 31 else value


def truncated(value):
    """The float below a value in magnitude; what would be denormal is +0, what is too large infinity."""
    if value == 0:
        return 0
    size = abs(value)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** power:
        power -= 1
    exponent = power + 127
    if exponent <= 0:
        return 0
    if exponent >= 255:
        return infinity(value < 0)
    return (value < 0) << 31 | exponent << 23 | int(size * Fraction(2) ** (23 - power)) - (1 << 23)


def fadd(a, b):
    for word in (b, a):
        if is_special(word):
            return infinity(word >> 31)
    return truncated(exact(a) + exact(b))


def fmul(a, b):
    if exact(a) == 0 or exact(b) == 0:
        return 0
    if is_special(a) or is_special(b):
        return infinity(a >> 31 ^ b >> 31)
    return truncated(exact(a) * exact(b))


def ftoi(a):
    """Out of range the significand is shifted by 31 at the most, and the low 32 bits are taken (OPEN-2)."""
    exponent = a >> 23 & 255
    if exponent == 255:
        return 0
    value = exact(a)
    if exponent - 150 > 31:
        value = value / Fraction(2) ** (exponent - 150 - 31)
    return int(value) & 0xFFFF_FFFF


def itof(a):
    return truncated(Fraction(a - (1 << 32) if a >> 31 else a))


def random_pair(rng):
    """Any words, exponents close together, and words that cancel but for some low bits."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.getrandbits(32), rng.getrandbits(32)
    exponent = rng.randrange(256)
    a = rng.getrandbits(1) << 31 | exponent << 23 | rng.getrandbits(23) & rng.choice([0x7F_FFFF, 0x7F_F000, 7])
    if kind == 1:
        return a, (a ^ 1 << 31) + rng.randrange(-4, 5) & 0xFFFF_FFFF
    if kind == 2:
        other = max(0, min(255, exponent + rng.randrange(-30, 31)))
        return a, rng.getrandbits(1) << 31 | other << 23 | rng.getrandbits(23) & rng.choice([0x7F_FFFF, 0, 1])
    other = max(0, min(255, rng.choice([127, 381]) - exponent + rng.randrange(-2, 3)))
    return a, rng.getrandbits(1) << 31 | other << 23 | rng.getrandbits(23)


@pytest.fixture(scope="module")
def pairs():
    """All pairs of corners with both signs, and random pairs of a fixed seed."""
    rng = random.Random(2835)
    signed = [sign | word for word in CORNERS for sign in (0, 1 << 31)]
    return [(a, b) for a in signed for b in signed] + [random_pair(rng) for _ in range(PAIRS)]


def compare(function, reference, *columns):
    """All rows at once; the message names the first that differs."""
    found = elementwise(function, *(np.array(column) for column in columns)).tolist()
    for row, result in zip(zip(*columns, strict=True), found, strict=True):
        expected = reference(*row)
        assert result == expected, f"{[f'{x:08x}' for x in row]}: {result:08x}, not {expected:08x}"


@pytest.mark.parametrize(("function", "reference"), [(fp.fadd, fadd), (fp.fmul, fmul)], ids=["fadd", "fmul"])
def test_two_operands(pairs, function, reference):
    compare(function, reference, *zip(*pairs, strict=True))


@pytest.mark.parametrize(("function", "reference"), [(fp.ftoi, ftoi), (fp.itof, itof)], ids=["ftoi", "itof"])
def test_conversions(pairs, function, reference):
    rng = random.Random(2836)
    near = [rng.getrandbits(1) << 31 | rng.randrange(120, 165) << 23 | rng.getrandbits(23) for _ in range(PAIRS)]
    short = [rng.getrandbits(32) >> rng.randrange(32) for _ in range(PAIRS)]
    compare(function, reference, [a for a, _ in pairs] + near + short + [-a & 0xFFFF_FFFF for a in short])


def test_the_reference_itself():
    """Sums and products that a chip printed or that can be worked out by hand."""
    assert fadd(0x7000_0000, 0x9000_0000) == 0x6FFF_FFFF
    assert fadd(0x3F80_0000, 0xBF80_0000) == 0
    assert fadd(0x7F80_0000, 0xFF80_0000) == 0xFF80_0000
    assert fmul(0x43E0_0000, 0x3B88_D181) == 0x3FEF_6EA1
    assert fmul(0x7F80_0000, 0x0000_0001) == 0
    assert ftoi(0x4F00_0000) == 0x8000_0000
    assert itof(0x7FFF_FFFF) == 0x4EFF_FFFF


def test_colour():
    """floor(255 f + 1/2), clamped: for all floats next to the middle of two colours, and random ones."""

    def reference(word):
        if is_special(word):
            return 0 if word >> 31 else 255
        return min(255, max(0, floor(exact(word) * 255 + Fraction(1, 2))))

    rng = random.Random(2837)
    middles = [truncated(Fraction(2 * n + 1, 510)) + step for n in range(256) for step in (-1, 0, 1, 2)]
    words = middles + [word | 1 << 31 for word in middles] + CORNERS + [word | 1 << 31 for word in CORNERS]
    words += [rng.getrandbits(1) << 31 | rng.randrange(115, 130) << 23 | rng.getrandbits(23) for _ in range(PAIRS)]
    words += [rng.getrandbits(32) for _ in range(PAIRS)]
    compare(colour, reference, words)


def half_value(half):
    return Fraction(half & 0x3FF | 0x400) * Fraction(2) ** ((half >> 10 & 31) - 25)


def test_every_half_to_single():
    """A normal half keeps its value, a denormal its bits as a denormal, infinity and NaN their mantissas."""

    def reference(half):
        sign, exponent, mantissa = half >> 15 << 31, half >> 10 & 31, (half & 0x3FF) << 13
        if exponent == 0:
            return sign | mantissa
        if exponent == 31:
            return sign | 0x7F80_0000 | mantissa
        return sign | truncated(half_value(half))

    compare(half_to_single, reference, list(range(1 << 16)))


def test_singles_around_every_half():
    """Rounded away from zero; what is still denormal then is +0, what is too large is infinity with its sign (OPEN-9)."""

    def reference(word):
        sign, size = word >> 31 << 15, abs(exact(word)) if not is_special(word) else None
        if size is None:
            return sign | 0x7C00
        if size == 0:
            return 0
        scaled = size * Fraction(2) ** 24
        power = scaled.numerator.bit_length() - scaled.denominator.bit_length()
        power -= scaled < Fraction(2) ** power
        mantissa = ceil(scaled * 1024 / Fraction(2) ** power)
        half = ((power - 9) << 10) + mantissa - 1024  # a carry out of the mantissa goes into the exponent
        return 0 if half < 0x400 else sign | min(half, 0x7C00)

    normal = list(range(0x0400, 0x7C00))
    singles = [((half >> 10) + 112) << 23 | (half & 0x3FF) << 13 for half in normal]
    words = [single + step for single in singles for step in (0, 1, 0x1000)] + [single - 1 for single in singles[:2000]]
    words += [word | 1 << 31 for word in words[::7]] + CORNERS + [word | 1 << 31 for word in CORNERS]
    compare(single_to_half, reference, words)


def test_every_byte_as_a_fraction():
    words = [byte | 0xFFFF_FF00 for byte in range(256)]
    found = elementwise(unpack, np.array(words), Unpack.BYTE_A.value, 1).tolist()
    assert found == [truncated(Fraction(byte, 255)) for byte in range(256)]
