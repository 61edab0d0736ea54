"""Unpacks, packs and the colour conversion (QPU facts, section 3).

All functions work on arrays of uint32 of one shape.
"""

import numpy as np

from vc4.isa.ops import Pack, Unpack

from . import float as fp

__all__ = ["BYTE_ENABLES", "colour", "half_to_single", "pack", "single_to_half", "unpack"]


def _unit_float(byte: int) -> int:
    """The pattern of byte / 255 as a float, truncated to 24 bits."""
    if byte == 0:
        return 0
    exponent = 127
    while byte << (127 - exponent) < 255:
        exponent -= 1
    return exponent << 23 | (byte << (150 - exponent)) // 255 & 0x7F_FFFF


_UNIT_FLOATS = np.array([_unit_float(byte) for byte in range(256)], np.uint32)

#: Bytes of the destination that a pack mode writes, bit 0 the lowest byte; saturating modes as their plain ones.
BYTE_ENABLES = {
    mode: {0: 0b1111, 1: 0b0011, 2: 0b1100, 3: 0b1111}.get(mode.value % 8, 1 << mode.value % 4) for mode in Pack
}
_HALF_MODES = {Pack.HALF_A, Pack.HALF_B, Pack.HALF_A_SATURATE, Pack.HALF_B_SATURATE}
_HALF_INFINITY = 0x7C00


def half_to_single(half: np.ndarray) -> np.ndarray:
    """Float of the half float in the low 16 bits; a denormal keeps its mantissa and stays denormal."""
    sign = (half & np.uint32(0x8000)) << np.uint32(16)
    exponent = half >> np.uint32(10) & np.uint32(31)
    mantissa = (half & np.uint32(0x3FF)) << np.uint32(13)
    widened = np.where(exponent == 31, 255, exponent + 112).astype(np.uint32)
    return sign | np.where(exponent == 0, 0, widened << np.uint32(23)).astype(np.uint32) | mantissa


def single_to_half(single: np.ndarray) -> np.ndarray:
    """Half float, in the low 16 bits, rounded away from zero (OPEN-9); what would be denormal gives +0.

    Infinity, NaN patterns and overflow give infinity with the sign.
    """
    exponent = fp.exponent(single)
    mantissa = (single & np.uint32(0x7F_FFFF)).astype(np.int64)
    half = (exponent - 112 << 10) + (mantissa >> 13) + (mantissa & 0x1FFF != 0)
    sign = (single >> np.uint32(16) & np.uint32(0x8000)).astype(np.int64)
    return np.where(half < 0x400, 0, np.minimum(half, _HALF_INFINITY) | sign).astype(np.uint32)


def unpack(value: np.ndarray, mode: Unpack, is_float: bool) -> np.ndarray:
    """Widen a part of `value`; `is_float` says that the consumer works on floats (always so for r4)."""
    if mode is Unpack.NONE:
        return value
    if mode is Unpack.BYTE_D_REPLICATED:
        return (value >> np.uint32(24)) * np.uint32(0x0101_0101)
    if mode in (Unpack.HALF_A, Unpack.HALF_B):
        half = value >> np.uint32(16) if mode is Unpack.HALF_B else value & np.uint32(0xFFFF)
        return half_to_single(half) if is_float else half.astype(np.uint16).view(np.int16).astype(np.uint32)
    byte = value >> np.uint32(8 * (mode.value - Unpack.BYTE_A.value)) & np.uint32(255)
    return _UNIT_FLOATS[byte] if is_float else byte


def colour(value: np.ndarray) -> np.ndarray:
    """The float `value` times 255, rounded to nearest with ties up, clamped to 0..255."""
    shift = np.minimum(150 - fp.exponent(value), 40)
    scaled = fp.significand(value) * 255
    rounded = scaled + (1 << np.maximum(shift - 1, 0)) >> np.maximum(shift, 0)
    return np.where(value & fp.SIGN, 0, np.where(shift < 24, 255, rounded)).astype(np.uint32)


def _integer(value: np.ndarray, mode: Pack, carry: np.ndarray, overflow: np.ndarray) -> np.ndarray:
    """The narrow integer, before it is put into its place.

    After a signed overflow the unit chooses the bound by the carry, so a difference saturates to the wrong side, and the
    clamping modes combine that bound with their own.
    """
    half, saturate = mode in _HALF_MODES, mode.value >= Pack.SATURATE.value
    width = 32 if mode in (Pack.NONE, Pack.SATURATE) else 16 if half else 8
    mask = (1 << width) - 1
    if mode is Pack.NONE:
        return value.astype(np.int64)
    lowest = 0 if width == 8 else 1 << width - 1
    bound = np.where(carry, lowest, mask if width == 8 else mask >> 1)
    if width == 32:
        return np.where(overflow, bound, value)
    if not saturate:
        return np.where(overflow, bound, value & np.uint32(mask))
    low, high = (0, 255) if width == 8 else (-0x8000, 0x7FFF)
    signed = value.view(np.int32)
    clamped = np.clip(signed, low, high).astype(np.int64)
    return np.where(overflow, np.where(clamped == signed, mask, clamped) & bound, clamped & mask)


def pack(
    value: np.ndarray, mode: Pack, is_float: bool, carry: np.ndarray, overflow: np.ndarray
) -> tuple[np.ndarray, int]:
    """`value` as it enters register file A, and the bytes that it writes (bit 0 the lowest).

    `is_float` says that the operation gave a float; `carry` and `overflow` are those of the operation, per element.
    The data is replicated to every place a narrow value may go.
    """
    if is_float and mode in _HALF_MODES:
        narrow = single_to_half(value).astype(np.int64)
    elif is_float and mode is Pack.SATURATE:
        narrow = value.astype(np.int64)
    else:
        narrow = _integer(value, mode, carry, overflow)
    copies = 1 if mode in (Pack.NONE, Pack.SATURATE) else 0x1_0001 if mode in _HALF_MODES else 0x0101_0101
    return (narrow * copies).astype(np.uint32), BYTE_ENABLES[mode]
