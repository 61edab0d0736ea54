"""Unpacks, packs and the colour conversion, for one element (QPU facts, section 3).

Modes are the codes of `Pack` and `Unpack`, values words of 32 bits.
"""

from vc4.isa.ops import Pack, Unpack

from ..compiled import kernel
from .float import EXPONENT_MAX, MANTISSA, SIGN, exponent, signed, significand

__all__ = ["BYTE_ENABLES", "colour", "half_to_single", "pack", "single_to_half", "unpack"]


def _unit_float(byte: int) -> int:
    """The pattern of byte / 255 as a float, truncated to 24 bits."""
    if byte == 0:
        return 0
    exponent = 127
    while byte << (127 - exponent) < 255:
        exponent -= 1
    return exponent << 23 | (byte << (150 - exponent)) // 255 & MANTISSA


_UNIT_FLOATS = tuple(_unit_float(byte) for byte in range(256))

#: By pack mode, the bytes of the destination that it writes, bit 0 the lowest byte; saturating modes as their plain ones.
BYTE_ENABLES = tuple(
    {0: 0b1111, 1: 0b0011, 2: 0b1100, 3: 0b1111}.get(mode.value % 8, 1 << mode.value % 4) for mode in Pack
)
_HALVES = tuple(int(mode in {Pack.HALF_A, Pack.HALF_B, Pack.HALF_A_SATURATE, Pack.HALF_B_SATURATE}) for mode in Pack)
_NONE, _SATURATE = Pack.NONE.value, Pack.SATURATE.value
_UNPACK_NONE, _REPLICATED = Unpack.NONE.value, Unpack.BYTE_D_REPLICATED.value
_HALF_A, _HALF_B, _BYTE_A = Unpack.HALF_A.value, Unpack.HALF_B.value, Unpack.BYTE_A.value
_HALF_INFINITY = 0x7C00


@kernel
def half_to_single(half: int) -> int:
    """Float of a half float of 16 bits; a denormal keeps its mantissa and stays denormal."""
    biased = half >> 10 & 31
    widened = EXPONENT_MAX if biased == 31 else biased + 112 if biased else 0
    return (half & 0x8000) << 16 | widened << 23 | (half & 0x3FF) << 13


@kernel
def single_to_half(single: int) -> int:
    """Half float of 16 bits, rounded away from zero (OPEN-9); what would be denormal gives +0.

    Infinity, NaN patterns and overflow give infinity with the sign.
    """
    half = (exponent(single) - 112) * 1024 + ((single & MANTISSA) >> 13) + (1 if single & 0x1FFF else 0)
    return 0 if half < 0x400 else min(half, _HALF_INFINITY) | single >> 16 & 0x8000


@kernel
def unpack(value: int, mode: int, is_float: int) -> int:
    """Widen a part of `value`; `is_float` says that the consumer works on floats (always so for r4)."""
    if mode == _UNPACK_NONE:
        return value
    if mode == _REPLICATED:
        return (value >> 24) * 0x0101_0101
    if mode in (_HALF_A, _HALF_B):
        half = value >> 16 if mode == _HALF_B else value & 0xFFFF
        return half_to_single(half) if is_float else (half ^ 0x8000) - 0x8000 & 0xFFFF_FFFF
    byte = value >> 8 * (mode - _BYTE_A) & 255
    return _UNIT_FLOATS[byte] if is_float else byte


@kernel
def colour(value: int) -> int:
    """The float `value` times 255, rounded to nearest with ties up, clamped to 0..255."""
    shift = min(150 - exponent(value), 40)
    if value & SIGN:
        return 0
    if shift < 24:
        return 255
    return significand(value) * 255 + (1 << shift - 1) >> shift


@kernel
def _integer(value: int, mode: int, carry: int, overflow: int) -> int:
    """The narrow integer, before it is put into its place.

    After a signed overflow the unit chooses the bound by the carry, so a difference saturates to the wrong side, and the
    clamping modes combine that bound with their own.
    """
    if mode == _NONE:
        return value
    half, saturates = _HALVES[mode], mode >= _SATURATE
    width = 32 if mode == _SATURATE else 16 if half else 8
    mask = (1 << width) - 1
    lowest = 0 if width == 8 else 1 << width - 1
    highest = mask if width == 8 else mask >> 1
    bound = lowest if carry else highest
    if width == 32:
        return bound if overflow else value
    if not saturates:
        return bound if overflow else value & mask
    number = signed(value)
    low, high = (-0x8000, 0x7FFF) if half else (0, 255)
    clamped = min(max(number, low), high)
    if overflow:
        return (mask if clamped == number else clamped) & bound
    return clamped & mask


@kernel
def pack(value: int, mode: int, is_float: int, carry: int, overflow: int) -> int:
    """`value` as it enters register file A, whose bytes in `BYTE_ENABLES` it writes.

    `is_float` says that the operation gave a float; `carry` and `overflow` are those of the operation. The data is
    replicated to every place a narrow value may go.
    """
    if is_float and _HALVES[mode]:
        narrow = single_to_half(value)
    elif is_float and mode == _SATURATE:
        narrow = value
    else:
        narrow = _integer(value, mode, carry, overflow)
    if mode in (_NONE, _SATURATE):
        return narrow
    return narrow * (0x1_0001 if _HALVES[mode] else 0x0101_0101)
