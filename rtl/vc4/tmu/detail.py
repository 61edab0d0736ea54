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
_LOG_BITS = 7
_MINUS = 1 << 31
#: Clocks of an ALU and the register behind it.
_ALU = 4
#: Clocks from the operands of the last step to the level of detail: three more ALUs, a second square, and the logarithm.
_AFTER = 4 * _ALU + 2


def _logarithms():
    """log2 in the middle of each of 128 steps from 1 to 2, in units of 1/256, rounded to the nearest, by integers."""
    powers = [(257 + 2 * step) ** 512 for step in range(1 << _LOG_BITS)]
    return [(power.bit_length() - 1 - 512 * 8 + 1) >> 1 for power in powers]


class Detail(wiring.Component):
    """Half of log2 of the longer step to the next pixel, squared, 8 bits behind the point; floats as the QPU computes them.

    Behaviour: a quad every four clocks; its level of detail is there `Detail.LATENCY` clocks after its first element. Four
    steps follow each other through four ALUs: to the right and up, each of s and of t; then they are texels; squares; and
    two lengths.

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
        m.submodules.steps = steps = AddAlu()
        m.submodules.texels = texels = MulAlu()
        m.submodules.squares = squares = MulAlu()
        m.submodules.lengths = lengths = AddAlu()
        size, last = self._steps(m, steps)
        m.d.comb += [
            *(steps.rr_op.eq(AddOp.FADD), lengths.rr_op.eq(AddOp.FADD)),
            *(texels.rr_op.eq(MulOp.FMUL), squares.rr_op.eq(MulOp.FMUL)),
        ]
        step = self._delayed(m, "step", steps.a2_result, 1)
        size = self._delayed(m, "size", size, _ALU)
        texel = self._delayed(m, "texel", texels.a2_result, 1)
        square = self._delayed(m, "square", squares.a2_result, 1)
        before = self._delayed(m, "square_before", square, 1)
        length = self._delayed(m, "length", lengths.a2_result, 1)
        first = self._delayed(m, "length_before", length, 2)
        m.d.comb += [
            *(texels.rr_a.eq(step), texels.rr_b.eq(size)),
            *(squares.rr_a.eq(texel), squares.rr_b.eq(texel)),
            *(lengths.rr_a.eq(before), lengths.rr_b.eq(square)),
        ]
        longer = Signal(32)
        logarithm = Signal(8)
        entry = Signal(8)
        exponent = Signal(signed(9))
        with m.Switch(longer[23 - _LOG_BITS : 23]):
            for number, value in enumerate(_logarithms()):
                with m.Case(number):
                    m.d.comb += entry.eq(value)
        m.d.sync += [
            longer.eq(Mux(first > length, first, length)),
            logarithm.eq(entry),
            exponent.eq(longer[23:31] - _BIAS),
        ]
        m.d.comb += [
            self.o.eq(((exponent << 8) + logarithm) >> 1),
            self.o_stb.eq(self._delayed(m, "stb", last, _AFTER)),
        ]
        return m

    def _steps(self, m, steps):
        """Operands of the four steps; returns the size that each is multiplied with, and whether it is the last one."""
        # The second and the third element give two steps each, s at first: t waits a clock, and those of the third two.
        origin = [Signal(32, name=f"origin_{name}") for name in "st"]
        held = [Signal(32, name=f"held_{name}") for name in "st"]
        point, before = self.i, Signal(QuadPoint)
        a = Signal(32)
        b = Signal(32)
        size = Signal(32)
        last = Signal()
        follows = Signal()
        m.d.sync += [before.eq(point), follows.eq(self.i_stb & (point.lane == LANES - 1)), last.eq(follows)]
        with m.If(point.lane == 0):
            m.d.sync += [origin[0].eq(point.s), origin[1].eq(point.t)]
        with m.If((point.lane == 1) | (point.lane == 2)):
            m.d.sync += [held[0].eq(point.s), held[1].eq(point.t)]
        up = before.lane[0]
        m.d.sync += [
            a.eq(Mux(up, held[1], Mux(before.lane[1], held[0], point.s))),
            b.eq(Mux(up, origin[1], origin[0]) ^ _MINUS),
            size.eq(self._float(m, Mux(up, before.height, before.width), before.halved)),
        ]
        m.d.comb += [steps.rr_a.eq(a), steps.rr_b.eq(b)]
        return size, last

    def _float(self, m, size, halved):
        """A number of texels as a float."""
        exponent = Signal(8, name="size_exponent")
        mantissa = Signal(23, name="size_mantissa")
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
