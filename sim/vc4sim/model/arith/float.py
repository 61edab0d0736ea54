"""Floating point as the QPU does it: truncated, no denormals, no NaN (QPU facts, 1.2 and 1.3).

All numbers are bit patterns of 32 bits, unless it says otherwise.
"""

from ..compiled import kernel

__all__ = [
    "EXPONENT_MAX",
    "HIDDEN",
    "INFINITY",
    "MANTISSA",
    "SIGN",
    "WORD",
    "assembled",
    "exponent",
    "fadd",
    "fmul",
    "ftoi",
    "itof",
    "magnitude",
    "ordering",
    "signed",
    "significand",
]

WORD = 0xFFFF_FFFF
SIGN = 0x8000_0000
INFINITY = 0x7F80_0000
MANTISSA = 0x7F_FFFF
HIDDEN = 1 << 23
#: Exponent of infinity and NaN patterns.
EXPONENT_MAX = 255
_GUARD_BITS = 3


@kernel
def signed(word: int) -> int:
    """The integer with its sign."""
    return (word ^ SIGN) - SIGN


@kernel
def exponent(value: int) -> int:
    """The biased exponent, 0 to 255."""
    return value >> 23 & EXPONENT_MAX


@kernel
def significand(value: int) -> int:
    """24 bits with the hidden one; 0 if the exponent is 0: zeros and denormals are flushed."""
    return value & MANTISSA | HIDDEN if value & INFINITY else 0


@kernel
def magnitude(value: int) -> int:
    """The pattern with its sign cleared."""
    return value & ~SIGN


@kernel
def ordering(value: int) -> int:
    """Key of the order that comparisons use: sign and magnitude of the pattern, nothing flushed, +0 = -0."""
    return -(value & ~SIGN) if value & SIGN else value


@kernel
def assembled(sign: int, scale: int, total: int) -> int:
    """Float of `total` (0 to 2**48 - 1), whose bit 0 weighs 2**(scale - 127), truncated to 24 bits.

    Too large gives infinity with the sign, too small and zero give +0.
    """
    top = total.bit_length()
    biased = scale + top - 1
    if total == 0 or biased <= 0:
        return 0
    if biased >= EXPONENT_MAX:
        return sign | INFINITY
    mantissa = total >> top - 24 if top > 24 else total << 24 - top
    return sign | biased << 23 | mantissa & MANTISSA


@kernel
def fadd(a: int, b: int) -> int:
    """Sum, truncated toward zero as if infinitely precise. The last infinity or NaN pattern, B before A, wins."""
    if exponent(b) == EXPONENT_MAX:
        return b & SIGN | INFINITY
    if exponent(a) == EXPONENT_MAX:
        return a & SIGN | INFINITY
    big, small = (b, a) if magnitude(b) > magnitude(a) else (a, b)
    distance = min(exponent(big) - exponent(small), 31)
    aligned = significand(small) << _GUARD_BITS
    shifted = aligned >> distance
    total = significand(big) << _GUARD_BITS
    if (a ^ b) & SIGN:
        # What was shifted out only matters as a borrow.
        total -= shifted + (1 if shifted << distance != aligned else 0)
    else:
        total += shifted
    return assembled(big & SIGN, exponent(big) - 23 - _GUARD_BITS, total)


@kernel
def fmul(a: int, b: int) -> int:
    """Product: the exact 48 bits truncated. A zero or denormal gives +0 even against infinity."""
    product = significand(a) * significand(b)
    if product == 0:
        return 0
    sign = (a ^ b) & SIGN
    if exponent(a) == EXPONENT_MAX or exponent(b) == EXPONENT_MAX:
        return sign | INFINITY
    return assembled(sign, exponent(a) + exponent(b) - 127 - 46, product)


@kernel
def ftoi(a: int) -> int:
    """Signed integer, truncated toward zero; infinity and NaN patterns give 0.

    Out of range the significand is shifted left by 31 at the most and cut to 32 bits (QPU facts, 1.2).
    """
    if exponent(a) == EXPONENT_MAX:
        return 0
    shift = exponent(a) - 150
    value = significand(a) << min(shift, 31) if shift > 0 else significand(a) >> min(-shift, 31)
    return (-value if a & SIGN else value) & WORD


@kernel
def itof(a: int) -> int:
    """Float of a signed integer, its magnitude truncated to 24 bits."""
    return assembled(a & SIGN, 127, abs(signed(a)))
