"""Unpacks against the model and against the measured values."""

import csv

import numpy as np
import pytest

from vc4.arith.unpack import Unpack
from vc4.isa.ops import Unpack as Mode
from vc4sim.bench.vectors import simulate
from vc4sim.model.arith.pack import unpack
from vc4sim.model.elementwise import elementwise


@pytest.mark.parametrize("is_float", [False, True], ids=["integer", "float"])
@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.name)
def test_all_halves(compiled, mode, is_float):
    """Both halves of the word take all values, and so do all bytes."""
    half = np.arange(1 << 16, dtype=np.uint32)
    value = half | (half * np.uint32(40_503)) << np.uint32(16)
    stimuli = {"value": value, "mode": np.uint32(mode.value), "is_float": np.uint32(is_float)}
    expected = {"result": elementwise(unpack, value, mode.value, int(is_float)).astype(np.uint32)}
    report = compiled(Unpack, tuple(stimuli), tuple(expected), 0).run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, mode.name)


def test_measured(recorded):
    """What the hardware gave, in the other simulator."""
    with (recorded / "vectors/hw/unpack.csv").open() as file:
        rows = list(csv.DictReader(file))
    cases = [
        (int(row["a"], 16), int(column[1]), column.startswith("f"), int(result, 16))
        for row in rows
        for column, result in row.items()
        if column != "a"
    ]
    value, mode, is_float, result = (np.array(column, np.uint32) for column in zip(*cases, strict=True))
    stimuli, expected = {"value": value, "mode": mode, "is_float": is_float}, {"result": result}
    report = simulate(Unpack(), stimuli, expected, latency=0)
    assert not report.mismatches, report.text(stimuli, expected, "measured")
