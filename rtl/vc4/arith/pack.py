"""Narrowing of results on their way into register file A."""

from amaranth import *
from amaranth.hdl import ValueLike
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_by_keys
from vc4.isa.ops import Pack as Mode

from .bits import one_of
from .convert import float_to_half

__all__ = ["Pack", "PackKeys", "pack_keys"]

_HALVES = (Mode.HALF_A, Mode.HALF_B, Mode.HALF_A_SATURATE, Mode.HALF_B_SATURATE)
_BYTE_MODES = [mode for mode in Mode if mode.name.startswith("BYTE")]
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


class PackKeys(data.Struct):
    """How a result is narrowed. Where it is not, all but `bytes` are 0."""

    narrow: unsigned(1)
    half: unsigned(1)
    half_float: unsigned(1)  # from a float
    byte: unsigned(1)
    saturates: unsigned(1)
    bytes: unsigned(4)  # enables of the bytes that are written, bit 0 the lowest


def pack_keys(mode: ValueLike, is_float: ValueLike):
    """The fields of `PackKeys` for a mode, and for whether the result is a float."""
    mode, is_float = Value.cast(mode), Value.cast(is_float)
    half, byte = one_of(mode, _HALVES), one_of(mode, _BYTE_MODES)
    partial = {enables: one_of(mode, modes) for modes, enables in _BYTES.items()}
    whole = ~Cat(partial.values()).any()
    return [
        ("narrow", mode != Mode.NONE),
        *(("half", half), ("half_float", half & is_float), ("byte", byte)),
        ("saturates", one_of(mode, _SATURATE) & (half | byte)),
        (
            "bytes",
            Cat(whole | Cat(is_one for enables, is_one in partial.items() if enables >> n & 1).any() for n in range(4)),
        ),
    ]


class _Outcome(data.Struct):
    """What becomes of the bits of a result: those of the integer, or all ones, or else zeros."""

    passes: unsigned(1)
    ones: unsigned(1)
    mantissa: unsigned(
        2
    )  # keys of an integer and a half float, for the bits that are of its mantissa, or of its exponent
    exponent: unsigned(2)
    signs: unsigned(2)  # of a half, and of a word


class Pack(wiring.Component):
    """Narrows a result to a half or a byte of register file A (guide, table 7; QPU facts, 3.3); combinational.

    Floats become halves of 16 bits, everything else takes the low bits as an integer. After an overflow the bound
    follows the carry alone, also of a difference, and is and-ed with that of a saturation.

    Interface attributes
    --------------------
    value : the result
    keys : how it is narrowed
    carry, overflow : of the operation; overflow of sums and differences of integers only
    data : the narrow value in every place that it may go to
    """

    value: In(32)
    keys: In(PackKeys)
    carry: In(1)
    overflow: In(1)
    data: Out(32)

    def elaborate(self, platform):
        m = Module()
        value, negative = self.value, self.value[31]
        is_half, is_byte = self.keys.half, self.keys.byte
        half, infinite, zero = float_to_half(m, value, "half")
        # What does not fit differs above bit 14 from the sign, or from zero if there is none, or above bit 7 of a byte. It is
        # known late, so what follows from it is made for both cases.
        positive = value[15:31].any() | (is_byte & (value[8:15].any() | negative))
        saturates = Signal()
        outcome = Signal(_Outcome)
        fits, saturated = (self._outcome(case, infinite, zero) for case in (False, True))
        m.d.comb += [
            saturates.eq(self.keys.saturates & Mux(is_half & negative, ~value[15:31].all(), positive)),
            *(outcome[name].eq(Mux(saturates, saturated[name], fits[name])) for name in fits),
        ]
        for place, out in enumerate((self.data[:16], self.data[16:])):
            integer = Mux(is_byte, value[:8].replicate(2), Mux(is_half, value[:16], value.word_select(place, 16)))
            top = outcome.ones | (outcome.passes & integer[15])
            m.d.comb += [
                out[:10].eq(select_by_keys(outcome.mantissa, (integer[:10], half[:10]))),
                out[10:15].eq(select_by_keys(outcome.exponent, (integer[10:15], half[10:15]))),
                out[15].eq(Mux(is_half, outcome.signs[0], Mux(is_byte, top, outcome.signs[1]) if place else top)),
            ]
        return m

    def _outcome(self, saturates, infinite, zero):
        """The fields of `_Outcome` for an integer that is clamped, or for one that is not."""
        negative, floats, carry = self.value[31], self.keys.half_float, self.carry
        bound = self.overflow & self.keys.narrow
        if saturates:
            passes, ones = Const(0), ~negative & ~(bound & carry)
        else:
            passes, ones = ~bound, bound & ~carry
        # The lowest value has a sign and nothing else, the largest one all else.
        signs = [
            negative & ~(bound & ~carry) if saturates else Mux(bound, carry, top) for top in (self.value[15], negative)
        ]
        return {
            "passes": passes,
            "ones": ones,
            "mantissa": Cat(~floats & (passes | ones), Mux(floats, ~zero & ~infinite, ones)),
            "exponent": Cat(Mux(floats, infinite, passes | ones), Mux(floats, ~zero, ones)),
            "signs": Cat(Mux(floats, negative & ~zero, signs[0]), signs[1]),
        }
