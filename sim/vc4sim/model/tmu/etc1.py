"""Texels of ETC1 blocks.

A block is 64 bits, its first byte the highest: 16 texels in two halves, each with a base colour and a table of four
steps of brightness. Bits 63:40 are the colours, 39:37 and 36:34 the tables, bit 33 says that the second colour is a
difference, bit 32 that the halves lie above each other. Bits 31:16 and 15:0 are the high and the low bit of each texel's
step, column after column, the first texel lowest.
"""

import numpy as np

__all__ = ["BLOCK_BYTES", "decode"]

BLOCK_BYTES = 8
_OPAQUE = 255
#: Small and large step of each table; the high bit of an index is their sign.
_STEPS = np.array([(2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183)], np.int64)


def _bits(block: np.ndarray, low: int, width: int) -> np.ndarray:
    return (block >> np.uint64(low) & np.uint64((1 << width) - 1)).astype(np.int64)


def _colour(block: np.ndarray, low: int, second: np.ndarray) -> np.ndarray:
    """One channel of the base colour, 8 bits, from the byte at `low`, for the half that `second` says."""
    alone = np.where(second, _bits(block, low, 4), _bits(block, low + 4, 4)) * 17
    difference = (_bits(block, low, 3) ^ 4) - 4
    five = _bits(block, low + 3, 5) + np.where(second, difference, 0) & 31
    return np.where(_bits(block, 33, 1), five << 3 | five >> 2, alone)


def decode(block: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Channels of the texel in column `x` and row `y` (0 to 3) of each block (uint64, the first byte highest).

    A difference that leaves the range of 5 bits goes round.
    """
    second = np.where(_bits(block, 32, 1), y, x) >= 2
    table = np.where(second, _bits(block, 34, 3), _bits(block, 37, 3))
    texel = (4 * x + y).astype(np.uint64)
    large, minus = (_bits(block >> texel, low, 1) for low in (0, 16))
    step = np.where(minus, -1, 1) * _STEPS[table, large]
    colours = [np.clip(_colour(block, low, second) + step, 0, 255) for low in (56, 48, 40)]
    return np.stack([*colours, np.full_like(step, _OPAQUE)], axis=-1)
