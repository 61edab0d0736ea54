"""Widening of halves and bytes."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.hdl import ValueLike
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.isa.ops import Unpack as Mode

from .bits import words
from .convert import byte_to_float, half_to_float

__all__ = ["Unpack", "UnpackKeys", "unpack_keys"]

#: The low bits of a mode that looks at a byte say which one.
_BYTE_BITS = 2
assert [mode.value % 4 for mode in (Mode.BYTE_A, Mode.BYTE_B, Mode.BYTE_C, Mode.BYTE_D)] == [0, 1, 2, 3]
assert Mode.BYTE_D_REPLICATED.value % 4 == 3


class UnpackKeys(data.Struct):
    """What becomes of a word: one of these, or nothing."""

    byte: unsigned(_BYTE_BITS)  # which one is looked at
    upper: unsigned(1)  # which half
    whole: unsigned(1)
    half: unsigned(1)
    half_float: unsigned(1)
    number: unsigned(1)  # the byte without a sign
    replicated: unsigned(1)  # in all four places
    fraction: unsigned(1)  # as a float


def unpack_keys(mode: ValueLike, is_float: ValueLike) -> list[tuple[str, Value]]:
    """The fields of `UnpackKeys` for a mode, and for whether an operation on floats consumes the word or it comes from r4."""
    mode, is_float = Value.cast(mode), Value.cast(is_float)
    half = mode.matches(Mode.HALF_A, Mode.HALF_B)
    byte = mode.matches(Mode.BYTE_A, Mode.BYTE_B, Mode.BYTE_C, Mode.BYTE_D)
    return [
        ("byte", mode[:_BYTE_BITS]),
        ("upper", mode.matches(Mode.HALF_B)),
        ("whole", mode.matches(Mode.NONE)),
        *(("half", half & ~is_float), ("half_float", half & is_float)),
        *(("number", byte & ~is_float), ("fraction", byte & is_float)),
        ("replicated", mode.matches(Mode.BYTE_D_REPLICATED)),
    ]


class Unpack(wiring.Component):
    """Selects a half or a byte of a word and widens it (guide, table 6; QPU facts, 3.1); combinational.

    Integers are halves with a sign and bytes without one; floats are halves of 16 bits and bytes of 1/255.

    Interface attributes
    --------------------
    value : word of register file A, or r4
    keys : what becomes of it; of nothing, the result is 0
    result : what the operand multiplexers see
    """

    value: In(32)
    keys: In(UnpackKeys)
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        keys = self.keys
        half = Mux(keys.upper, self.value[16:], self.value[:16])
        byte = select(keys.byte, words(self.value, 8))
        found = (
            (keys.whole, self.value),
            (keys.half, half.as_signed()),
            (keys.half_float, half_to_float(half)),
            (keys.number, byte),
            (keys.replicated, byte.replicate(4)),
            *((keys.fraction & key, word) for key, word in byte_to_float(m, byte, "byte")),
        )
        m.d.comb += self.result.eq(reduce(or_, (Mux(key, value, C(0, 32)) for key, value in found)))
        return m
