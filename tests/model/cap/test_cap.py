"""Coverage: all updates, against counters of single samples; levels and masks."""

import random

import pytest

from vc4.isa.ops import Signal
from vc4.records.state import CoverageUpdate
from vc4sim.model.cap.cap import SAMPLES, level, sample_mask, updated
from vc4sim.model.tlb.tlb import TileBuffer, accumulate

from ..fragment_vectors import Vector


def counters(word):
    return [word >> 2 * n & 3 for n in range(SAMPLES)]


@pytest.mark.parametrize("mode", list(CoverageUpdate))
@pytest.mark.parametrize("turns", [1, -1])
def test_updates(mode, turns):
    rng = random.Random(1)
    for _ in range(200):
        word, covered = rng.getrandbits(32), rng.getrandbits(16)
        new = updated(word, mode.value, turns, covered)
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
        assert sample_mask(word) == sum(1 << n for n, is_covered in enumerate(covered) if is_covered)
        assert abs(level(word) - 255 * sum(covered) / 16) <= 0.5
    assert [level(0), level(0xFFFF_FFFF)] == [0, 255]


def test_coverage_takes_the_place_of_z_and_stencil():
    tile = TileBuffer()
    places = [(6, 8), (7, 8), (6, 9), (7, 9)]
    for x, y in places:
        accumulate(tile.state.views, x, y, CoverageUpdate.NONZERO.value, 1, 0xFFFF)
    assert tile.zs[9, 7, 0] == 0x5555_5555
    for clears, wanted in ((False, 0xFFFF), (True, 0xFFFF), (True, 0)):
        vector = Vector(tile, places, [15, 0, 15, 15], coverage_clears=clears, coverage_mask=True)
        assert vector.load(Signal.LOAD_COVERAGE)[:4] == [wanted, 0xFFFF, wanted, wanted]
    for x, y in places:
        accumulate(tile.state.views, x, y, CoverageUpdate.NONZERO.value, -1, 0xFFFF)
    levels = Vector(tile, places, [15, 0, 15, 15]).load(Signal.LOAD_COVERAGE)
    assert levels[:4] == [0xFFFF_FFFF, 0, 0xFFFF_FFFF, 0xFFFF_FFFF]
