"""The level of detail of a quad."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import AddOp, MulOp
from vc4.qpu.structs import LANES

from .elements import QuadPoint

__all__ = ["Detail"]

_BIAS = 127
_LOG_BITS = 5
_MINUS = 1 << 31
#: Clocks of an ALU and the register behind it.
_ALU = 4
#: Clocks from the operands of the last step to the level of detail: four ALUs, the longest, and the logarithm.
_AFTER = 4 * _ALU + 2


def _logarithms():
    """log2 in the middle of each of 32 steps from 1 to 2, in units of 1/256, rounded to the nearest, by integers."""
    powers = [((2 << _LOG_BITS) + 2 * step + 1) ** 512 for step in range(1 << _LOG_BITS)]
    return [(power.bit_length() - 1 - 512 * (_LOG_BITS + 1) + 1) >> 1 for power in powers]


class Detail(wiring.Component):
    """Half of log2 of the longest step to the next pixel, squared, 8 bits behind the point; floats as the QPU computes them.

    Behaviour: a quad every four clocks; its level of detail is there `Detail.LATENCY` clocks after its first element. The
    four steps of a quad, two along each direction, follow each other: 0 to 1, 0 to 2, 2 to 3, 1 to 3. Each goes through
    ALUs for s and for t, a step, texels, and squares; their sum is its length.

    Interface attributes
    --------------------
    i, i_stb : the elements of a quad in successive clocks
    o, o_stb : the level of detail
    """

    LATENCY = LANES + 1 + _AFTER

    i: In(QuadPoint)
    i_stb: In(1)
    o: Out(signed(16))
    o_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.lengths = lengths = AddAlu()
        first, follows, last = self._order(m)
        # Steps meet the size of the image as they leave their ALU.
        takes_size = self._delayed(m, "takes_size", first, _ALU - 1)
        m.d.comb += [
            lengths.rr_op.eq(AddOp.FADD),
            lengths.rr_a.eq(self._square(m, "s", self.i.s, self.i.width, follows, takes_size)),
            lengths.rr_b.eq(self._square(m, "t", self.i.t, self.i.height, follows, takes_size)),
        ]
        length = self._delayed(m, "length", lengths.a2_result, 1)
        longest = Signal(32)
        logarithm = Signal(8)
        entry = Signal(8)
        exponent = Signal(signed(9))
        with m.Switch(longest[23 - _LOG_BITS : 23]):
            for number, value in enumerate(_logarithms()):
                with m.Case(number):
                    m.d.comb += entry.eq(value)
        m.d.sync += [
            longest.eq(Mux(self._delayed(m, "first", first, 4 * _ALU) | (length > longest), length, longest)),
            logarithm.eq(entry),
            exponent.eq(longest[23:31] - _BIAS),
        ]
        m.d.comb += [
            self.o.eq(((exponent << 8) + logarithm) >> 1),
            self.o_stb.eq(self._delayed(m, "stb", last, _AFTER)),
        ]
        return m

    def _order(self, m):
        """Whether the operands are those of the first step, will be those of the last one, and are."""
        first = Signal()
        follows = Signal()
        last = Signal()
        m.d.sync += [
            first.eq(self.i_stb & (self.i.lane == 1)),
            follows.eq(self.i_stb & (self.i.lane == LANES - 1)),
            last.eq(follows),
        ]
        return first, follows, last

    def _square(self, m, name, point, texels, follows, takes_size):
        """The squares of the steps along one axis, in texels."""
        m.submodules[f"steps_{name}"] = steps = AddAlu()
        m.submodules[f"texels_{name}"] = products = MulAlu()
        m.submodules[f"squares_{name}"] = squares = MulAlu()
        lane = self.i.lane
        elements = [Signal(32, name=f"{name}_{number}") for number in range(LANES)]
        for number, element in enumerate(elements):
            with m.If(lane == number):
                m.d.sync += element.eq(point)
        to, origin = Signal(32, name=f"to_{name}"), Signal(32, name=f"from_{name}")
        m.d.sync += [
            to.eq(Mux(follows, elements[3], point)),
            origin.eq(Mux(follows, elements[1], Mux(lane == LANES - 1, elements[2], elements[0]))),
        ]
        held = Signal.like(texels, name=f"held_{name}")
        halved = Signal(name=f"halved_{name}")
        size = Signal(32, name=f"size_{name}")
        with m.If(self.i_stb & (lane == 1)):
            m.d.sync += [held.eq(texels), halved.eq(self.i.halved)]
        with m.If(takes_size):
            m.d.sync += size.eq(self._float(m, name, held, halved))
        step = self._delayed(m, f"step_{name}", steps.a2_result, 1)
        texel = self._delayed(m, f"texel_{name}", products.a2_result, 1)
        m.d.comb += [
            *(steps.rr_op.eq(AddOp.FADD), steps.rr_a.eq(to), steps.rr_b.eq(origin ^ _MINUS)),
            *(products.rr_op.eq(MulOp.FMUL), products.rr_a.eq(step), products.rr_b.eq(size)),
            *(squares.rr_op.eq(MulOp.FMUL), squares.rr_a.eq(texel), squares.rr_b.eq(texel)),
        ]
        return self._delayed(m, f"square_{name}", squares.a2_result, 1)

    def _float(self, m, name, size, halved):
        """A number of texels as a float."""
        exponent = Signal(8, name=f"size_exponent_{name}")
        mantissa = Signal(23, name=f"size_mantissa_{name}")
        for bit in range(len(size)):
            with m.If(size[bit]):
                m.d.comb += [
                    exponent.eq(_BIAS + bit - halved),
                    mantissa.eq(Cat(Const(0, 23 - bit), size[:bit]) if bit else 0),
                ]
        return Cat(mantissa, exponent, Const(0, 1))

    def _delayed(self, m, name, value, count):
        for clock in range(count):
            before, value = value, Signal(len(value), name=f"{name}_{clock}")
            m.d.sync += value.eq(before)
        return value
