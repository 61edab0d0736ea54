"""Vertices and coverage for tests of set-up and front end."""

import struct
from typing import NamedTuple

import numpy as np

from vc4.records.samples import SAMPLES
from vc4.records.state import Oversample
from vc4sim.model.fep.fep import COVERED, QUAD, QUAD_X, QUAD_Y, QUAD_Z, FrontEnd, Limits, Window
from vc4sim.model.pse.pse import ScreenVertex, SetUpState
from vc4sim.model.tlb.tlb import TileBuffer

__all__ = ["BOTH", "Quads", "bits", "coverage", "number", "quads_of", "rasterise", "vertex"]

#: Both faces are drawn.
BOTH = SetUpState()
_FRONT_END = FrontEnd(TileBuffer())


class Quads(NamedTuple):
    """Quads that the front end has made, each array [quad, 4]: pixels, samples of them, Z."""

    x: np.ndarray
    y: np.ndarray
    covered: np.ndarray
    z: np.ndarray


def bits(value):
    """The pattern of a float."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def number(word):
    """The float of a pattern."""
    return struct.unpack("<f", struct.pack("<I", int(word)))[0]


def vertex(x, y, z=0.5, reciprocal_w=1.0, varyings=()):
    """A vertex; x and y in sixteenths of a pixel."""
    return ScreenVertex(x, y, bits(z), bits(reciprocal_w), tuple(map(bits, varyings)))


def rasterise(primitive, window, oversample=Oversample.NONE, limits=Limits()):
    """The quads of a primitive."""
    kept = _FRONT_END.rasterise(primitive, window, oversample, limits).kept
    found = _FRONT_END.quads.arrays[:kept].copy()
    x, y = found[:, QUAD_X, None] + [0, 1, 0, 1], found[:, QUAD_Y, None] + [0, 0, 1, 1]
    return Quads(x, y, found[:, COVERED : COVERED + QUAD], found[:, QUAD_Z : QUAD_Z + QUAD])


def quads_of(primitive, window, oversample=Oversample.NONE):
    """The quads of a primitive that has some."""
    assert primitive is not None
    quads = rasterise(primitive, window, oversample)
    assert len(quads.x)
    return quads


def coverage(primitives, width, height, oversample):
    """How many of the primitives cover each sample: [row, column, sample]."""
    count = len(SAMPLES[oversample])
    found = np.zeros((height + 1, width + 1, count), int)  # quads may reach beyond
    for primitive in primitives:
        quads = rasterise(primitive, Window(0, width, 0, height), oversample)
        for sample in range(count):
            found[quads.y, quads.x, sample] += quads.covered >> sample & 1
    assert not found[height:].any()
    assert not found[:, width:].any()
    return found[:height, :width]
