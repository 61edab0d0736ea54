"""Interpolation of 1/W and varyings: VP = A dx + B dy, W, and C (guide, section 6; pipeline facts, 4.4).

dx and dy are distances from the reference vertex to the centre of the pixel in sixteenths of a pixel, floats of integers of
18 bits; A and B are gains for a sixteenth. All operations are those of the QPU.
"""

from vc4.records.samples import PIXEL

from ..arith.fixed_point import reciprocal
from ..arith.float import WORD, fadd, fmul, itof
from ..compiled import kernel

__all__ = ["distance", "partial_result", "w_of"]


@kernel
def distance(pixel: int, centre: int, reference: int) -> int:
    """One of dx and dy, a float."""
    return itof(PIXEL * pixel + centre - reference & WORD)


@kernel
def partial_result(a: int, b: int, dx: int, dy: int) -> int:
    """VP."""
    return fadd(fmul(a, dx), fmul(b, dy))


@kernel
def w_of(partial: int, c: int) -> int:
    """W of the partial result and C of 1/W."""
    return reciprocal(fadd(c, partial))
