"""The helpers on bits, exhaustively for one byte."""

import numpy as np
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import below, byte_terms, leading_zeros, rotate_left, shift_right
from vc4sim.bench.vectors import simulate


class Helpers(wiring.Component):
    value: In(8)
    amount: In(3)
    zeros: Out(4)
    rotated: Out(8)
    shifted: Out(8)
    mask: Out(8)
    spaced: Out(17)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.zeros.eq(leading_zeros(m, self.value, "zeros")),
            self.rotated.eq(rotate_left(m, self.value, self.amount, "rotated")),
            self.shifted.eq(shift_right(self.value, self.amount)),
            self.mask.eq(below(self.amount)),
            self.spaced.eq(byte_terms(self.value.replicate(2), self.amount[0])),
        ]
        return m


def test_helpers():
    value, amount = (x.ravel() for x in np.meshgrid(np.arange(256), np.arange(8)))
    stimuli = {"value": value, "amount": amount}
    expected = {
        "zeros": np.array([8 - int(x).bit_length() for x in value]),
        "rotated": (value << amount | value >> 8 - amount) & 0xFF,
        "shifted": value >> amount,
        "mask": (1 << amount) - 1,
        "spaced": value | (amount & 1) << 8 | value << 9,
    }
    report = simulate(Helpers(), stimuli, expected, latency=0)
    assert not report.mismatches, report.text(stimuli, expected, "all values")
