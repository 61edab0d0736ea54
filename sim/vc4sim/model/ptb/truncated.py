"""Floating point of the clipper: the QPU's, one number at a time, with a quotient (QPU facts, 1.2 and 1.3).

Numbers are Python floats with 24 significant bits. Results are truncated, too small ones are 0, too large ones are the
largest number there is: the clipper never has an infinity.
"""

from math import copysign, frexp, ldexp

__all__ = ["LARGEST", "add", "bits", "div", "is_below", "mul", "number"]

_BITS = 24
_BIAS, _FRACTION, _EXPONENT = 127, 1 << 23, 0xFF
_SMALLEST = ldexp(1.0, 1 - _BIAS)
LARGEST = ldexp((1 << _BITS) - 1, _BIAS + 1 - _BITS)


def number(pattern: int) -> float | None:
    """The number of a pattern of 32 bits; `None`: infinity or NaN."""
    exponent = pattern >> 23 & _EXPONENT
    if exponent == _EXPONENT:
        return None
    value = ldexp(pattern & _FRACTION - 1 | _FRACTION, exponent - _BIAS - 23) if exponent else 0.0
    return -value if pattern >> 31 else value


def bits(value: float) -> int:
    """The pattern of a number."""
    if not value:
        return 0
    mantissa, exponent = frexp(abs(value))
    fraction = int(ldexp(mantissa, _BITS)) & _FRACTION - 1
    return (value < 0) << 31 | exponent - 1 + _BIAS << 23 | fraction


def _cut(value: float) -> float:
    """A number of any precision, truncated."""
    mantissa, exponent = frexp(value)
    result = ldexp(int(mantissa * (1 << _BITS)), exponent - _BITS)
    if abs(result) < _SMALLEST:
        return 0.0
    return copysign(LARGEST, result) if abs(result) > LARGEST else result


def _below(value: float) -> float:
    """The next number toward zero."""
    mantissa, exponent = frexp(value)
    less = int(abs(mantissa) * (4 << _BITS)) - 1
    return _cut(copysign(ldexp(less, exponent - _BITS - 2), value))


def add(a: float, b: float) -> float:
    """Sum."""
    total = a + b
    behind = total - a
    rest = (a - (total - behind)) + (b - behind)
    result = _cut(total)
    # `total` was rounded to a number of ours from something that is nearer to zero.
    return _below(result) if rest and result == total and (rest < 0) != (total < 0) else result


def is_below(a: float, b: float) -> bool:
    """Whether the sum is negative: truncation leaves the sign of all that does not become 0."""
    return a + b <= -_SMALLEST


def mul(a: float, b: float) -> float:
    """Product."""
    return _cut(a * b)


def div(a: float, b: float) -> float:
    """Quotient; that by 0 is the largest number, of 0 by 0 is 0."""
    if not b:
        return copysign(LARGEST, a) if a else 0.0
    quotient = a / b
    if abs(quotient) > LARGEST:
        return copysign(LARGEST, quotient)
    result = _cut(quotient)
    return _below(result) if abs(result * b) > abs(a) else result
