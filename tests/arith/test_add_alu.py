"""The add ALU against the model and against the measured values."""

import csv

import numpy as np
import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.isa.ops import ADD_OPERANDS, AddOp
from vc4sim.bench.vectors import simulate
from vc4sim.model.arith.alu import add_alu
from vc4sim.model.elementwise import elementwise

LATENCY = 3
INPUTS = ("op", "a", "b")
OUTPUTS = ("result", "carry", "overflow", "wrong_zero")
OPERATIONS = [op for op, count in ADD_OPERANDS.items() if count]


def outputs(op, a, b):
    return (*(column.astype(np.uint32) for column in elementwise(add_alu, op.value, a, b)), np.uint32(0))


class FlaggedAddAlu(wiring.Component):
    """The add ALU with its carry completed from the flags of the result, and a check of its flag Z."""

    op: In(AddOp)
    a: In(32)
    b: In(32)
    result: Out(32)
    wrong_zero: Out(1)
    carry: Out(1)
    overflow: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_alu = alu = AddAlu()
        positive = ~alu.a2_result[31] & ~alu.a2_zero
        m.d.comb += [
            *(alu.rr_op.eq(self.op), alu.rr_a.eq(self.a), alu.rr_b.eq(self.b)),
            self.result.eq(alu.a2_result),
            self.wrong_zero.eq(alu.a2_zero ^ ~alu.a2_result.any()),
            self.carry.eq(alu.a2_carry | (alu.a2_carry_if_positive & positive)),
            self.overflow.eq(alu.a2_overflow),
        ]
        return m


@pytest.fixture
def bench(compiled):
    return compiled(FlaggedAddAlu, INPUTS, OUTPUTS, LATENCY)


def check(bench, op, a, b, note):
    stimuli = {"op": np.uint32(op.value), "a": a, "b": b}
    expected = dict(zip(OUTPUTS, outputs(op, a, b), strict=True))
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
    codes[:: bench.depth] = AddOp.ADD.value  # the first one after power-on
    a, b = (rng.integers(0, 1 << 32, count, dtype=np.uint32) for _ in range(2))
    expected = {name: np.zeros(count, np.uint32) for name in OUTPUTS}
    for op in OPERATIONS:
        chosen = codes == op.value
        for name, values in zip(OUTPUTS, outputs(op, a[chosen], b[chosen]), strict=True):
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
    report = simulate(FlaggedAddAlu(), stimuli, expected, latency=LATENCY)
    assert not report.mismatches, report.text(stimuli, expected, "measured")
