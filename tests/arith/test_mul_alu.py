"""The mul ALU and its colours against the model and against the measured values."""

import csv

import numpy as np
import pytest

from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import MulOp
from vc4sim.bench.vectors import simulate
from vc4sim.random_pairs.alus import ALUS

ALU = ALUS["mul"]
OUTPUTS, OPERATIONS = ALU.outputs, ALU.operations
ONE = np.uint32(0x3F80_0000)


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


@pytest.mark.parametrize("op", [op for op in OPERATIONS if op.name.startswith("V8")], ids=lambda op: op.name)
def test_all_bytes(bench, byte_pairs, op):
    check(bench, op, byte_pairs.a, byte_pairs.b, "all pairs of bytes")


@pytest.mark.parametrize("op", [MulOp.FMUL, MulOp.V8MIN], ids=lambda op: op.name)
@pytest.mark.parametrize(
    "step", [1024, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1, marks=pytest.mark.slow)]
)
def test_colours(bench, op, step):
    """Floats around and between all colours, as a product with one and as a byte minimum with itself."""
    for start in range(0x3A00_0000, 0x4010_0000, 0x40_0000):
        a = np.arange(start, start + 0x40_0000, step, np.uint32)
        a[1::2] |= np.uint32(step - 1)
        check(bench, op, a, ONE if op is MulOp.FMUL else a, f"step {step}")


def test_mixed_operations_and_hold(bench):
    """Operations follow each other in any order; nop shows the last result and its colour again."""
    seed, count = 11, 100_000
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(MulOp), count, dtype=np.uint32)
    codes[0] = MulOp.FMUL.value  # the first one after power-on
    a, b = (rng.integers(0, 1 << 32, count, dtype=np.uint32) for _ in range(2))
    expected = {name: np.zeros(count, np.uint32) for name in OUTPUTS}
    for op in OPERATIONS:
        chosen = codes == op.value
        for name, values in ALU.expected(np.uint32(op.value), a[chosen], b[chosen]).items():
            expected[name][chosen] = values
    last = np.maximum.accumulate(np.where(codes == MulOp.NOP.value, 0, np.arange(count)))
    expected = {name: values[last] for name, values in expected.items()}
    stimuli = {"op": codes, "a": a, "b": b}
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, f"seed {seed}")


def test_measured(recorded):
    """Results of the hardware, in the other simulator; its flags are not those of the mul ALU."""
    names = {op.name.lower(): op for op in OPERATIONS}
    with (recorded / "vectors/hw/alu.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["op"] in names]
    assert len({row["op"] for row in rows}) == len(OPERATIONS)
    stimuli = {
        "rr_op": np.array([names[row["op"]].value for row in rows], np.uint32),
        "rr_a": np.array([int(row["a"], 16) for row in rows], np.uint32),
        "rr_b": np.array([int(row["b"], 16) for row in rows], np.uint32),
    }
    expected = {"a2_result": np.array([int(row["result"], 16) for row in rows], np.uint32)}
    report = simulate(MulAlu(), stimuli, expected, latency=ALU.latency)
    assert not report.mismatches, report.text(stimuli, expected, "measured")
