"""Coordinates, axes and places of texels against the model, a random one every clock."""

import random

import numpy as np
import pytest

from vc4.records.tmu import TextureType, Wrap
from vc4.tmu.axis import Axis
from vc4.tmu.fixed_point import FixedPoint
from vc4.tmu.texel_places import TexelPlaces
from vc4sim.model.tmu.coordinates import axis, fixed, wrapped
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.layout import chain

from .conftest import format_of, pattern, stream


@pytest.mark.parametrize(("fraction", "width"), [(24, 26), (8, 16)])
def test_fixed_point(simulate, fraction, width):
    rng = random.Random(width)
    items = [{"value": pattern(rng), "modulo": rng.getrandbits(1)} for _ in range(4000)]
    dut = FixedPoint(fraction, width)
    got = stream(simulate, dut, items, FixedPoint.LATENCY, dut.o)
    for item, one in zip(items, got, strict=True):
        assert one == fixed(item["value"], fraction, width, item["modulo"]), item


def test_axis(simulate):
    rng = random.Random(5)
    items = []
    for _ in range(4000):
        coordinate = rng.choice(
            (rng.randrange(-1 << 25, 1 << 25), rng.randrange(-8, 8), (1 << 24) + rng.randrange(-9, 9))
        )
        size = rng.choice((1, 2, 3, 2048, rng.randrange(1, 2049)))
        items.append(
            {"coordinate": coordinate, "wrap": rng.choice(list(Wrap)), "size": size, "linear": rng.getrandbits(1)}
        )
    dut = Axis()
    got = stream(simulate, dut, items, Axis.LATENCY, dut.o)
    for item, one in zip(items, got, strict=True):
        coordinate = wrapped(item["coordinate"], item["wrap"].value)
        *texels, left, right, weight = axis(coordinate, item["size"], item["wrap"].value, item["linear"])
        assert (list(one.texels), one.inside, one.weight) == (texels, left | right << 1, weight), item


def test_places(simulate):
    """Texels of all levels of images of all types."""
    rng = random.Random(6)
    items, expected = [], []
    for _ in range(3000):
        kind = FORMATS[rng.choice(list(TextureType))]
        width, height = (rng.choice((rng.randrange(1, 40), rng.randrange(1, 2049))) for _ in range(2))
        level = rng.choice(chain(kind, width, height, rng.randrange(1, 12)))
        x, y = ([rng.randrange(extent) for _ in range(2)] for extent in (level.width, level.height))
        shape = {"pitch": level.tiles_across, "tiled": level.tiled}
        items.append({"format": format_of(kind), "level": shape, "x": x, "y": y})
        expected.append(level.place(np.array(x), np.array(y)[:, None]).ravel().tolist())
    dut = TexelPlaces()
    got = stream(simulate, dut, items, TexelPlaces.LATENCY, dut.o)
    for item, one, place in zip(items, got, expected, strict=True):
        assert list(one) == place, item
