"""What the clocks of the add ALU hand to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

__all__ = ["AddControl", "AddOperands", "AddTerms", "AddTotal", "Move", "Moved", "Rotation", "Route", "Still"]


class Moved(enum.Enum, shape=unsigned(2)):
    """The operand that the rotator moves."""

    A = 0
    B = 1
    NOT_A = 2
    BOTH = 3  # a & b


class Still(enum.Enum, shape=unsigned(2)):
    """The operand that goes to the adder as it is."""

    ZERO = 0
    A = 1
    B = 2
    EITHER = 3  # a ^ b


class Route(data.Struct):
    """Which operand goes where."""

    moved: Moved
    still: Still


class Rotation(data.Struct):
    """A rotation to the left, and the mask after it."""

    amount: unsigned(5)
    not_below: unsigned(1)  # keep the bits from `amount` on rather than those below it


class Move(data.Struct):
    """Everything that a swap exchanges."""

    route: Route
    rotation: Rotation
    negative: unsigned(1)  # sign of a float that is not zero
    exponent: unsigned(8)  # its exponent, biased, for a leading one at bit 23


class AddControl(data.Struct):
    """What the clocks after A0 have to know of the operation."""

    live: unsigned(1)  # there is one: nop holds the last result
    carry_out: unsigned(1)  # add, sub: carry and overflow of the sum are flags
    subtract: unsigned(1)  # sub, v8subs: no carry is a borrow
    bytes_apart: unsigned(1)  # v8adds, v8subs
    align: unsigned(1)  # fadd, fsub
    normalise: unsigned(1)  # fadd, fsub, itof: the sum becomes a float
    count: unsigned(1)  # clz
    infinite: unsigned(1)  # fadd, fsub: an operand is infinite


class AddOperands(data.Struct):
    """From RR to A0."""

    a: unsigned(32)
    b: unsigned(32)
    straight: Move
    swapped: Move
    swap: unsigned(1)  # which of the two it is
    keep_all: unsigned(1)  # no mask
    out_left: unsigned(1)  # the carry is the bit that went out at the top
    out_right: unsigned(1)  # the carry is the bit that went out at the bottom
    invert: unsigned(1)  # the moved operand, after its mask, in A1
    negate: unsigned(1)  # its two's complement rather
    compare: unsigned(1)  # the carry is the swap
    control: AddControl


class AddTerms(data.Struct):
    """From A0 to A1."""

    moved: unsigned(32)
    invert: unsigned(1)  # `moved` is still to be inverted
    guard: unsigned(1)  # one more bit below `moved`, worth one half
    still: unsigned(32)
    carry_in: unsigned(1)  # into the guard
    carry: unsigned(1)  # that of a comparison or a shift
    negative: unsigned(1)
    exponent: unsigned(8)  # for a leading one at bit 23
    control: AddControl


class AddTotal(data.Struct):
    """From A1 to A2."""

    sum: unsigned(32)  # of a float rotated so that its highest one is in bits 23:16, its guard on top before that
    clear: unsigned(4)  # the bytes of the sum that are zero instead
    zeros: data.ArrayLayout(4, 2)  # in each half, above its highest one; 0 if it has none, or if nobody counts
    lower: unsigned(1)  # the highest one is in the lower half
    none: unsigned(1)  # there is none
    zero: unsigned(1)
    count: unsigned(1)
    normalise: unsigned(1)
    infinite: unsigned(1)
    negative: unsigned(1)
    exponent: unsigned(9)  # biased, for a leading one at bit 31
    carry: unsigned(1)
    overflow: unsigned(1)
