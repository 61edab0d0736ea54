"""Texels of ETC1 blocks.

A block is two words, in each of which its first byte is the highest: 16 texels in two halves, each with a base colour and a
table of four steps of brightness. In the first word bits 31:8 are the colours, 7:5 and 4:2 the tables, bit 1 says that the
second colour is a difference, bit 0 that the halves lie above each other. In the second word bits 31:16 and 15:0 are the high
and the low bit of each texel's step, column after column, the first texel lowest.
"""

from ..compiled import kernel

__all__ = ["decode_block"]

_OPAQUE = 255
#: Small and large step of each table; the high bit of an index is their sign.
_STEPS = ((2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183))


@kernel
def _first_byte_highest(word: int) -> int:
    return word >> 24 | word >> 8 & 0xFF00 | (word & 0xFF00) << 8 | (word & 0xFF) << 24


@kernel
def _channel(colours: int, low: int, second: int, step: int) -> int:
    """One channel, whose base colour is in the byte at `low`, for the half that `second` says."""
    byte = colours >> low & 255
    if colours & 2:
        difference = (byte & 7 ^ 4) - 4
        five = (byte >> 3) + (difference if second else 0) & 31
        base = five << 3 | five >> 2
    else:
        base = (byte & 15 if second else byte >> 4) * 17
    return min(max(base + step, 0), 255)


@kernel
def decode_block(low: int, high: int, x: int, y: int) -> tuple[int, int, int, int]:
    """Channels of the texel in column `x` and row `y` (0 to 3) of a block, as words that were read from memory.

    A difference that leaves the range of 5 bits goes round.
    """
    colours, steps = _first_byte_highest(low), _first_byte_highest(high) >> 4 * x + y
    second = 1 if (y if colours & 1 else x) >= 2 else 0
    step = _STEPS[colours >> 2 & 7 if second else colours >> 5 & 7][steps & 1]
    if steps & 1 << 16:
        step = -step
    return (
        _channel(colours, 24, second, step),
        _channel(colours, 16, second, step),
        _channel(colours, 8, second, step),
        _OPAQUE,
    )
