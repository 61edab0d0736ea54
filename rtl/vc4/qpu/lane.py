"""One of the four lanes: operands and both ALUs, RU to A2."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.arith.unpack import Unpack
from vc4.isa import ops

from .accumulators import OPERANDS
from .control import Control
from .immediate import LaneBits

__all__ = ["AddResult", "Lane", "MulResult"]

#: How an operand names what is no accumulator.
_R4, _A, _B = 4, 6, 7


class AddResult(data.Struct):
    """What the add ALU of a lane delivers in A2."""

    value: unsigned(32)
    zero: unsigned(1)  # the value is
    carry: unsigned(1)
    overflow: unsigned(1)  # signed, of add and sub
    carry_if_positive: unsigned(1)  # the carry of a float result: greater than zero


class MulResult(data.Struct):
    """What the mul ALU of a lane delivers in A2."""

    written: unsigned(32)  # the value, or its colour in each byte
    negative: unsigned(1)
    zero: unsigned(1)  # the value is
    carry: unsigned(1)


class Lane(wiring.Component):
    """Unpack, operand multiplexers, add ALU and mul ALU of one lane; a quad a clock, no stall.

    Interface attributes
    --------------------
    ru_control, ru_a, ru_b, ru_r4 : the instruction in RU, what it read, and r4
    ru_immediate, ru_immediate_bits : the value that it moves, as a part that all lanes share and one of this lane
    rr_control, rr_live : the instruction in RR
    rr_accumulators : the accumulators that the operands name; 0 for those that name none
    a2_packs_colour : a float that the mul ALU has multiplied is written as a colour
    a2_add, a2_mul : results, three clocks after RR
    """

    ru_control: In(Control)
    ru_a: In(32)
    ru_b: In(32)
    ru_r4: In(32)
    ru_immediate: In(32)
    ru_immediate_bits: In(LaneBits)
    rr_control: In(Control)
    rr_live: In(1)
    rr_accumulators: In(data.ArrayLayout(32, len(OPERANDS)))
    a2_packs_colour: In(1)
    a2_add: Out(AddResult)
    a2_mul: Out(MulResult)

    def elaborate(self, platform):
        m = Module()
        m.submodules.unpack = unpack = Unpack()
        m.submodules.add_alu = add_alu = AddAlu()
        m.submodules.mul_alu = mul_alu = MulAlu()

        ru, rr, bits = self.ru_control, self.rr_control, self.ru_immediate_bits
        m.d.comb += [
            unpack.value.eq(Mux(ru.unpack_r4, self.ru_r4, self.ru_a)),
            unpack.keys.eq(ru.unpack),
        ]
        unpacked = unpack.result | self.ru_immediate | Cat(bits.low, bits.high, bits.sign.replicate(30))
        plain = Mux(ru.unpack_r4, self.ru_a, self.ru_r4)
        # Of r4 and A one goes through the unpacker.
        named = {
            "unpacked": (unpacked, Mux(ru.unpack_r4, _R4, _A)),
            "plain": (plain, Mux(ru.unpack_r4, _A, _R4)),
            "b": (self.ru_b, C(_B, 3)),
        }
        operands = (add_alu.rr_a, add_alu.rr_b, mul_alu.rr_a, mul_alu.rr_b)
        for name, operand, value in zip(OPERANDS, operands, self.rr_accumulators, strict=True):
            # The register of a source is reset unless it is chosen, so that an OR is enough.
            for source, (word, code) in named.items():
                register = Signal(32, name=f"rr_{name}_{source}", reset_less=True)
                m.d.sync += register.eq(Mux(Value.cast(ru[name]) == code, word, 0))
                value |= register
            m.d.comb += operand.eq(value)
        m.d.comb += [
            # An empty slot computes nothing, as a nop.
            add_alu.rr_op.eq(Mux(self.rr_live, rr.op_add.as_value(), ops.AddOp.NOP.value)),
            mul_alu.rr_op.eq(Mux(self.rr_live, rr.op_mul.as_value(), ops.MulOp.NOP.value)),
            self.a2_add.value.eq(add_alu.a2_result),
            self.a2_add.zero.eq(add_alu.a2_zero),
            self.a2_add.carry.eq(add_alu.a2_carry),
            self.a2_add.overflow.eq(add_alu.a2_overflow),
            self.a2_add.carry_if_positive.eq(add_alu.a2_carry_if_positive),
            self.a2_mul.written.eq(Mux(self.a2_packs_colour, mul_alu.a2_colour.replicate(4), mul_alu.a2_result)),
            self.a2_mul.negative.eq(mul_alu.a2_result[31]),
            self.a2_mul.zero.eq(~mul_alu.a2_result.any()),
            self.a2_mul.carry.eq(mul_alu.a2_carry),
        ]
        return m
