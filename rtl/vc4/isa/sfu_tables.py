"""Tables of the special function unit, made from the rule that its coefficients follow (SFU facts, section 2).

The unit interpolates each function in sixteen segments of 2048 steps, with values of fifteen bits::

    value = c0 - (c1 x >> 11) - (c2 parabola[x >> 5] >> 5)      for a function that falls
    value = c0 + (c1 x >> 11) + 1 - (c2 parabola[x >> 5] >> 5)  for EXP, which rises

Nothing that is rounded here lies closer than 0.0005 to the middle between two integers, so floats of Python are exact
enough on every machine.
"""

import math
from dataclasses import dataclass

from amaranth.hdl import unsigned
from amaranth.lib import enum

__all__ = ["COEFFICIENTS", "PARABOLA", "SEGMENTS", "STEPS", "Coefficients", "SfuFunction", "ideal"]

SEGMENTS = 16
#: Arguments in a segment.
STEPS = 2048
_ONE = 1 << 15


class SfuFunction(enum.Enum, shape=unsigned(2)):
    """What the unit computes: the low two bits of the write address."""

    RECIP = 0
    RECIPSQRT = 1
    EXP = 2
    LOG = 3


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Of one segment: start value (15 bits), slope (12 bits), curvature (6 bits)."""

    c0: int
    c1: int
    c2: int


def ideal(function: SfuFunction, position: float) -> float:
    """The value that the unit aims at, in units of 2^-15, `position` segments (0 to 16) from the start.

    The function of LOG is the falling complement of the logarithm. RECIPSQRT goes through [1, 2) in its first eight
    segments and through [2, 4) in the others.
    """
    u = position / SEGMENTS
    match function:
        case SfuFunction.RECIP:
            return _ONE * (2 / (1 + u) - 1)
        case SfuFunction.RECIPSQRT:
            z = 1 + 2 * u if u < 0.5 else 4 * u
            return _ONE * (2 / math.sqrt(z) - 1)
        case SfuFunction.EXP:
            return _ONE * (2**u - 1)
        case SfuFunction.LOG:
            return _ONE * (1 - math.log2(1 + u))


def _round(value: float) -> int:
    return math.floor(value + 0.5)


def _coefficients(function: SfuFunction, segment: int) -> Coefficients:
    """The curve starts a little low, which makes up for the steps of the parabola, and ends exactly."""
    start, middle, end = (ideal(function, segment + t) for t in (0, 0.5, 1))
    c2 = _round(((start + end) / 2 - middle) / 2)
    c0 = _round(start) - (9 * c2 >> 6)
    c1 = abs(c0 - _round(end))
    if (function, segment) == (SfuFunction.RECIPSQRT, 0):
        c1 -= 1  # the only segment that would otherwise be too low by more than 3/4 on the average
    return Coefficients(c0, c1, c2)


#: x (64 - x) / 16, of six bits: the correction between both ends of a segment.
PARABOLA = tuple(min(63, (x * (64 - x) + 8) >> 4) for x in range(64))
#: The coefficients of all segments of each function.
COEFFICIENTS = {
    function: tuple(_coefficients(function, segment) for segment in range(SEGMENTS)) for function in SfuFunction
}
