"""Benches of vectors find what is wrong, and where."""

import numpy as np
import pytest
from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4sim.bench.vectors import Compiled, simulate

COUNT, LATENCY = 50, 2


class Sum(wiring.Component):
    """A sum and whether it has a carry, two clocks later; it refuses `refused`."""

    a: In(32)
    b: In(32)
    total: Out(32)
    carry: Out(1)

    def __init__(self, refused=None):
        self._refused = refused
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        before = Signal(33)
        m.d.sync += [before.eq(self.a + self.b), Cat(self.total, self.carry).eq(before)]
        if self._refused is not None:
            m.d.sync += Assert(self.a != self._refused, "refused")
        return m


@pytest.fixture
def vectors():
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0, 1 << 32, COUNT, dtype=np.uint32) for _ in range(2))
    total = a.astype(np.uint64) + b
    return {"a": a, "b": b}, {"total": total.astype(np.uint32), "carry": (total >> np.uint64(32)).astype(np.uint32)}


@pytest.fixture(params=["amaranth", "native"])
def run(request, tmp_path):
    """`run(device, stimuli, expected)` gives a report."""
    if request.param == "amaranth":
        return lambda device, stimuli, expected: simulate(device, stimuli, expected, latency=LATENCY)
    request.getfixturevalue("compiler")
    return lambda device, stimuli, expected: Compiled(
        device, list(stimuli), list(expected), latency=LATENCY, folder=tmp_path
    ).run(stimuli, expected)


def test_nothing_is_wrong(run, vectors):
    assert run(Sum(), *vectors).mismatches == 0


@pytest.mark.parametrize("wrong", [(0,), (COUNT - 1,), (7, 8, 30)])
def test_the_first_wrong_one_is_told(run, vectors, wrong):
    stimuli, expected = vectors
    spoilt = expected | {"carry": expected["carry"].copy()}
    spoilt["carry"][list(wrong)] ^= 1
    report = run(Sum(), stimuli, spoilt)
    assert (report.mismatches, report.first) == (len(wrong), wrong[0])
    assert report.got == {name: int(values[wrong[0]]) for name, values in expected.items()}


def test_a_check_of_the_hardware_ends_the_run(run, vectors):
    stimuli, expected = vectors
    with pytest.raises(AssertionError, match="refused"):
        run(Sum(int(stimuli["a"][20])), stimuli, expected)
