"""Several vectors of one program that run as one: arrays [vector, 16], or of 16 where all vectors have the same."""

import numpy as np

__all__ = ["Divergence", "same"]


class Divergence(Exception):
    """Vectors that run as one want different things.

    values : those that have the same go together; `None`: each has to run by itself
    """

    def __init__(self, values: np.ndarray | None = None):
        super().__init__()
        self.values = values


def same(values: np.ndarray, element: int = 0) -> int:
    """One element of a vector. Raises `Divergence` if vectors have different ones."""
    chosen = values[..., element].reshape(-1)
    if len(chosen) > 1 and (chosen != chosen[0]).any():
        raise Divergence(chosen)
    return int(chosen[0])
