"""Unpacks against the model and against the measured values."""

import csv

import numpy as np
import pytest

from vc4.arith.unpack import Unpack, UnpackKeys
from vc4.isa.ops import Unpack as Mode
from vc4sim.bench.vectors import simulate
from vc4sim.model.arith.pack import unpack
from vc4sim.model.elementwise import elementwise


def keys_of(mode, is_float):
    """The number that the keys of a mode are."""
    kinds = {Mode.NONE: "whole", Mode.BYTE_D_REPLICATED: "replicated"}
    kinds |= dict.fromkeys((Mode.HALF_A, Mode.HALF_B), "half_float" if is_float else "half")
    kind = kinds.get(mode, "fraction" if is_float else "number")
    return UnpackKeys.const({kind: 1, "byte": mode.value % 4, "upper": mode is Mode.HALF_B}).as_bits()


@pytest.mark.parametrize("is_float", [False, True], ids=["integer", "float"])
@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.name)
def test_all_halves(compiled, mode, is_float):
    """Both halves of the word take all values, and so do all bytes."""
    half = np.arange(1 << 16, dtype=np.uint32)
    value = half | (half * np.uint32(40_503)) << np.uint32(16)
    stimuli = {"value": value, "keys": np.uint32(keys_of(mode, is_float))}
    expected = {"result": elementwise(unpack, value, mode.value, int(is_float)).astype(np.uint32)}
    report = compiled(Unpack, tuple(stimuli), tuple(expected), 0).run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, mode.name)


def test_measured(recorded):
    """What the hardware gave, in the other simulator."""
    with (recorded / "vectors/hw/unpack.csv").open() as file:
        rows = list(csv.DictReader(file))
    cases = [
        (int(row["a"], 16), keys_of(Mode(int(column[1])), column.startswith("f")), int(result, 16))
        for row in rows
        for column, result in row.items()
        if column != "a"
    ]
    value, keys, result = (np.array(column, np.uint32) for column in zip(*cases, strict=True))
    stimuli, expected = {"value": value, "keys": keys}, {"result": result}
    report = simulate(Unpack(), stimuli, expected, latency=0)
    assert not report.mismatches, report.text(stimuli, expected, "measured")
