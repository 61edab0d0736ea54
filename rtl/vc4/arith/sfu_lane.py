"""The special function unit for one element."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.isa.sfu_tables import SfuFunction

from .sfu_multiply import SfuMultiply
from .sfu_normalise import SfuNormalise
from .sfu_prepare import SfuPrepare
from .sfu_records import CURVE_ROM, SEGMENT_ROM, SfuArgument, SfuTerms, SfuValue
from .sfu_sum import SfuSum

__all__ = ["SfuLane"]


class SfuLane(wiring.Component):
    """Reciprocal, reciprocal square root, 2 to the power and logarithm to base 2 (guide, section 3; SFU facts).

    The result is valid `SfuLane.LATENCY` clocks after its operand; one operation a clock, no stall. Two multiplier blocks
    and two tables, of 64 words of 33 bits and 64 words of 6 bits.

    Interface attributes
    --------------------
    function, word : operation and operand
    result : through logic; whoever takes it has a register or a memory for it
    """

    LATENCY = 3

    function: In(SfuFunction)
    word: In(32)
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sfu_prepare = prepare = SfuPrepare()
        m.submodules.sfu_multiply = multiply = SfuMultiply()
        m.submodules.sfu_sum = add = SfuSum()
        m.submodules.sfu_normalise = normalise = SfuNormalise()
        m.submodules.coefficients = coefficients = BlockRam(33, len(SEGMENT_ROM), init=SEGMENT_ROM)
        m.submodules.parabola = parabola = BlockRam(6, len(CURVE_ROM), init=CURVE_ROM)
        argument = Signal(SfuArgument, reset_less=True)
        terms = Signal(SfuTerms, reset_less=True)
        value = Signal(SfuValue, reset_less=True)
        m.d.sync += [argument.eq(prepare.o), terms.eq(multiply.o), value.eq(add.o)]
        m.d.comb += [
            *(prepare.function.eq(self.function), prepare.word.eq(self.word)),
            *(coefficients.read_address.eq(prepare.segment), coefficients.read_enable.eq(1)),
            *(parabola.read_address.eq(prepare.o.x[5:]), parabola.read_enable.eq(1)),
            *(multiply.i.eq(argument), multiply.coefficients.as_value().eq(coefficients.read_data)),
            *(multiply.parabola.eq(parabola.read_data), add.i.eq(terms), normalise.i.eq(value)),
            self.result.eq(normalise.result),
        ]
        return m
