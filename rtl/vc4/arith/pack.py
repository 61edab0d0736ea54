"""Narrowing of results on their way into register file A."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_by_keys
from vc4.isa.ops import Pack as Mode

from .bits import one_of
from .convert import float_to_half

__all__ = ["Pack"]

_HALVES = (Mode.HALF_A, Mode.HALF_B, Mode.HALF_A_SATURATE, Mode.HALF_B_SATURATE)
_SATURATE = [mode for mode in Mode if mode.name.endswith("SATURATE")]
#: Bytes of the destination that a mode writes; the others write all.
_BYTES = {
    (Mode.HALF_A, Mode.HALF_A_SATURATE): 0b0011,
    (Mode.HALF_B, Mode.HALF_B_SATURATE): 0b1100,
    (Mode.BYTE_A, Mode.BYTE_A_SATURATE): 0b0001,
    (Mode.BYTE_B, Mode.BYTE_B_SATURATE): 0b0010,
    (Mode.BYTE_C, Mode.BYTE_C_SATURATE): 0b0100,
    (Mode.BYTE_D, Mode.BYTE_D_SATURATE): 0b1000,
}


class Pack(wiring.Component):
    """Narrows a result to a half or a byte of register file A (guide, table 7; QPU facts, 3.3); combinational.

    Floats become halves of 16 bits, everything else takes the low bits as an integer. After an overflow the bound
    follows the carry alone, also of a difference, and is and-ed with that of a saturation.

    Interface attributes
    --------------------
    value : the result
    mode : how it is narrowed
    is_float : it is a float
    carry, overflow : of the operation; overflow of sums and differences of integers only
    data : the narrow value in every place that it may go to
    bytes : enables of the bytes that are written, bit 0 the lowest
    """

    value: In(32)
    mode: In(Mode)
    is_float: In(1)
    carry: In(1)
    overflow: In(1)
    data: Out(32)
    bytes: Out(4)

    def elaborate(self, platform):
        m = Module()
        value = self.value
        word = Signal(32)
        half = Signal(16)
        byte = Signal(8)
        high = value[15:]
        m.d.comb += [
            half.eq(self._saturate(-0x8000, 0x7FFF, high.all() | ~high.any())),
            byte.eq(self._saturate(0, 0xFF, ~value[8:].any())),
        ]
        with m.Switch(self.mode):
            with m.Case(Mode.NONE):
                m.d.comb += word.eq(value)
            with m.Case(Mode.SATURATE):
                m.d.comb += word.eq(self._saturate(-0x8000_0000, 0x7FFF_FFFF, Const(1)))
            with m.Case(*_HALVES):
                m.d.comb += word.eq(half.replicate(2))
            with m.Default():
                m.d.comb += word.eq(byte.replicate(4))
        with m.Switch(self.mode):
            for modes, enables in _BYTES.items():
                with m.Case(*modes):
                    m.d.comb += self.bytes.eq(enables)
            with m.Default():
                m.d.comb += self.bytes.eq(0b1111)
        self._float(m, word)
        return m

    def _float(self, m, word):
        """The half of a float where that is asked for, else `word`: one LUT a bit behind the carry chain of the half."""
        half, infinite, zero = float_to_half(m, self.value, "half")
        words = ~(self.is_float & one_of(self.mode, _HALVES))
        floats = ~words & ~zero
        mantissa, exponent, sign = Cat(words, floats & ~infinite), Cat(words | infinite, floats), Cat(words, floats)
        places = (mantissa, half[:10]), (exponent, half[10:]), (sign, self.value[31])
        for low in (0, 16):
            start = low
            for keys, part in places:
                stop = start + len(part)
                m.d.comb += self.data[start:stop].eq(select_by_keys(keys, (word[start:stop], part)))
                start = stop

    def _saturate(self, lowest: int, highest: int, fits: Value) -> Value:
        """The integer `value` between bounds, if the mode saturates, or its low bits."""
        width = (highest - lowest).bit_length()
        low, top = Const(lowest, width), Const(highest, width)
        overflow = self.overflow.replicate(width)
        clamped = Mux(self.value[31], low, top)
        kept = Mux(one_of(self.mode, _SATURATE) & ~fits, clamped, self.value[:width] | overflow)
        return kept & (Mux(self.carry, low, top) | ~overflow)
