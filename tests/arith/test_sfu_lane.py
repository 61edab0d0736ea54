"""The special function unit of one lane against the model, which itself is checked against digests of all tables."""

import numpy as np
import pytest

from vc4.arith.sfu_lane import SfuLane
from vc4.isa.sfu_tables import SfuFunction
from vc4sim.bench.vectors import simulate
from vc4sim.model.arith.sfu import special
from vc4sim.model.elementwise import elementwise

INPUTS, OUTPUTS = ("function", "word"), ("result",)
SIGN = np.uint32(0x8000_0000)
#: Every argument of the tables, in the bits that begin at bit 8 of a float; of the reciprocal square root, at bit 9.
NUMBERS = np.arange(1 << 15, dtype=np.uint32)
FRACTIONS = (NUMBERS.astype(np.float32) / np.float32(NUMBERS.size)).view(np.uint32)
HALVES = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
SWEEPS = {
    "from 1, by 2^-15": 0x3F80_0000 + (NUMBERS << 8),
    "from 1/2, by 2^-16": 0x3F00_0000 + (NUMBERS << 8),
    "from 1, by 2^-14": 0x3F80_0000 + (NUMBERS << 9),
    "fractions": FRACTIONS,
    "negative fractions": FRACTIONS | SIGN,
    "upper halves": HALVES,
    "upper halves, all ones below": HALVES | np.uint32(0xFFFF),
}


@pytest.fixture
def bench(compiled):
    return compiled(SfuLane, INPUTS, OUTPUTS, SfuLane.LATENCY)


def check(bench, function, words, note):
    stimuli = {"function": np.uint32(function.value), "word": words}
    expected = {"result": elementwise(special, function.value, words).astype(np.uint32)}
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, f"{function.name}, {note}")


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("function", SfuFunction, ids=lambda function: function.name)
def test_sweeps(bench, function, sweep):
    check(bench, function, SWEEPS[sweep], sweep)


@pytest.mark.parametrize("function", SfuFunction, ids=lambda function: function.name)
def test_operands(bench, operands, function):
    """Words, floats of every exponent, and patterns around all corners."""
    check(bench, function, np.concatenate([operands.a, operands.b]), f"seed {operands.seed}")


def test_ends_of_the_range_of_exp(bench):
    """Every float around -126, where results end, around 128, around zero and around the smallest step."""
    words = np.array([0xC2FC_0000, 0x4300_0000, 0xC300_0000, 0x3800_0000, 0xB800_0000, 0x0080_0000], np.uint32)
    offsets = np.arange(-20_000, 20_000).astype(np.uint32)
    check(bench, SfuFunction.EXP, (words[:, None] + offsets).ravel(), "ends")


def test_functions_in_any_order(bench):
    """Operations of different functions follow each other without a gap."""
    seed, count = 17, 100_000
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(SfuFunction), count, dtype=np.uint32)
    words = np.where(
        rng.random(count) < 0.5, rng.integers(0, 1 << 32, count), 0x3D00_0000 + rng.integers(0, 1 << 27, count)
    )
    words = words.astype(np.uint32)
    result = elementwise(special, codes, words).astype(np.uint32)
    stimuli, expected = {"function": codes, "word": words}, {"result": result}
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, f"seed {seed}")


@pytest.mark.parametrize("function", SfuFunction, ids=lambda function: function.name)
def test_in_the_other_simulator(function):
    words = np.concatenate([sweep[::509] for sweep in SWEEPS.values()])
    stimuli = {"function": np.full(words.size, function.value, np.uint32), "word": words}
    expected = {"result": elementwise(special, function.value, words).astype(np.uint32)}
    report = simulate(SfuLane(), stimuli, expected, latency=SfuLane.LATENCY)
    assert not report.mismatches, report.text(stimuli, expected, function.name)
