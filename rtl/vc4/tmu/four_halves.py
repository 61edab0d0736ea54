"""A blend of four half floats."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .texel_weights import WEIGHT_BITS

__all__ = ["HALF_FIXED_BITS", "FourHalves"]

#: Every half float is a signed number of so many bits, in units of 2^-24.
HALF_FIXED_BITS = 42
_MANTISSA, _EXPONENT = 10, 5
#: Of the places that a significand moves up, so many are numbered by bits that count before the multiplication: what comes out
#: still fits a multiplier.
_BEFORE = 2
_SUM_BITS = HALF_FIXED_BITS + WEIGHT_BITS - 1


class FourHalves(wiring.Component):
    """The sum of four half floats, each times its weight, exact; the highest exponent is one like the others.

    A half float is a significand that moves up by its exponent: its weight is multiplied with the significand, and what comes
    out moves up. A byte is a half float as well, a denormal one: what comes out is in its own units.

    Behaviour: a sum a clock, `FourHalves.LATENCY` clocks later.

    Interface attributes
    --------------------
    texels : half floats
    weights : in units of 1/65536, not more than 1 together; `FourHalves.WEIGHTS` clocks after the half floats
    o : the sum, in units of 2^-40
    """

    LATENCY, WEIGHTS = 7, 2

    texels: In(data.ArrayLayout(16, 4))
    weights: In(data.ArrayLayout(WEIGHT_BITS, 4))
    o: Out(signed(_SUM_BITS))

    def elaborate(self, platform):
        m = Module()
        terms = [self._term(m, number) for number in range(4)]
        sums = [Signal(signed(_SUM_BITS), name=f"sum_{row}") for row in range(2)]
        m.d.sync += [
            *(sums[row].eq(terms[2 * row] + terms[2 * row + 1]) for row in range(2)),
            self.o.eq(sums[0] + sums[1]),
        ]
        return m

    def _term(self, m, number):
        """A half float times its weight, five clocks later."""
        half, weight = self.texels[number], self.weights[number]
        exponent, mantissa, negative = half[_MANTISSA:-1], half[:_MANTISSA], half[-1]
        normal = exponent.any()
        significand = Cat(mantissa, normal)
        signed_ = Signal(signed(_MANTISSA + 2), name=f"significand_{number}")
        shift = Signal(_EXPONENT, name=f"shift_{number}")
        moved = Signal(signed(len(signed_) + (1 << _BEFORE) - 1), name=f"moved_{number}")
        product = Signal(signed(len(moved) + WEIGHT_BITS), name=f"product_{number}")
        m.d.sync += [
            signed_.eq(Mux(negative, -significand, significand)),
            shift.eq(Mux(normal, exponent - 1, 0)),
            moved.eq(signed_ << shift[:_BEFORE]),
            product.eq(moved * weight),
        ]
        # What is left of the shift goes with the product: two of its bits count in one clock, the highest in the next.
        left = shift[_BEFORE:]
        for clock in range(2):
            before, left = left, Signal(len(left), name=f"left_{number}_{clock}")
            m.d.sync += left.eq(before)
        halfway = Signal(signed(_SUM_BITS), name=f"halfway_{number}")
        highest = Signal(name=f"highest_{number}")
        term = Signal(signed(_SUM_BITS), name=f"term_{number}")
        m.d.sync += [
            *(halfway.eq(product << Cat(C(0, _BEFORE), left[:-1])), highest.eq(left[-1])),
            term.eq(Mux(highest, halfway << (1 << _EXPONENT - 1), halfway)),
        ]
        return term
