"""Coefficients of 1/W and of varyings, as the set-up leaves them for interpolation (guide, section 6; pipeline facts, 4.4).

A varying is V = (A dx + B dy) W + C with C = V0, its value at the reference vertex. What A and B are gains of is
(V - V0) / W: 0 at the reference vertex, (V1 - V0) / W1 and (V2 - V0) / W2 at the others. 1/W is a plane by itself, with
C = 1/W0. All operations are those of the QPU; a gain is the sum of both values, each times its weight.
"""

from collections.abc import Sequence

import numpy as np

from ..arith import float as fp
from .pse import SetUp

__all__ = ["coefficients"]


def coefficients(primitives: Sequence[SetUp]) -> np.ndarray:
    """[A, B and C; 1/W and varyings; primitive], floats. All primitives have as many varyings."""
    corners = np.stack(
        [primitive.corners for primitive in primitives], axis=-1
    )  # [vertex; 1/W and varyings; primitive]
    weights = np.array([primitive.weights for primitive in primitives], np.uint32).T
    first, others = corners[0], corners[1:]
    gained = fp.fadd(others, np.broadcast_to(first ^ fp.SIGN, others.shape))
    varyings = gained[:, 1:]
    gained[:, 1:] = fp.fmul(varyings, np.broadcast_to(others[:, :1], varyings.shape))
    a, b = (
        fp.fadd(*(fp.fmul(gained[n], np.broadcast_to(weights[axis + n], first.shape)) for n in range(2)))
        for axis in (0, 2)
    )
    found = np.stack([a, b, first])
    flat = np.array([[primitive.flat >> n & 1 for primitive in primitives] for n in range(first.shape[0] - 1)], bool)
    if flat.any():
        found[:2, 1:][:, flat] = 0
        found[2, 1:][flat] = corners[2, 1:][flat]
    implicit = np.array([primitive.implicit for primitive in primitives], np.uint32).reshape(len(primitives), -1, 3)
    return np.concatenate([found[:, :1], implicit.transpose(2, 1, 0), found[:, 1:]], axis=1)
