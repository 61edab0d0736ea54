"""The add ALU against the model and against the measured values."""

import csv

import numpy as np
import pytest

from vc4.isa.ops import AddOp
from vc4sim.bench.vectors import simulate
from vc4sim.random_pairs.alus import ALUS, FlaggedAddAlu

ALU = ALUS["add"]
OUTPUTS, OPERATIONS = ALU.outputs, ALU.operations


@pytest.fixture
def bench(compiled):
    return compiled(ALU.device, ALU.inputs, OUTPUTS, ALU.latency)


def check(bench, op, a, b, note):
    stimuli = {"op": np.uint32(op.value), "a": a, "b": b}
    expected = ALU.expected(stimuli["op"], a, b)
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, f"{op.name}, {note}")


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_pairs(bench, operands, op):
    check(bench, op, operands.a, operands.b, f"seed {operands.seed}")


@pytest.mark.parametrize("op", [AddOp.V8ADDS, AddOp.V8SUBS], ids=lambda op: op.name)
def test_all_bytes(bench, byte_pairs, op):
    check(bench, op, byte_pairs.a, byte_pairs.b, "all pairs of bytes")


def test_mixed_operations_and_hold(bench):
    """Operations follow each other in any order; nop and the reserved codes show the last result again."""
    seed, count = 7, 100_000
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(AddOp), count, dtype=np.uint32)
    codes[0] = AddOp.ADD.value  # the first one after power-on
    a, b = (rng.integers(0, 1 << 32, count, dtype=np.uint32) for _ in range(2))
    expected = {name: np.zeros(count, np.uint32) for name in OUTPUTS}
    for op in OPERATIONS:
        chosen = codes == op.value
        for name, values in ALU.expected(np.uint32(op.value), a[chosen], b[chosen]).items():
            expected[name][chosen] = values
    live = np.isin(codes, [op.value for op in OPERATIONS])
    last = np.maximum.accumulate(np.where(live, np.arange(count), 0))
    expected = {name: values[last] for name, values in expected.items()}
    stimuli = {"op": codes, "a": a, "b": b}
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, f"seed {seed}")


def test_measured(recorded):
    """Results and carries of the hardware, in the other simulator."""
    names = {op.name.lower(): op for op in OPERATIONS}
    with (recorded / "vectors/hw/alu.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["op"] in names]
    assert len({row["op"] for row in rows}) == len(OPERATIONS)
    stimuli = {
        "op": np.array([names[row["op"]].value for row in rows], np.uint32),
        "a": np.array([int(row["a"], 16) for row in rows], np.uint32),
        "b": np.array([int(row["b"] or "0", 16) for row in rows], np.uint32),
    }
    expected = {
        "result": np.array([int(row["result"], 16) for row in rows], np.uint32),
        "carry": np.array([int(row["c"]) for row in rows], np.uint32),
    }
    report = simulate(FlaggedAddAlu(), stimuli, expected, latency=ALU.latency)
    assert not report.mismatches, report.text(stimuli, expected, "measured")
