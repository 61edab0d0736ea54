"""One of the four lanes: operands and both ALUs, RU to A2."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.arith.unpack import Unpack
from vc4.common.select import select_by_keys, select_keys
from vc4.isa import ops

from .control import Control
from .immediate import LaneBits
from .newest import OPERANDS

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
    nothing: unsigned(1)  # that is zero
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
    ru_newest, rr_banks : the accumulators that the operands name: bytes to take from the bank of the mul ALU, both banks
    rr_r5 : r5
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
    ru_newest: In(data.ArrayLayout(4, len(OPERANDS)))
    rr_banks: In(data.ArrayLayout(data.ArrayLayout(32, 2), len(OPERANDS)))
    rr_r5: In(32)
    a2_packs_colour: In(1)
    a2_add: Out(AddResult)
    a2_mul: Out(MulResult)

    def elaborate(self, platform):
        m = Module()
        m.submodules.unpack = unpack = Unpack()
        m.submodules.add_alu = add_alu = AddAlu()
        m.submodules.mul_alu = mul_alu = MulAlu()

        ru, rr, bits = self.ru_control, self.rr_control, self.ru_immediate_bits
        rr_unpacked, rr_plain, rr_b = (Signal(32, name=f"rr_{name}") for name in ("unpacked", "plain", "b"))
        m.d.comb += [
            unpack.value.eq(Mux(ru.unpack_r4, self.ru_r4, self.ru_a)),
            unpack.keys.eq(ru.unpack),
        ]
        m.d.sync += [
            rr_unpacked.eq(unpack.result | self.ru_immediate | Cat(bits.low, bits.high, bits.sign.replicate(30))),
            rr_plain.eq(Mux(ru.unpack_r4, self.ru_a, self.ru_r4)),
            rr_b.eq(self.ru_b),
        ]

        operands = (add_alu.rr_a, add_alu.rr_b, mul_alu.rr_a, mul_alu.rr_b)
        for name, operand, newest, banks in zip(OPERANDS, operands, self.ru_newest, self.rr_banks, strict=True):
            # The accumulators, whose memory is read in the same clock, are the last ones.
            sources = [rr_plain, self.rr_r5, rr_unpacked, rr_b, *banks]
            code = Value.cast(ru[name])
            # Of A (6) and r4 (4) one goes through the unpacker: r4 if the instruction says so, and then they change places.
            exchanged = code[2] & ~code[0] & ru.unpack_r4
            for byte in range(4):
                other = Cat(code[0], code[1] ^ exchanged, 0)
                keys = select_keys(Mux(code[2], other, Cat(newest[byte], 0, 1)), len(sources))
                rr_keys = Signal(len(keys), name=f"rr_{name}_keys_{byte}")
                m.d.sync += rr_keys.eq(keys)
                m.d.comb += operand.word_select(byte, 8).eq(
                    select_by_keys(rr_keys, [source.word_select(byte, 8) for source in sources])
                )
        zero = Signal(name="a2_mul_zero")
        m.d.comb += [
            zero.eq(~mul_alu.a2_result.any()),
            # An empty slot computes nothing, as a nop.
            add_alu.rr_op.eq(Mux(self.rr_live, rr.op_add.as_value(), ops.AddOp.NOP.value)),
            mul_alu.rr_op.eq(Mux(self.rr_live, rr.op_mul.as_value(), ops.MulOp.NOP.value)),
            self.a2_add.value.eq(add_alu.a2_result),
            self.a2_add.zero.eq(add_alu.a2_zero),
            self.a2_add.carry.eq(add_alu.a2_carry),
            self.a2_add.overflow.eq(add_alu.a2_overflow),
            self.a2_add.carry_if_positive.eq(add_alu.a2_carry_if_positive),
            self.a2_mul.written.eq(Mux(self.a2_packs_colour, mul_alu.a2_colour.replicate(4), mul_alu.a2_result)),
            self.a2_mul.nothing.eq(Mux(self.a2_packs_colour, mul_alu.a2_colour == 0, zero)),
            self.a2_mul.negative.eq(mul_alu.a2_result[31]),
            self.a2_mul.zero.eq(zero),
            self.a2_mul.carry.eq(mul_alu.a2_carry),
        ]
        return m
