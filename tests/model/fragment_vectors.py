"""Vectors of fragments that tests write themselves."""

import numpy as np

from vc4sim.model.compiled import Buffers, Entry, State
from vc4sim.model.qpu import fragment_port
from vc4sim.model.qpu.fragment_port import FRAGMENT_LOADS, FRAGMENT_WRITES
from vc4sim.model.qpu.fragment_state import FLAGS, REVERSE, FragmentModes, X, Y, begin_fragments, new_fragments

__all__ = ["Vector"]

_begin, _load, _write = (
    Entry(kernel) for kernel in (begin_fragments, fragment_port.fragment_load, fragment_port.fragment_write)
)
_ELEMENTS = 16


def _words(values=()):
    """A vector; elements that are missing are 0."""
    return Buffers(np.array([*values, *(0,) * (_ELEMENTS - len(values))], np.int64))


class Vector:
    """Pixels of a tile, flags of each, and which are seen from behind; quads that are left have the last pixel, without flags."""

    def __init__(self, tile, places, flags, reverse=(), **modes):
        self._tile, self._state = tile, State(new_fragments())
        self._pixels = self._state.arrays.pixels[0, 0]
        for element in range(_ELEMENTS):
            self._pixels[[X, Y], element] = places[min(element, len(places) - 1)]
        self._pixels[FLAGS] = _words(flags).arrays
        self._pixels[REVERSE] = _words(reverse).arrays
        real = -(-len(places) // 4) * 4
        _begin(Buffers(self._state.arrays.modes), 0, 0, 0, real, *FragmentModes(**modes).codes)

    def write(self, register, values, mask=(1,) * _ELEMENTS):
        """Write a register."""
        number = FRAGMENT_WRITES.index(register)
        _write(self._state, self._tile.state, 0, 0, number, _words(values), _words(mask))

    def load(self, signal):
        """What a signal brings to r4."""
        into = _words()
        _load(self._state, self._tile.state, 0, 0, FRAGMENT_LOADS[signal], into)
        return into.arrays.tolist()

    @property
    def flags(self):
        """Of all pixels."""
        return self._pixels[FLAGS].tolist()
