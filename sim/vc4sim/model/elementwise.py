"""Kernels of integers for whole arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["elementwise"]


def elementwise(function: Callable[..., Any], *operands: Any) -> Any:
    """A kernel of integers for each element of arrays that fit together, interpreted; for tests.

    Returns an array (int64), or one of each number that the kernel returns.
    """
    arrays = np.broadcast_arrays(*operands)
    columns = (array.reshape(-1).astype(np.int64).tolist() for array in arrays)
    results = np.array(list(map(function, *columns)), np.int64)
    if results.ndim == 1:
        return results.reshape(arrays[0].shape)
    return tuple(column.reshape(arrays[0].shape) for column in results.T)
