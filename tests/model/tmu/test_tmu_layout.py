"""Where texels lie: the vectors of the pipeline facts, and that no two texels share a place."""

import random

import numpy as np
import pytest

from vc4.records.tmu import TextureType
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.layout import chain

from ..tlb.t_format import T_FORMAT
from . import gl_sampler

BY_BYTES = {
    4: TextureType.RGBA8888,
    2: TextureType.RGB565,
    1: TextureType.LUMINANCE,
    8: TextureType.RGBA64,
}
#: Section 10.2: level, T-format, address in the allocation, bytes.
MIP_CHAIN = [
    (6, False, 1280, 64),
    (5, False, 1344, 64),
    (4, False, 1408, 128),
    (3, False, 1536, 512),
    (2, False, 2048, 2048),
    (1, True, 4096, 8192),
    (0, True, 12288, 32768),
]


@pytest.mark.parametrize(("x", "y", "width", "size", "address"), T_FORMAT)
def test_t_format(x, y, width, size, address):
    (level,) = chain(FORMATS[BY_BYTES[size]], width, 128, 1)
    assert level.tiled
    assert level.place(np.array(x), np.array(y)) == 8 * address


def test_mip_chain():
    levels = chain(FORMATS[TextureType.RGBA8888], 100, 60, 7)
    found = [(number, level.tiled, 12288 + level.offset, level.size) for number, level in enumerate(levels)]
    assert found == MIP_CHAIN[::-1]
    assert [(level.width, level.height) for level in levels[:4]] == [(100, 60), (50, 30), (25, 15), (12, 7)]


@pytest.mark.parametrize(("kind", "width", "height"), [
    ("RGBA8888", 16, 16), ("RGB565", 32, 16), ("ALPHA", 32, 32), ("A4", 64, 32), ("A1", 128, 64), ("RGBA64", 8, 16),
    ("ETC1", 32, 64),
])  # fmt: skip
def test_a_level_is_tiled_if_both_its_sides_are_longer_than_a_sub_tile(kind, width, height):
    for more_x, more_y in ((0, 0), (1, 0), (0, 1), (1, 1)):
        (level,) = chain(FORMATS[TextureType[kind]], width + more_x, height + more_y, 1)
        assert level.tiled == bool(more_x and more_y)


def places(level):
    y, x = np.mgrid[: level.height, : level.width]
    return level.place(x.ravel(), y.ravel())


@pytest.mark.parametrize("kind", TextureType.__members__)
def test_every_texel_has_its_place_within_its_level(kind):
    """Levels do not overlap, texels do not, and blocks hold as many as they should."""
    rng = random.Random(3)
    format_ = FORMATS[TextureType[kind]]
    sizes = [(1, 1), (8, 4), (64, 64), (33, 17), (130, 70)] + [
        (rng.randrange(1, 200), rng.randrange(1, 200)) for _ in range(6)
    ]
    for width, height in sizes:
        levels = chain(format_, width, height, rng.randrange(1, 10))
        end = None
        for number, level in enumerate(levels):
            found = places(level)
            assert found.min() >= 0
            assert found.max() + format_.bits <= 8 * level.size
            assert (found % format_.bits == 0).all()
            _, counts = np.unique(found, return_counts=True)
            assert counts.max() <= format_.block**2
            if format_.block == 1:
                assert len(counts) == level.width * level.height
            assert (level.width, level.height) == (max(width >> number, 1), max(height >> number, 1))
            if end is not None:
                assert level.offset + level.size == end
            end = level.offset


@pytest.mark.parametrize("kind", [kind for kind in TextureType.__members__ if not kind.endswith("R")])
def test_a_padded_level_fills_its_memory(kind):
    """With its padding, every bit of a level is a texel's."""
    format_ = FORMATS[TextureType[kind]]
    width, height = 16 * format_.tile_width, 24 * format_.tile_height
    (level,) = chain(format_, width, height, 1)
    found = np.unique(places(level))
    assert (np.diff(found) == format_.bits).all()
    assert len(found) * format_.bits == 8 * level.size == 16 * 24 * 512


@pytest.mark.parametrize("kind", TextureType.__members__)
def test_the_walk_through_memory_comes_to_the_same_places(kind):
    rng = random.Random(5)
    format_ = FORMATS[TextureType[kind]]
    across, up = (2, 1) if kind == "YUYV422R" else gl_sampler.CELL_TEXELS.get(kind, (1, 1))
    for width, height in [(100, 60), (8, 8), (rng.randrange(1, 150), rng.randrange(1, 150))]:
        where, size = gl_sampler.walk(kind, width, height)
        (level,) = chain(format_, width, height, 1)
        assert level.size == size
        for _ in range(200):
            x, y = rng.randrange(width), rng.randrange(height)
            place = where[x // across, y // up] * 8 + (0 if format_.block > 1 else x % across * format_.bits)
            assert level.place(np.array(x), np.array(y)) == place
