"""The tile buffer: depth and stencil tests against a reference of single samples, colours, masks, clears."""

import operator
import random

import numpy as np
import pytest

from vc4.isa.ops import Signal
from vc4.records.state import DepthTest
from vc4sim.model.tlb.tlb import ClearValues, TileBuffer, TileShape

from ..fragment_vectors import Vector

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
    tile = TileBuffer(TileShape(multisample), 64, 32)
    samples = tile.shape.samples
    old_z = np.array([[[rng.randrange(4) for _ in range(samples)] for _ in range(4)] for _ in range(4)])
    old = np.array([[[rng.choice((0, 1, 5, 254, 255)) for _ in range(samples)] for _ in range(4)] for _ in range(4)])
    tile.zs[:4, :4] = old_z << 8 | old
    set_ups, words, masks = [], [0, 0], [None, None]
    for _ in range(rng.randrange(3)):
        word = rng.getrandbits(30)
        select = rng.randint(1, 3)
        set_ups.append(select << 30 | word)
        for face in (0, 1):
            if select >> face & 1:
                words[face], masks[face] = word | 1 << 40, None
    if rng.random() < 0.4:
        word = rng.getrandbits(16)
        set_ups.append(word)
        masks = [word & 255, word >> 8]
    depth, updates = rng.choice(list(DepthTest)), rng.random() < 0.5
    flags = [rng.getrandbits(4) for _ in range(16)]
    reverse = [rng.randrange(2) for _ in range(16)]
    z = [rng.randrange(4) | rng.choice((0, 0x5500_0000)) for _ in range(16)]
    places = [(64 + n % 4, 32 + n // 4) for n in range(16)]
    vector = Vector(tile, places, flags, reverse, depth=depth, z_updates=updates)
    for word in set_ups:
        vector.write("stencil", [word])
    vector.write("tlbz", z)
    for n in range(16):
        row, column, wanted = n // 4, n % 4, 0
        for sample in range(samples):
            before = int(old_z[row, column, sample]), int(old[row, column, sample])
            after = before
            if flags[n] >> sample & 1:
                face = reverse[n]
                passes, *after = expected(words[face], masks[face], z[n] & 0xFFFFFF, *before, depth, updates)
                wanted |= passes << sample
            assert divmod(int(tile.zs[row, column, sample]), 256) == tuple(after), f"seed {seed}"
        assert vector.flags[n] == (wanted if multisample else 15 * bool(wanted))
    assert not tile.zs[4:].any()


@pytest.mark.parametrize("enabled", [False, True])
def test_write_masks_alone_enable_nothing(enabled):
    tile = TileBuffer()
    vector = Vector(tile, [(0, 0)], [15])
    zero_everything = 1 << 30 | 7 << 16  # the test of the front always passes, and each operation is to clear
    if enabled:
        vector.write("stencil", [zero_everything])
    vector.write("stencil", [0x120F])
    tile.zs[...] = 0xFF
    vector.write("tlbz", [0])
    assert tile.zs[0, 0, 0] == (0xF0 if enabled else 0xFF)


def test_colours_go_to_samples_with_flags():
    tile = TileBuffer(TileShape(multisample=True))
    vector = Vector(tile, [(0, 0), (5, 7)], [0b1010, 0b0001])
    vector.write("tlbc", [1, 2])
    assert tile.colour[0, 0, :, 0].tolist() == [0, 1, 0, 1]
    assert tile.colour[7, 5, :, 0].tolist() == [2, 0, 0, 0]
    assert np.count_nonzero(tile.colour) == 3
    loads = [vector.load(Signal.LOAD_COLOUR)[:2] for _ in range(5)]
    assert loads == [[0, 2], [1, 0], [0, 0], [1, 0], [0, 2]]  # at last the first sample once more


def test_single_samples_are_written_one_after_the_other():
    tile = TileBuffer(TileShape(multisample=True))
    vector = Vector(tile, [(0, 0), (5, 7)], [0b1111, 0b0110])
    for value in range(1, 6):
        vector.write("tlbm", [value, 10 * value])
    assert tile.colour[0, 0, :, 0].tolist() == [5, 2, 3, 4]  # the fifth is of the first sample again
    assert tile.colour[7, 5, :, 0].tolist() == [0, 20, 30, 0]


def test_wide_colours_have_two_words():
    tile = TileBuffer(TileShape(words=2))
    assert tile.colour.shape == (32, 64, 1, 2)
    vector = Vector(tile, [(3, 4)], [15])
    vector.write("tlbc", [7])
    vector.write("tlbc", [8])
    assert tile.colour[4, 3, 0].tolist() == [7, 8]
    assert [vector.load(Signal.LOAD_COLOUR)[0] for _ in range(3)] == [7, 8, 7]


def test_copies_of_the_last_quad_never_have_flags():
    tile = TileBuffer()
    tile.clear(ClearValues(z=50))
    vector = Vector(tile, [(0, 0), (1, 0), (0, 1), (1, 1)], [15] * 4, depth=DepthTest.LESS, z_updates=True)
    vector.write("ms_mask", [15] * 16)
    assert vector.flags == [15] * 4 + [0] * 12
    vector.write("tlbz", [10] * 4 + [20] * 12)
    assert tile.zs[0, 0, 0] == 10 << 8


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
    assert TileBuffer(shape).zs.shape == size


def test_clears():
    values = ClearValues((0x11, 0x22), 0x333333, 0x44, 0x55)
    tile = TileBuffer()
    tile.clear(values, colour=False, zs=False, mask=False)
    assert not tile.colour.any() | tile.zs.any() | tile.mask.any()
    tile.clear(values, zs=False)
    assert (tile.colour[:, 0::2] == 0x11).all()
    assert (tile.colour[:, 1::2] == 0x22).all()
    assert not tile.zs.any()
    assert (tile.mask == 0x55).all()
    tile.clear(values)
    assert (tile.zs == 0x3333_3344).all()
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
    vector = Vector(tile, [(1, 2), (3, 4)], [15, 0])
    vector.write("tlbam", [0x1234_56AB, 0xFF])
    assert vector.load(Signal.LOAD_ALPHA_MASK)[:2] == [0xABAB_ABAB, 0]
