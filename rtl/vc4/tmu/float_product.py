"""What products of floats without signs have in common."""

from amaranth import *

from .float_parts import INFINITE, MANTISSA

__all__ = ["LATENCY", "LOW", "finish", "scales"]

#: A multiplier has 18 bits: so many of a significand are left for another one.
LOW = 6
#: Clocks of a product.
LATENCY = 4


def scales(m, operand, exponent):
    """What surrounds the mantissa of a product, three clocks later, for both places of its leading one; `exponent` is that of the
    lower one, as a number.
    """
    total = Signal(signed(10), reset_less=True)
    zero = Signal(reset_less=True)
    infinite = Signal(reset_less=True)
    m.d.sync += [
        total.eq(exponent),
        *(zero.eq(~operand.any()), infinite.eq(operand.all())),
    ]
    totals = []
    for carry in range(2):
        later = Signal(signed(10), name=f"total_{carry}", reset_less=True)
        m.d.sync += later.eq(total + carry)
        totals.append(later)
    zero_later = Signal(reset_less=True)
    infinite_later = Signal(reset_less=True)
    m.d.sync += [zero_later.eq(zero), infinite_later.eq(infinite & ~zero)]
    ends = []
    for carry, later in enumerate(totals):
        small = zero_later | (~infinite_later & (later <= 0))
        large = infinite_later | (later >= INFINITE)
        scale = Signal(8, name=f"exponent_{carry}", reset_less=True)
        clear = Signal(name=f"clear_{carry}", reset_less=True)
        m.d.sync += [scale.eq(Mux(small, 0, Mux(large, INFINITE, later))), clear.eq(small | large)]
        ends.append((scale, clear))
    return ends


def finish(m, product, ends, o):
    """The leading one of a product is its highest bit, or the one below."""
    carry = product[-1]
    (exponent, clear), (exponent_carried, clear_carried) = ends
    mantissa = Mux(carry, product[-1 - MANTISSA : -1], product[-2 - MANTISSA : -2])
    m.d.sync += [
        o[:MANTISSA].eq(Mux(Mux(carry, clear_carried, clear), 0, mantissa)),
        o[MANTISSA:].eq(Mux(carry, exponent_carried, exponent)),
    ]
