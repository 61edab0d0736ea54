from typing import NamedTuple

import numpy as np

from ..compiled import kernel


class FragmentState(NamedTuple):
    x: np.ndarray


class TileState(NamedTuple):
    x: np.ndarray


def new_fragments(qpus):
    return FragmentState(np.zeros(4, np.int64))


def new_tile():
    return TileState(np.zeros(4, np.int64))


@kernel
def fragment_start(fragments, q, t, w_into, z_into):
    pass


@kernel
def fragment_varying(fragments, q, t, partial_into, c_into):
    pass


@kernel
def fragment_read(fragments, q, t, which, into):
    pass


@kernel
def fragment_write(fragments, tile, q, t, which, value, mask):
    pass


@kernel
def fragment_load(fragments, tile, q, t, which, into):
    pass
