"""Coverage: all updates, against counters of single samples; levels and masks."""

import random

import numpy as np
import pytest

from vc4.records.state import CoverageUpdate
from vc4sim.model.cap.cap import SAMPLES, Update, level, sample_mask, updated
from vc4sim.model.tlb.tlb import TileBuffer


def counters(word):
    return [word >> 2 * n & 3 for n in range(SAMPLES)]


@pytest.mark.parametrize("mode", list(CoverageUpdate))
@pytest.mark.parametrize("turns", [1, -1])
def test_updates(mode, turns):
    rng = random.Random(1)
    for _ in range(200):
        word, covered = rng.getrandbits(32), rng.getrandbits(16)
        new = int(updated(np.array([word]), Update(mode, turns), np.array([covered]))[0])
        for n, (old, found) in enumerate(zip(counters(word), counters(new), strict=True)):
            wanted = {
                CoverageUpdate.NONZERO: (old + turns) % 4,
                CoverageUpdate.ODD: old ^ 1,
                CoverageUpdate.OR: old | 1,
                CoverageUpdate.ZERO: 0,
            }[mode]
            assert found == (wanted if covered >> n & 1 else old)


def test_levels_and_masks():
    rng = random.Random(2)
    for _ in range(200):
        word = rng.getrandbits(32) & rng.getrandbits(32)
        covered = [count != 0 for count in counters(word)]
        assert int(sample_mask(np.array([word]))[0]) == sum(
            1 << n for n, is_covered in enumerate(covered) if is_covered
        )
        assert abs(int(level(np.array([word]))[0]) - 255 * sum(covered) / 16) <= 0.5
    assert level(np.array([0, 0xFFFF_FFFF])).tolist() == [0, 255]


def test_coverage_takes_the_place_of_z_and_stencil():
    tile = TileBuffer()
    x, y, all_covered = np.array([[6, 7, 6, 7]]), np.array([[8, 8, 9, 9]]), np.full((1, 4), 0xFFFF)
    tile.accumulate(x, y, Update(CoverageUpdate.NONZERO), all_covered)
    assert (tile.z[9, 7, 0], tile.stencil[9, 7, 0]) == (0x555555, 0x55)
    flags = np.array([[15, 0, 15, 15]])
    for clear, wanted in ((False, 0x5555_5555), (True, 0x5555_5555), (True, 0)):
        found = tile.load_coverage(x, y, flags, clear=clear)
        assert found.tolist() == [[wanted, 0x5555_5555, wanted, wanted]]
    tile.accumulate(x, y, Update(CoverageUpdate.NONZERO, -1), all_covered)
    assert level(tile.load_coverage(x, y, flags, clear=False)).tolist() == [[255, 0, 255, 255]]
