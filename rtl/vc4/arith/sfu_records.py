"""What the clocks of the special function unit hand to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.isa.sfu_tables import COEFFICIENTS, PARABOLA, SfuFunction

__all__ = [
    "CURVE_ROM",
    "SEGMENT_ROM",
    "SfuArgument",
    "SfuOutcome",
    "SfuSegment",
    "SfuTerms",
    "SfuValue",
]


class SfuSegment(data.Struct):
    """A word of the table of coefficients."""

    c0: unsigned(15)
    c1: unsigned(12)
    c2: unsigned(6)


#: The words of both tables. A function and the segment, as its low bits, are the address of the first one.
SEGMENT_ROM = tuple(row.c0 | row.c1 << 15 | row.c2 << 27 for function in SfuFunction for row in COEFFICIENTS[function])
CURVE_ROM = PARABOLA


class SfuOutcome(data.Struct):
    """What is known of a result before its significand."""

    negative: unsigned(1)
    infinite: unsigned(1)
    zero: unsigned(1)
    whole: unsigned(1)  # a power of two


class SfuArgument(data.Struct):
    """From the first clock to the second, with the words of the tables."""

    x: unsigned(11)
    rises: unsigned(1)  # the function does, not falls
    inverts: unsigned(1)  # the value is the complement of the fraction
    integer: unsigned(7)  # above the fraction of the result
    filler: unsigned(1)  # below it
    exponent: unsigned(8)  # of the result, biased, if the integer were 2
    outcome: SfuOutcome


class SfuTerms(data.Struct):
    """From the second clock to the third."""

    start: unsigned(15)
    linear: unsigned(12)
    curve: unsigned(7)
    rises: unsigned(1)
    inverts: unsigned(1)
    integer: unsigned(7)
    zeros: range(7)  # above the highest one of the integer, 6 also if there is none
    filler: unsigned(1)
    exponent: unsigned(8)  # of the result, biased, if the integer is not zero; if it is, that of 1
    outcome: SfuOutcome


class SfuValue(data.Struct):
    """From the third clock to the fourth."""

    significand: unsigned(23)  # with its leading one on top, unless the integer is zero
    exponent: unsigned(8)  # if it is on top
    outcome: SfuOutcome
