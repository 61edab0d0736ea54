"""What the clocks of the mul ALU hand to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data

__all__ = ["COLOUR_PLACES", "ColourTerms", "MulControl", "MulFactors", "MulProducts", "MulResult", "MulScale"]

#: Places that a colour may have in its sum.
COLOUR_PLACES = 10


class MulControl(data.Struct):
    """What the clocks after A0 have to know of the operation."""

    live: unsigned(1)  # there is one: nop holds the last result
    kind_keys: unsigned(3)  # of `select_by_keys`: bytes, v8muld, mul24 or fmul
    mul24: unsigned(1)
    v8muld: unsigned(1)


class MulScale(data.Struct):
    """What surrounds the mantissa of a product that lies in [1, 2) or, as another one of these, in [2, 4)."""

    exponent: unsigned(8)  # biased; 0 and 255 out of range
    negative: unsigned(1)
    clear: unsigned(1)  # the mantissa is zero
    zero: unsigned(1)  # all of it is


class MulFactors(data.Struct):
    """From RR to A0."""

    a: unsigned(32)
    b: unsigned(32)
    hidden: unsigned(1)  # they are floats: the significand has a one in bit 23
    subtract: unsigned(1)  # byte operations: a - b, not a + b
    v8min: unsigned(1)
    v8max: unsigned(1)
    control: MulControl


class MulProducts(data.Struct):
    """From A0 to A1."""

    low: unsigned(32)  # a[15:0] * b[15:0]; v8muld: 257 times the product of the lowest bytes
    middle_a: unsigned(24)  # a[15:0] * b[23:16]; of the second bytes
    middle_b: unsigned(24)  # a[23:16] * b[15:0]; of the third bytes
    high: unsigned(24)  # a[23:16] * b[23:16]; of the highest bytes
    ones: data.ArrayLayout(2, 4)  # of v8muld: bits 10:7 of each product are all ones, and bits 14:11
    bytes: unsigned(32)  # result of the byte operations that do not multiply
    scale: MulScale
    scale_carried: MulScale
    control: MulControl


class ColourTerms(data.Struct):
    """What the colour of a float is made of, see `MulColourTerms`."""

    sums: data.ArrayLayout(11, 2)  # upper part of the sum, without and with the carry
    carry: unsigned(1)  # from the lower bits
    keys: unsigned(COLOUR_PLACES)  # one for each place that it may have in the sum, from 1 on; none if it is 0
    full: unsigned(1)  # the colour is 255


class MulResult(data.Struct):
    """From A1 to A2."""

    significand: unsigned(25)  # [1, 4) with 23 fraction bits; of what is no product 1 and the lower bits of the word
    scale: MulScale  # if the significand is below 2
    scale_carried: MulScale  # if it is not
    carry: unsigned(1)
    colour: ColourTerms
