"""Interpolation of 1/W and varyings: VP = A dx + B dy, W, and C (guide, section 6; pipeline facts, 4.4).

dx and dy are distances from the reference vertex to the centre of the pixel in sixteenths of a pixel, floats of integers of
18 bits; A and B are gains for a sixteenth. All operations are those of the QPU.
"""

from collections.abc import Sequence

import numpy as np

from ..arith import float as fp
from ..arith.fixed_point import reciprocal
from ..fep.samples import CENTRE, PIXEL
from ..pse.coefficients import coefficients
from ..pse.pse import SetUp

__all__ = ["Interpolation", "interpolate"]

#: W, and of each varying the partial result VP and C.
Interpolation = tuple[np.ndarray, tuple[tuple[np.ndarray, np.ndarray], ...]]


def interpolate(primitives: Sequence[SetUp], which: np.ndarray, x: np.ndarray, y: np.ndarray) -> Interpolation:
    """W and varyings of pixels; `which` is the number of the primitive of each. All primitives have as many varyings."""
    planes = coefficients(primitives)
    places = np.array([(primitive.x, primitive.y) for primitive in primitives], np.int64)[which]
    along_x, along_y = (
        fp.itof((PIXEL * pixels + CENTRE[axis] - places[..., axis]).astype(np.int32).view(np.uint32))
        for axis, pixels in enumerate((x, y))
    )
    a, b, c = planes[..., which]
    partial = fp.fadd(fp.fmul(a, np.broadcast_to(along_x, a.shape)), fp.fmul(b, np.broadcast_to(along_y, b.shape)))
    w = reciprocal(fp.fadd(c[0], partial[0]))
    return w, tuple(zip(partial[1:], c[1:], strict=True))
