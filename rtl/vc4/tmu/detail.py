"""The level of detail of a quad."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import AddOp, MulOp
from vc4.records.tmu import MOST_TEXELS

__all__ = ["Detail"]

_SIZE_BITS = MOST_TEXELS.bit_length()
_BIAS = 127
_LOG_BITS = 7
#: Clocks in which operands enter: steps, their texels, their squares, their lengths.
_STEPS, _TEXELS, _SQUARES, _LENGTHS = 0, 4, 9, 14
_END = 21


def _logarithms():
    """log2 in the middle of each of 128 steps from 1 to 2, in units of 1/256, rounded to the nearest, by integers."""
    powers = [(257 + 2 * step) ** 512 for step in range(1 << _LOG_BITS)]
    return [(power.bit_length() - 1 - 512 * 8 + 1) >> 1 for power in powers]


class Detail(wiring.Component):
    """Half of log2 of the longer step to the next pixel, squared, 8 bits behind the point; floats as the QPU computes them.

    Behaviour: the level of detail is there when `busy` falls, 22 clocks after `start`.

    Interface attributes
    --------------------
    start : begin; everything else stays as it is until that is done
    s, t : of the first three elements
    width, height, halved : texels; the coordinates go from -1 to 1
    busy : it is being computed
    o : the level of detail
    """

    start: In(1)
    s: In(data.ArrayLayout(32, 3))
    t: In(data.ArrayLayout(32, 3))
    width: In(_SIZE_BITS)
    height: In(_SIZE_BITS)
    halved: In(1)
    busy: Out(1)
    o: Out(signed(16))

    def elaborate(self, platform):
        m = Module()
        m.submodules.add = add = AddAlu()
        m.submodules.mul = mul = MulAlu()
        clock = Signal(range(_END + 1))
        busy = Signal()
        kept = [Signal(32, name=f"kept_{number}") for number in range(4)]
        lengths = [Signal(32, name=f"length_{number}") for number in range(2)]
        sizes = [self._float(m, name, getattr(self, name)) for name in ("width", "height")]
        m.d.comb += [self.busy.eq(busy), add.rr_op.eq(AddOp.FADD), mul.rr_op.eq(MulOp.FMUL)]
        with m.If(self.start):
            m.d.sync += [clock.eq(0), busy.eq(1)]
        with m.Elif(busy):
            m.d.sync += [clock.eq(clock + 1), busy.eq(clock != _END)]
        minus = 1 << 31
        steps = [(axis[number], axis[0] ^ minus) for number in (1, 2) for axis in (self.s, self.t)]
        with m.Switch(clock):
            for number, (a, b) in enumerate(steps):
                with m.Case(_STEPS + number):
                    m.d.comb += [add.rr_a.eq(a), add.rr_b.eq(b)]
                with m.Case(_TEXELS + number):
                    m.d.comb += [mul.rr_a.eq(kept[number]), mul.rr_b.eq(sizes[number % 2])]
                with m.Case(_SQUARES + number):
                    m.d.comb += [mul.rr_a.eq(kept[number]), mul.rr_b.eq(kept[number])]
            for number in range(2):
                with m.Case(_LENGTHS + 2 * number):
                    m.d.comb += [add.rr_a.eq(kept[2 * number]), add.rr_b.eq(kept[2 * number + 1])]
        # Three clocks later the result is there, and a clock later it is kept.
        for number in range(4):
            with m.If(clock == _STEPS + number + 3):
                m.d.sync += kept[number].eq(add.a2_result)
            with m.If((clock == _TEXELS + number + 3) | (clock == _SQUARES + number + 3)):
                m.d.sync += kept[number].eq(mul.a2_result)
        for number in range(2):
            with m.If(clock == _LENGTHS + 2 * number + 3):
                m.d.sync += lengths[number].eq(add.a2_result)
        longer = Signal(32)
        logarithm = Signal(8)
        entry = Signal(8)
        exponent = Signal(signed(9))
        with m.Switch(longer[23 - _LOG_BITS : 23]):
            for step, value in enumerate(_logarithms()):
                with m.Case(step):
                    m.d.comb += entry.eq(value)
        m.d.sync += [
            longer.eq(Mux(lengths[0] > lengths[1], lengths[0], lengths[1])),
            logarithm.eq(entry),
            exponent.eq(longer[23:31] - _BIAS),
        ]
        m.d.comb += self.o.eq(((exponent << 8) + logarithm) >> 1)
        return m

    def _float(self, m, name, size):
        """A number of texels as a float."""
        exponent = Signal(8, name=f"{name}_exponent")
        mantissa = Signal(23, name=f"{name}_mantissa")
        for bit in range(_SIZE_BITS):
            with m.If(size[bit]):
                m.d.comb += [
                    exponent.eq(_BIAS + bit - self.halved),
                    mantissa.eq(Cat(Const(0, 23 - bit), size[:bit]) if bit else 0),
                ]
        return Cat(mantissa, exponent, Const(0, 1))
