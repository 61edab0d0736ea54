"""Floating and fixed point in control records, from and to Python's numbers."""

import struct
from typing import Any

from vc4.records.numbers import Fixed12_4, Float16, Float32

__all__ = ["bits_of", "value_of"]

_ONE = 16


def bits_of(shape: Any, value: float) -> int:
    """What a field of that shape holds for `value`; digits that do not fit are dropped."""
    if shape is Fixed12_4:
        return round(value * _ONE)
    try:
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
    except OverflowError:
        raise ValueError(f"{value} is too large for a float of 32 bits") from None
    return bits >> 16 if shape is Float16 else bits


def value_of(shape: Any, bits: int) -> float | None:
    """The number that a field of that shape holds, as `Packing` gives it; `None` if it is no such shape."""
    if shape is Fixed12_4:
        return bits / _ONE
    if shape not in (Float32, Float16):
        return None
    (value,) = struct.unpack("<f", struct.pack("<I", bits << 16 if shape is Float16 else bits))
    return value
