"""Vertices and coverage for tests of set-up and front end."""

import struct

import numpy as np

from vc4.records.state import Oversample
from vc4sim.model.fep.fep import Window, rasterise
from vc4sim.model.fep.samples import positions
from vc4sim.model.pse.pse import ScreenVertex, SetUpState

__all__ = ["BOTH", "bits", "coverage", "number", "quads_of", "vertex"]

#: Both faces are drawn.
BOTH = SetUpState()


def bits(value):
    """The pattern of a float."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def number(word):
    """The float of a pattern."""
    return struct.unpack("<f", struct.pack("<I", int(word)))[0]


def vertex(x, y, z=0.5, reciprocal_w=1.0, varyings=()):
    """A vertex; x and y in sixteenths of a pixel."""
    return ScreenVertex(x, y, bits(z), bits(reciprocal_w), np.array([bits(v) for v in varyings], np.uint32))


def quads_of(primitive, window, oversample=Oversample.NONE):
    """The quads of a primitive that has some."""
    assert primitive is not None
    quads = rasterise(primitive, window, oversample)
    assert quads is not None
    return quads


def coverage(primitives, width, height, oversample):
    """How many of the primitives cover each sample: [row, column, sample]."""
    count = len(positions(oversample))
    found = np.zeros((height + 1, width + 1, count), int)  # quads may reach beyond
    for primitive in primitives:
        quads = rasterise(primitive, Window(0, width, 0, height), oversample)
        if quads is not None:
            for sample in range(count):
                found[quads.y, quads.x, sample] += quads.covered >> sample & 1
    assert not found[height:].any()
    assert not found[:, width:].any()
    return found[:height, :width]
