"""The model's arithmetic against every row that a chip printed."""

import csv

import numpy as np
import pytest

from vc4.isa.ops import ADD_OPERANDS, FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, MulOp, Pack, Unpack
from vc4sim.model.arith.alu import add_alu, mul_alu
from vc4sim.model.arith.pack import BYTE_ENABLES, pack, unpack
from vc4sim.model.elementwise import elementwise

ADD_NAMES = {op.name.lower(): op for op, count in ADD_OPERANDS.items() if count}
MUL_NAMES = {op.name.lower(): op for op in MulOp if op is not MulOp.NOP}


def read(path):
    with path.open() as file:
        yield from csv.DictReader(file)


def column(rows, name):
    return np.array([int(row[name] or "0", 16) for row in rows], np.uint32)


@pytest.fixture(scope="module")
def alu_rows(recorded):
    rows = {}
    for row in read(recorded / "vectors/hw/alu.csv"):
        rows.setdefault(row["op"], []).append(row)
    assert sum(map(len, rows.values())) == 5460
    return rows


@pytest.fixture(scope="module")
def pack_rows(recorded):
    rows = {}
    for row in read(recorded / "vectors/hw/pack.csv"):
        rows.setdefault(row["op"], []).append(row)
    assert sum(map(len, rows.values())) == 5460
    return rows


def evaluate(name, rows):
    a, b = column(rows, "a"), column(rows, "b")
    if name in ADD_NAMES:
        op = ADD_NAMES[name]
        return *elementwise(add_alu, op.value, a, b), op in FLOAT_RESULT_ADD
    op = MUL_NAMES[name]
    result, carry = elementwise(mul_alu, op.value, a, b)
    return result, carry, np.zeros_like(carry), op in FLOAT_RESULT_MUL


@pytest.mark.parametrize("name", sorted(ADD_NAMES | MUL_NAMES))
def test_results_and_flags(alu_rows, name):
    rows = alu_rows[name]
    result, carry, overflow, is_float = evaluate(name, rows)
    np.testing.assert_array_equal(result, column(rows, "result"))
    saturated = elementwise(pack, result, Pack.SATURATE.value, int(is_float), carry, overflow)
    np.testing.assert_array_equal(saturated, column(rows, "result_sat32"))
    if rows[0]["c"]:
        np.testing.assert_array_equal(carry, column(rows, "c"))
        np.testing.assert_array_equal(result == 0, column(rows, "z"))
        np.testing.assert_array_equal(result >> 31, column(rows, "n"))


@pytest.mark.parametrize("mode", Pack)
def test_packs(pack_rows, mode):
    (name,) = [key for key in next(iter(pack_rows.values()))[0] if key.startswith(f"p{mode.value}_")]
    for op, rows in pack_rows.items():
        result, carry, overflow, is_float = evaluate(op, rows)
        data = elementwise(pack, result, mode.value, int(is_float), carry, overflow)
        mask = sum(255 << 8 * byte for byte in range(4) if BYTE_ENABLES[mode.value] >> byte & 1)
        np.testing.assert_array_equal(data & mask, column(rows, name), err_msg=op)


@pytest.mark.parametrize("mode", Unpack)
def test_unpacks(recorded, mode):
    rows = list(read(recorded / "vectors/hw/unpack.csv"))
    assert len(rows) == 15
    for key in rows[0]:
        if key[1:].startswith(f"{mode.value}_"):
            found = elementwise(unpack, column(rows, "a"), mode.value, int(key[0] == "f"))
            np.testing.assert_array_equal(found, column(rows, key))


def test_every_operation_is_measured(alu_rows):
    assert set(alu_rows) == set(ADD_NAMES) | set(MUL_NAMES)
