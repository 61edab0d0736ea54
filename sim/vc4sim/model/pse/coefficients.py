"""Coefficients of 1/W and of varyings, as the set-up leaves them for interpolation (guide, section 6; pipeline facts, 4.4).

A varying is V = (A dx + B dy) W + C with C = V0, its value at the reference vertex. What A and B are gains of is
(V - V0) / W: 0 at the reference vertex, (V1 - V0) / W1 and (V2 - V0) / W2 at the others. 1/W is a plane by itself, with
C = 1/W0. All operations are those of the QPU; a gain is the sum of both values, each times its weight.
"""

from collections.abc import Sequence

import numpy as np

from ..arith.float import SIGN, fadd, fmul
from ..compiled import Buffers, Entry, kernel

__all__ = ["COEFFICIENTS", "Corners", "Implicit", "coefficients"]

#: A, B and C.
COEFFICIENTS = 3
_VERTICES = 3
_FLAT_BITS = 32
#: A, B and C of a varying that no shader has written.
Implicit = tuple[int, int, int]
#: 1/W and varyings of three vertices.
Corners = tuple[Sequence[int], Sequence[int], Sequence[int]]


@kernel
def _gained(corners, vertex: int, plane: int) -> int:
    """What 1/W (plane 0) or a varying over W gains from the reference vertex to another one."""
    gain = fadd(corners[vertex, plane], corners[0, plane] ^ SIGN)
    return fmul(gain, corners[vertex, 0]) if plane else gain


@kernel
def _find(planes, corners, weights, count: int, implicit: int, flat: int) -> None:
    """The planes of what vertices have."""
    for plane in range(count):
        place = COEFFICIENTS * (plane + implicit if plane else 0)
        if 0 < plane <= _FLAT_BITS and flat >> plane - 1 & 1:
            planes[place] = 0
            planes[place + 1] = 0
            planes[place + 2] = corners[_VERTICES - 1, plane]
        else:
            first, second = _gained(corners, 1, plane), _gained(corners, 2, plane)
            planes[place] = fadd(fmul(first, weights[0]), fmul(second, weights[1]))
            planes[place + 1] = fadd(fmul(first, weights[2]), fmul(second, weights[3]))
            planes[place + 2] = corners[0, plane]


_find_planes = Entry(_find)


def coefficients(corners: Corners, weights: Sequence[int], implicit: Sequence[Implicit], flat: int) -> np.ndarray:
    """A, B and C of 1/W, of the implicit varyings, and of those of the vertices, floats: one after the other.

    Arguments are those of `SetUp`.
    """
    given = np.array(corners, np.int64)
    count = given.shape[1]
    planes = np.zeros(COEFFICIENTS * (count + len(implicit)), np.int64)
    if implicit:
        planes[COEFFICIENTS : COEFFICIENTS * (1 + len(implicit))] = np.array(implicit, np.int64).reshape(-1)
    _find_planes(Buffers(planes), Buffers(given), Buffers(np.array(weights, np.int64)), count, len(implicit), flat)
    return planes
