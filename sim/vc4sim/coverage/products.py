"""Groups of cells that are products of a few columns: of what is observed each row says where it is in every dimension."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .groups import Gap, Group

__all__ = ["Observed", "product_group"]

#: Columns by their names, all of the same length; a row that has nothing to say has -1.
Observed = Mapping[str, Sequence[int] | np.ndarray]


def product_group(name: str, dimensions: Mapping[str, Sequence[str]], gaps: Sequence[Gap] = ()) -> Group:
    """All products of the labels of some dimensions, which are named like the columns. Nothing is counted of what lacks a column."""

    def hits(observed: Observed) -> Iterator[tuple[np.ndarray, tuple[np.ndarray, ...]]]:
        if all(name in observed for name in dimensions):
            columns = tuple(np.asarray(observed[name], np.int64) for name in dimensions)
            yield np.all([column >= 0 for column in columns], axis=0), columns

    return Group(name, {name: tuple(labels) for name, labels in dimensions.items()}, hits, tuple(gaps))
