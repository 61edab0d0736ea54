"""Parts of floats."""

from amaranth import *

__all__ = ["INFINITE", "MANTISSA", "SIGNIFICAND", "held"]

MANTISSA, SIGNIFICAND = 23, 24
#: The exponent of an infinite number.
INFINITE = 255


def held(m, a, b):
    """Significands and exponents of two floats, a clock later; a number without an exponent counts as zero."""
    significands = [Signal(SIGNIFICAND, name=f"significand_{name}", reset_less=True) for name in "ab"]
    exponents = [Signal(8, name=f"exponent_{name}", reset_less=True) for name in "ab"]
    for source, significand, later in zip((a, b), significands, exponents, strict=True):
        exponent = source[MANTISSA : MANTISSA + 8]
        m.d.sync += [significand.eq(Mux(exponent.any(), Cat(source[:MANTISSA], 1), 0)), later.eq(exponent)]
    return significands, exponents
