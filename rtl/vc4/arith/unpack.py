"""Widening of halves and bytes."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import Unpack as Mode

from .bits import words
from .convert import byte_to_float, half_to_float

__all__ = ["Unpack"]

#: The modes that look at each byte, lowest first.
_BYTES = ((Mode.BYTE_A,), (Mode.BYTE_B,), (Mode.BYTE_C,), (Mode.BYTE_D, Mode.BYTE_D_REPLICATED))


class Unpack(wiring.Component):
    """Selects a half or a byte of a word and widens it (guide, table 6; QPU facts, 3.1); combinational.

    Integers are halves with a sign and bytes without one; floats are halves of 16 bits and bytes of 1/255.

    Interface attributes
    --------------------
    value : word of register file A, or r4
    mode : the part and whether there is one
    is_float : an operation on floats consumes it, or it comes from r4
    result : what the operand multiplexers see
    """

    value: In(32)
    mode: In(Mode)
    is_float: In(1)
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        half = Signal(16)
        byte = Signal(8)
        # Of a whole word, `half` is the lower one.
        m.d.comb += half.eq(Mux(self.mode == Mode.HALF_B, self.value[16:], self.value[:16]))
        with m.Switch(self.mode):
            for modes, part in zip(_BYTES, words(self.value, 8), strict=True):
                with m.Case(*modes):
                    m.d.comb += byte.eq(part)

        byte_float = byte_to_float(m, byte, "byte")
        with m.Switch(self.mode):
            with m.Case(Mode.NONE):
                m.d.comb += self.result.eq(Cat(half, self.value[16:]))
            with m.Case(Mode.HALF_A, Mode.HALF_B):
                m.d.comb += self.result.eq(Mux(self.is_float, half_to_float(half), half.as_signed()))
            with m.Case(Mode.BYTE_D_REPLICATED):
                m.d.comb += self.result.eq(byte.replicate(4))
            with m.Default():
                m.d.comb += self.result.eq(Mux(self.is_float, byte_float, byte))
        return m
