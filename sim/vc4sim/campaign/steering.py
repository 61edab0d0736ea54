"""Which cells are rare: of these there is to be more."""

from collections.abc import Iterable

import numpy as np

from ..coverage.count import Cells
from ..coverage.groups import Group
from .job import SteeredCell

__all__ = ["rare"]

#: Cells at the most, and what counts as rare: fewer hits than the mean of its group by this factor.
_MOST, _FACTOR = 400, 4
#: The weight of a cell that nobody has hit; one hit halves it.
_WEIGHT = 1 << 12


def rare(covered: Cells, groups: Iterable[Group]) -> list[SteeredCell]:
    """The rarest cells of some groups that can be reached, the rarest first; the same for the same hits."""
    found = []
    for group in groups:
        hits = covered.hits[covered.groups.index(group)].ravel()
        reachable = group.reachable().ravel()
        count = int(reachable.sum())
        bound = int(hits[reachable].sum()) // (_FACTOR * count) if count else 0
        for cell in np.flatnonzero(reachable & (hits <= bound)).tolist():
            number = int(hits[cell])
            found.append((number, SteeredCell(group.name, cell, max(1, _WEIGHT // (1 + number)))))
    found.sort(key=lambda pair: (pair[0], pair[1]))
    return [cell for _, cell in found[:_MOST]]
