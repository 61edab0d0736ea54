"""Cells that are missing, in few words: a whole slice of a group is one hole."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .groups import Group

__all__ = ["holes"]


def holes(group: Group, reached: np.ndarray) -> list[str]:
    """What can be reached in a group and is not, the largest slices first: `dimension=label, ...`."""
    reachable = group.reachable()
    missing = reachable & ~reached
    texts = []
    axes = range(len(group.dimensions))
    for size in range(len(axes) + 1):
        for named in combinations(axes, size):
            others = tuple(axis for axis in axes if axis not in named)
            slices = missing.any(axis=others, keepdims=True) & ~(reached & reachable).any(axis=others, keepdims=True)
            texts += (_text(group, named, place) for place in np.argwhere(slices))
            missing &= ~slices
    return texts


def _text(group: Group, named: tuple[int, ...], place: np.ndarray) -> str:
    return ", ".join(_labels(group, named, place)) or "everything"


def _labels(group: Group, named: tuple[int, ...], place: np.ndarray) -> Iterator[str]:
    dimensions = list(group.dimensions.items())
    for axis in named:
        name, labels = dimensions[axis]
        yield f"{name}={labels[place[axis]]}"
