"""Rules of exact numbers, as far as they are those that are built in, are those of the model."""

from fractions import Fraction
from math import ceil

from hypothesis import given
from hypothesis import strategies as some

from vc4sim.kit.numbers import float_of, half_of, integer_of, number_of, power_of
from vc4sim.model.arith.float import EXPONENT_MAX, exponent, fadd, fmul, ftoi
from vc4sim.model.arith.pack import single_to_half

WORDS = some.integers(0, 0xFFFF_FFFF)
FLOATS = WORDS.filter(lambda word: exponent(word) < EXPONENT_MAX)


@given(FLOATS, FLOATS)
def test_sums_and_products(a, b):
    assert float_of(number_of(a) + number_of(b)) == fadd(a, b)
    assert float_of(number_of(a) * number_of(b)) == fmul(a, b)


@given(WORDS)
def test_integers(word):
    assert integer_of(word) == ftoi(word)


@given(FLOATS)
def test_half_floats(word):
    assert half_of(word, ceil) == single_to_half(word)


@given(some.fractions(min_value=Fraction(1, 1 << 40), max_value=1 << 40))
def test_powers(number):
    power = power_of(number)
    assert 1 <= number / Fraction(2) ** power < 2
