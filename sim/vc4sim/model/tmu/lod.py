"""Level of detail: of a quad, and which levels and filters follow from it. Fixed point with 8 bits behind the point."""

from dataclasses import dataclass

import numpy as np

from vc4.isa.registers import QUADS
from vc4.records.tmu import MagnificationFilter, MinificationFilter

from ..arith import float as fp

__all__ = ["DETAIL", "DETAIL_BITS", "Choice", "choice", "log2", "of_quads"]

#: Bits behind the point, and all.
DETAIL, DETAIL_BITS = 8, 16
_LOG_BITS = 7
#: Elements of a quad between which the steps are.
_FROM, _TO = [0, 2, 0, 1], [1, 3, 2, 3]


def _logarithms() -> np.ndarray:
    """log2 in the middle of each of 128 steps from 1 to 2, in units of 1/256, rounded to the nearest, by integers.

    The step holds (257 + 2 i) / 256; its 512th power is compared with odd powers of two.
    """
    found = []
    for step in range(1 << _LOG_BITS):
        power = (257 + 2 * step) ** 512
        halves = power.bit_length() - 1 - 512 * 8  # floor of 512 log2
        found.append(halves + 1 >> 1)
    return np.array(found, np.int64)


_LOGARITHMS = _logarithms()


def log2(value: np.ndarray) -> np.ndarray:
    """log2 of a float that is not negative: 17 bits, 8 of them behind the point; its error is below 1/100.

    The exponent and a table of 128 entries of 8 bits, with the top bits of the mantissa. 0 and denormals give -127 and the
    entry, infinity and NaN patterns 128 and the entry.
    """
    exponent = fp.exponent(value)
    mantissa = (value >> np.uint32(23 - _LOG_BITS) & np.uint32((1 << _LOG_BITS) - 1)).astype(np.int64)
    return (exponent - 127 << DETAIL) + _LOGARITHMS[mantissa]


def of_quads(s: np.ndarray, t: np.ndarray, width: int, height: int, *, halved: bool) -> np.ndarray:
    """Level of detail of sixteen elements, one for each quad: log2 of the longer step, in texels, to the next pixel.

    There are four steps, two along each direction: 0 to 1 and 2 to 3, 0 to 2 and 1 to 3. Their squares are computed as the
    QPU would, and the root is half of the logarithm: 16 bits. `halved`: the coordinates go from -1 to 1.
    """
    quads = np.stack([s, t]).reshape(2, -1, QUADS)
    # [axis, quad, step]
    steps = fp.fadd(quads[..., _TO], quads[..., _FROM] ^ fp.SIGN)
    sizes = fp.itof(np.array([width, height], np.uint32)) - np.uint32(halved << 23)
    texels = fp.fmul(steps, np.broadcast_to(sizes[:, None, None], steps.shape))
    squares = fp.fmul(texels, texels)
    lengths = fp.fadd(squares[0], squares[1])
    return np.repeat(log2(lengths.max(axis=-1)) >> 1, QUADS)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What each element reads.

    linear : blends texels of a level
    level, weight : the larger of the two levels, and how much the smaller one counts, in units of 1/256; 0: not at all
    """

    linear: np.ndarray
    level: np.ndarray
    weight: np.ndarray


def choice(
    detail: np.ndarray, magnification: MagnificationFilter, minification: MinificationFilter, levels: int
) -> Choice:
    """Levels and filter for a level of detail (17 bits: with its bias). 0 and less magnify, from level 0."""
    magnifies = detail <= 0
    code = minification.value
    mipmaps, blends = code >= MinificationFilter.NEAR_MIP_NEAR.value, bool(code & 1)
    linear = np.where(magnifies, magnification is MagnificationFilter.LINEAR, code == 0 or bool(code & 4))
    zeros = np.zeros_like(detail)
    if not mipmaps:
        return Choice(linear, zeros, zeros)
    limited = np.clip(detail, 0, levels - 1 << DETAIL)
    if blends:
        return Choice(linear, limited >> DETAIL, limited & (1 << DETAIL) - 1)
    # Half way between two levels counts as the larger one.
    return Choice(linear, limited + (1 << DETAIL - 1) - 1 >> DETAIL, zeros)
