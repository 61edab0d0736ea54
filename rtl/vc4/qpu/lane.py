"""One of the four lanes: operands and both ALUs, RU to A2."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.arith.unpack import Unpack
from vc4.common.select import select_registered
from vc4.isa import ops

from .accumulator_lane import OPERANDS
from .control import Control
from .immediate import LaneBits

__all__ = ["AddResult", "Lane", "MulResult"]


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
    negative: unsigned(1)  # the value is
    zero: unsigned(1)
    carry: unsigned(1)


class Lane(wiring.Component):
    """Unpack, operand multiplexers, add ALU and mul ALU of one lane; a quad a clock, no stall.

    Interface attributes
    --------------------
    ru_control, ru_a, ru_b, ru_r4 : the instruction in RU, what it read, and r4
    ru_immediate, ru_immediate_bits : the value that it moves, as a part that all lanes share and one of this lane
    rr_control, rr_live : the instruction in RR
    rr_packs_colour : its result of the mul ALU is written as a colour
    rr_accumulators : the accumulators that the operands name; 0 for those that name none
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
    rr_packs_colour: In(1)
    rr_accumulators: In(data.ArrayLayout(32, len(OPERANDS)))
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
        r4, a, b = (source.value for source in (ops.Mux.R4, ops.Mux.A, ops.Mux.B))
        named = ((unpacked, Mux(ru.unpack_r4, r4, a)), (plain, Mux(ru.unpack_r4, a, r4)), (self.ru_b, b))
        operands = (add_alu.rr_a, add_alu.rr_b, mul_alu.rr_a, mul_alu.rr_b)
        for name, operand, value in zip(OPERANDS, operands, self.rr_accumulators, strict=True):
            sources = [(word, Value.cast(ru[name]) == code) for word, code in named]
            m.d.comb += operand.eq(value | select_registered(m, f"rr_{name}", sources))
        m.d.comb += [
            mul_alu.rr_colours.eq(self.rr_packs_colour),
            # An empty slot computes nothing, as a nop.
            add_alu.rr_op.eq(Mux(self.rr_live, rr.op_add.as_value(), ops.AddOp.NOP.value)),
            mul_alu.rr_op.eq(Mux(self.rr_live, rr.op_mul.as_value(), ops.MulOp.NOP.value)),
            self.a2_add.value.eq(add_alu.a2_result),
            self.a2_add.zero.eq(add_alu.a2_zero),
            self.a2_add.carry.eq(add_alu.a2_carry),
            self.a2_add.overflow.eq(add_alu.a2_overflow),
            self.a2_add.carry_if_positive.eq(add_alu.a2_carry_if_positive),
            self.a2_mul.written.eq(mul_alu.a2_result),
            self.a2_mul.negative.eq(mul_alu.a2_negative),
            self.a2_mul.zero.eq(mul_alu.a2_zero),
            self.a2_mul.carry.eq(mul_alu.a2_carry),
        ]
        return m
