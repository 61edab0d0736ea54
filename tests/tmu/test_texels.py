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
from vc4sim.random_programs.texture_job import pattern

from .conftest import format_of, stream


@pytest.mark.parametrize(("fraction", "width", "limits"), [(24, 26, False), (8, 16, True), (8, 16, False)])
def test_fixed_point(simulate, fraction, width, limits):
    rng = random.Random(width)
    values = [
        *(pattern(rng) for _ in range(4000)),
        *(exponent << 23 | sign << 31 for exponent in range(256) for sign in range(2)),
    ]
    values += [value ^ (rng.getrandbits(23) & -rng.getrandbits(1)) for value in values[4000:]]
    items = [{"value": value} | ({} if limits else {"modulo": rng.getrandbits(1)}) for value in values]
    dut = FixedPoint(fraction, width, limits=limits)
    got = stream(simulate, dut, items, FixedPoint.LATENCY, dut.o)
    for item, one in zip(items, got, strict=True):
        assert one == fixed(item["value"], fraction, width, item.get("modulo", 0)), item


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
    items, firsts, expected = [], [], []
    for _ in range(3000):
        type_ = rng.choice(list(TextureType))
        kind = FORMATS[type_]
        width, height = (rng.choice((rng.randrange(1, 40), rng.randrange(1, 2049))) for _ in range(2))
        level = rng.choice(chain(kind, width, height, rng.randrange(1, 12)))
        x, y = ([rng.randrange(extent) for _ in range(2)] for extent in (level.width, level.height))
        shape = {"pitch": level.tiles_across, "tiled": level.tiled}
        items.append({"format": format_of(kind), "level": shape, "x": x, "y": y})
        firsts.append(rng.getrandbits(28) << 4)
        # Texels of a pair lie at its first byte.
        columns = np.array(x) & (-2 if type_ is TextureType.YUYV422R else -1)
        places = level.place(columns, np.array(y)[:, None]).ravel()
        expected.append(
            [firsts[-1] + place // 8 & 0xFFFF_FFFF for place in places.tolist()] + (places[:2] % 8).tolist()
        )
    late = [*[0] * TexelPlaces.FIRST, *firsts]
    items = [item | {"first": first} for item, first in zip([*items, *items[-2:]], late, strict=True)]
    for name, wanted in (("o", slice(4)), ("bits", slice(4, 6))):
        dut = TexelPlaces()
        got = stream(simulate, dut, items, TexelPlaces.LATENCY, getattr(dut, name))
        for item, one, place in zip(items, got, expected, strict=False):
            assert list(one) == place[wanted], item
