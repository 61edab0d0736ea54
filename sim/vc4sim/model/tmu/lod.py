"""Level of detail: of a quad, and which levels and filters follow from it. Fixed point with 8 bits after the point."""

from vc4.records.tmu import MagnificationFilter, MinificationFilter

from ..arith.float import MANTISSA, SIGN, exponent, fadd, fmul, itof
from ..compiled import kernel

__all__ = ["DETAIL", "DETAIL_BITS", "choice", "log2", "of_quad"]

#: Bits after the point, and all.
DETAIL, DETAIL_BITS = 8, 16
_LOG_BITS = 5


def _logarithms() -> tuple[int, ...]:
    """log2 in the middle of each of 32 steps from 1 to 2, in units of 1/256, rounded to the nearest, by integers.

    The step holds (65 + 2 i) / 64; its 512th power is compared with odd powers of two.
    """
    found = []
    for step in range(1 << _LOG_BITS):
        power = ((2 << _LOG_BITS) + 2 * step + 1) ** 512
        halves = power.bit_length() - 1 - 512 * (_LOG_BITS + 1)  # floor of 512 log2
        found.append(halves + 1 >> 1)
    return tuple(found)


_LOGARITHMS = _logarithms()
_MAGNIFIES_LINEARLY = MagnificationFilter.LINEAR.value
_LINEAR, _FIRST_WITH_LEVELS = MinificationFilter.LINEAR.value, MinificationFilter.NEAR_MIP_NEAR.value
#: Bits of the codes from there on: two levels, and four texels of each.
_BETWEEN, _WITHIN = 1, 4


@kernel
def log2(value: int) -> int:
    """log2 of a float that is not negative: 17 bits, 8 of them after the point; its error is below 1/40.

    The exponent and a table of 32 entries of 8 bits, with the top bits of the mantissa. 0 and denormals give -127 and the
    entry, infinity and NaN patterns 128 and the entry.
    """
    return (exponent(value) - 127 << DETAIL) + _LOGARITHMS[(value & MANTISSA) >> 23 - _LOG_BITS]


@kernel
def _length(s: int, more_s: int, t: int, more_t: int, width: int, height: int) -> int:
    """The square of the length of a step in texels; all are floats."""
    across, up = fmul(fadd(more_s, s ^ SIGN), width), fmul(fadd(more_t, t ^ SIGN), height)
    return fadd(fmul(across, across), fmul(up, up))


@kernel
def of_quad(
    s0: int, s1: int, s2: int, s3: int, t0: int, t1: int, t2: int, t3: int, width: int, height: int, halved: int
) -> int:
    """Level of detail of a quad, 16 bits: log2 of the longest step, in texels, to the next pixel.

    There are four steps, two along each direction: 0 to 1 and 2 to 3, 0 to 2 and 1 to 3. Their squares are computed as the
    QPU would, and the root is half of the logarithm. `halved`: the coordinates go from -1 to 1.
    """
    wide, high = itof(width) - (halved << 23), itof(height) - (halved << 23)
    rows = max(_length(s0, s1, t0, t1, wide, high), _length(s2, s3, t2, t3, wide, high))
    columns = max(_length(s0, s2, t0, t2, wide, high), _length(s1, s3, t1, t3, wide, high))
    return log2(max(rows, columns)) >> 1


@kernel
def choice(detail: int, magnification: int, minification: int, levels: int) -> tuple[int, int, int]:
    """What an element reads for a level of detail (17 bits: with its bias). 0 and less magnify, from level 0.

    Returns whether it blends texels of a level, the larger of the two levels, and how much the smaller one counts, in units
    of 1/256; 0: not at all. Filters are the codes of their enums.
    """
    if detail <= 0:
        linear = 1 if magnification == _MAGNIFIES_LINEARLY else 0
    else:
        linear = 1 if minification == _LINEAR or minification & _WITHIN else 0
    if minification < _FIRST_WITH_LEVELS:
        return linear, 0, 0
    limited = min(max(detail, 0), levels - 1 << DETAIL)
    if minification & _BETWEEN:
        return linear, limited >> DETAIL, limited & (1 << DETAIL) - 1
    # Half way between two levels counts as the larger one.
    return linear, limited + (1 << DETAIL - 1) - 1 >> DETAIL, 0
