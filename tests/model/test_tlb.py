"""The tile buffer: depth and stencil tests against a reference of single samples, colours, masks, clears."""

import operator
import random

import numpy as np
import pytest

from vc4.records.state import DepthTest
from vc4sim.model.tlb.stencil import StencilMode
from vc4sim.model.tlb.tlb import ClearValues, TileBuffer, TileShape

COMPARE = {
    DepthTest.NEVER: lambda a, b: False,
    DepthTest.LESS: operator.lt,
    DepthTest.EQUAL: operator.eq,
    DepthTest.LESS_EQUAL: operator.le,
    DepthTest.GREATER: operator.gt,
    DepthTest.NOT_EQUAL: operator.ne,
    DepthTest.GREATER_EQUAL: operator.ge,
    DepthTest.ALWAYS: lambda a, b: True,
}
OPERATIONS = (
    lambda old, ref: 0,
    lambda old, ref: old,
    lambda old, ref: ref,
    lambda old, ref: old + (old < 255),
    lambda old, ref: old - (old > 0),
    lambda old, ref: 255 - old,
    lambda old, ref: (old + 1) % 256,
    lambda old, ref: (old - 1) % 256,
)
MASKS = (1, 3, 15, 255)


def expected(word, masks, z, old_z, old, depth, updates):
    """Whether a sample passes, its new Z and stencil; `word` 0: the stencil test is off."""
    nearer = COMPARE[depth](z, old_z)
    holds, new = True, old
    if word:
        mask, reference = word & 255, word >> 8 & 255
        holds = COMPARE[DepthTest(word >> 16 & 7)](reference & mask, old & mask)
        shift = 19 if not holds else 22 if nearer else 25
        write = masks if masks is not None else MASKS[word >> 28 & 3]
        new = old & ~write & 255 | OPERATIONS[word >> shift & 7](old, reference) & write
    passes = nearer and holds
    return passes, z if passes and updates else old_z, new


@pytest.mark.parametrize("multisample", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_both_tests(multisample, seed):
    rng = random.Random(seed)
    tile = TileBuffer(TileShape(multisample))
    samples = tile.shape.samples
    tile.x, tile.y = 64, 32
    old_z = np.array([[[rng.randrange(4) for _ in range(samples)] for _ in range(4)] for _ in range(4)])
    old = np.array([[[rng.choice((0, 1, 5, 254, 255)) for _ in range(samples)] for _ in range(4)] for _ in range(4)])
    tile.z[:4, :4], tile.stencil[:4, :4] = old_z, old
    mode, words, masks = StencilMode(), [0, 0], [None, None]
    for _ in range(rng.randrange(3)):
        word = rng.getrandbits(30)
        select = rng.randint(1, 3)
        mode.write(select << 30 | word)
        for face in (0, 1):
            if select >> face & 1:
                words[face], masks[face] = word | 1 << 40, None
    if rng.random() < 0.4:
        word = rng.getrandbits(16)
        mode.write(word)
        masks = [word & 255, word >> 8]
    depth, updates = rng.choice(list(DepthTest)), rng.random() < 0.5
    y, x = (array.reshape(1, 16) for array in np.mgrid[0:4, 0:4])
    flags = np.array([[rng.getrandbits(4) for _ in range(16)]])
    reverse = np.array([[rng.random() < 0.5 for _ in range(16)]])
    z = np.array([[rng.randrange(4) | rng.choice((0, 0x5500_0000)) for _ in range(16)]], np.uint32)
    passed = tile.test(x + 64, y + 32, flags, reverse, z, depth, updates=updates, stencil=mode)
    for n in range(16):
        row, column, wanted = int(y[0, n]), int(x[0, n]), 0
        for sample in range(samples):
            before = int(old_z[row, column, sample]), int(old[row, column, sample])
            after = before
            if flags[0, n] >> sample & 1:
                face = int(reverse[0, n])
                passes, *after = expected(words[face], masks[face], int(z[0, n]) & 0xFFFFFF, *before, depth, updates)
                wanted |= passes << sample
            assert (tile.z[row, column, sample], tile.stencil[row, column, sample]) == tuple(after), f"seed {seed}"
        assert passed[0, n] == (wanted if multisample else 15 * bool(wanted))
    assert not tile.z[4:].any()


def test_write_masks_alone_enable_nothing():
    mode = StencilMode()
    mode.write(0x1234)
    assert not mode.front.enabled
    assert (mode.front.write_mask, mode.back.write_mask) == (0x34, 0x12)
    mode.write(2 << 30)
    assert (mode.front.enabled, mode.back.enabled) == (False, True)


def pixels(*places):
    """A quad of these pixels; those that are missing are the last one again."""
    x, y = zip(*places, *[places[-1]] * (4 - len(places)), strict=True)
    return np.array([x]), np.array([y])


def quad(*values):
    """One value a pixel of a quad, 0 for those that are missing."""
    return np.array([[*values, *(0,) * (4 - len(values))]], np.uint32)


def test_colours_go_to_samples_with_flags():
    tile = TileBuffer(TileShape(multisample=True))
    x, y = pixels((0, 0), (5, 7))
    tile.write_colour(x, y, quad(0b1010, 0b0001), range(4), 0, quad(1, 2))
    assert tile.colour[0, 0, :, 0].tolist() == [0, 1, 0, 1]
    assert tile.colour[7, 5, :, 0].tolist() == [2, 0, 0, 0]
    assert tile.load_colour(x, y, 3, 0).tolist() == [[1, 0, 0, 0]]
    assert tile.load_colour(x, y, 4, 0).tolist() == [[0, 2, 2, 2]]  # the first sample once more
    assert np.count_nonzero(tile.colour) == 3


def test_wide_colours_have_two_words():
    tile = TileBuffer(TileShape(words=2))
    assert tile.colour.shape == (32, 64, 1, 2)
    x, y = pixels((3, 4))
    tile.write_colour(x, y, quad(15), range(1), 0, quad(7))
    tile.write_colour(x, y, quad(15), range(1), 1, quad(8))
    assert tile.colour[4, 3, 0].tolist() == [7, 8]
    assert [int(tile.load_colour(x, y, 0, word)[0, 0]) for word in range(3)] == [7, 8, 7]


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        (TileShape(), (64, 64, 1)),
        (TileShape(multisample=True), (32, 32, 4)),
        (TileShape(words=2), (32, 64, 1)),
        (TileShape(multisample=True, words=2), (16, 32, 4)),
        (TileShape(double=True), (32, 64, 1)),
        (TileShape(multisample=True, double=True), (32, 32, 4)),
    ],
)
def test_shapes(shape, size):
    assert TileBuffer(shape).z.shape == size


def test_clears():
    values = ClearValues((0x11, 0x22), 0x333333, 0x44, 0x55)
    tile = TileBuffer()
    tile.clear(values, colour=False, zs=False, mask=False)
    assert not tile.colour.any() | tile.z.any() | tile.mask.any()
    tile.clear(values, zs=False)
    assert (tile.colour[:, 0::2] == 0x11).all()
    assert (tile.colour[:, 1::2] == 0x22).all()
    assert not tile.z.any()
    assert (tile.mask == 0x55).all()
    tile.clear(values)
    assert (tile.z == 0x333333).all()
    assert (tile.stencil == 0x44).all()
    wide = TileBuffer(TileShape(words=2))
    wide.clear(values)
    assert (wide.colour == [0x11, 0x22]).all()


def test_a_frame_of_the_same_shape_keeps_what_is_there():
    tile = TileBuffer()
    tile.clear(ClearValues((5, 5)))
    tile.configure(TileShape())
    assert (tile.colour == 5).all()
    tile.configure(TileShape(multisample=True))
    assert not tile.colour.any()


def test_alpha_mask():
    tile = TileBuffer()
    x, y = pixels((1, 2), (3, 4))
    tile.write_mask(x, y, quad(15, 0), quad(0x1234_56AB, 0xFF))
    assert tile.load_mask(x, y).tolist() == [[0xAB, 0, 0, 0]]
