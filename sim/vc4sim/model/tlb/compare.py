"""The eight comparisons of depth and stencil tests (guide, tables 27 and 38)."""

from collections.abc import Callable

import numpy as np

from vc4.records.state import DepthTest

__all__ = ["passes"]

_TESTS: dict[DepthTest, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    DepthTest.NEVER: lambda new, old: np.zeros(np.broadcast_shapes(np.shape(new), np.shape(old)), bool),
    DepthTest.LESS: np.less,
    DepthTest.EQUAL: np.equal,
    DepthTest.LESS_EQUAL: np.less_equal,
    DepthTest.GREATER: np.greater,
    DepthTest.NOT_EQUAL: np.not_equal,
    DepthTest.GREATER_EQUAL: np.greater_equal,
    DepthTest.ALWAYS: lambda new, old: np.ones(np.broadcast_shapes(np.shape(new), np.shape(old)), bool),
}


def passes(test: DepthTest, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Whether `new` is to `old` what the test asks for; both are unsigned."""
    return _TESTS[test](new, old)
