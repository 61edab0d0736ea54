"""Fewer cells around carry chains: what a chain says stays the same."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vc4sim.synth.carries import shorten_chains

from .luts import PINS, at, lut

#: Of a bit of a sum, as Yosys makes it: A, B with C exclusive, and D high.
SUM = "1001011010101010"
#: Inputs of the module are wires 2 to 7, its carry 8; wires of LUTs are from 10 on, sums from 20 on, the carry that leaves is 30.
INPUTS, CARRY, LUTS, SUMS, LEAVES = range(2, 8), 8, 10, 20, 30


def chain(tables, bits, carry=CARRY):
    connections = {f"{pin}{n}": [bit] for n in "01" for pin, bit in zip(PINS, bits[int(n)], strict=True)}
    directions = dict.fromkeys([*connections, "CIN"], "input") | dict.fromkeys(["S0", "S1", "COUT"], "output")
    connections |= {"CIN": [carry], "S0": [SUMS], "S1": [SUMS + 1], "COUT": [LEAVES]}
    parameters = {f"INIT{n}": table for n, table in enumerate(tables)} | {"INJECT1_0": "NO", "INJECT1_1": "NO"}
    return {"type": "CCU2C", "parameters": parameters, "port_directions": directions, "connections": connections}


def module(cells, outputs):
    ports = {"i": {"bits": [*INPUTS, CARRY]}, "o": {"bits": outputs}}
    return {"ports": ports, "cells": cells, "netnames": {"luts": {"bits": [*range(LUTS, LUTS + 4)]}}}


def says(cells, inputs, unknown=0):
    """Sums and carry, by what Lattice says of the cell."""
    values = {"x": unknown} | dict(zip([*INPUTS, CARRY], inputs, strict=True))
    for cell in cells.values():
        if cell["type"] == "LUT4":
            pins = cell["connections"]
            values[pins["Z"][0]] = at(cell["parameters"]["INIT"], [pins[pin][0] for pin in PINS], values)
    (cell,) = (cell for cell in cells.values() if cell["type"] == "CCU2C")
    carry = at("10", cell["connections"]["CIN"], values)
    for n in "01":
        table, pins = cell["parameters"][f"INIT{n}"], [cell["connections"][f"{pin}{n}"][0] for pin in PINS]
        through = at(table, pins, values)
        values[cell["connections"][f"S{n}"][0]] = through ^ carry
        carry = carry if through else at(table[12:], pins[:2], values)
    return values[SUMS], values[SUMS + 1], carry


tables = st.integers(0, 0xFFFF).map("{:016b}".format)


def pins_of(number):
    """Of a LUT, which may read LUTs in front of it."""
    return st.lists(st.sampled_from([*INPUTS, "0", "1", *range(LUTS, LUTS + number)]), min_size=4, max_size=4)


operands = st.lists(st.sampled_from([*INPUTS, *range(LUTS, LUTS + 4)]), min_size=4, max_size=4)


@given(
    luts=st.tuples(*(st.tuples(tables, pins_of(number)) for number in range(4))),
    wires=operands,
    low=st.lists(st.sampled_from("01"), min_size=2, max_size=2),
    own=st.none() | tables,
    read=st.lists(st.sampled_from([SUMS, *range(LUTS, LUTS + 4)]), max_size=2),
    carry=st.sampled_from([CARRY, "0", "1"]),
    inputs=st.lists(st.lists(st.integers(0, 1), min_size=7, max_size=7), min_size=8, max_size=8),
)
def test_the_same_sums_and_carry(luts, wires, low, own, read, carry, inputs):
    """`own`: a table of a chain that is no sum; `read`: wires that others read, so that LUTs have to stay."""
    cells = {f"lut_{n}": lut(table, pins, LUTS + n) for n, (table, pins) in enumerate(luts)}
    pins = [[*wires[:2], low[0], "1"], [*wires[2:], low[1], "1"]]
    cells["chain"] = chain([own or SUM] * 2, pins, carry)
    before = module(cells, [SUMS + 1, LEAVES, *read])
    after = deepcopy(before)
    shorten_chains({"top": after})
    assert {*read} - {SUMS} <= driven(after["cells"])
    assert after["cells"]["chain"]["connections"]["CIN"] in ([CARRY], ["x"]) or own
    first = 0 if SUMS in read else 1  # of what is read
    for values in inputs:
        for unknown in range(2):
            assert says(after["cells"], values, unknown)[first:] == says(before["cells"], values)[first:]


def driven(cells):
    return {cell["connections"]["Z"][0] for cell in cells.values() if cell["type"] == "LUT4"}


def absorbed(table, pins, *, others=()):
    """Whether a LUT is gone that leads to an operand of a sum."""
    cells = {"lut": lut(table, pins, LUTS), "chain": chain([SUM, SUM], [[2, LUTS, "0", "1"], ["0", "0", "0", "1"]])}
    shorten_chains({"top": module(cells, [SUMS, SUMS + 1, LEAVES, *others])})
    return "lut" not in cells


def test_a_choice_of_two_joins_a_sum():
    """Of three inputs: what is chosen by C."""
    assert absorbed("1100101011001010", [3, 4, 5, "0"])


def test_two_inputs_join_a_sum():
    assert all(absorbed(f"{table:04b}" * 4, [3, 4, "0", "0"]) for table in range(16))


def test_four_inputs_have_no_room():
    assert not absorbed("0110100110010110", [3, 4, 5, 6])


def test_what_others_read_stays():
    assert not absorbed("0110" * 4, [3, 4, "0", "0"], others=[LUTS])


@pytest.mark.parametrize("carry", "01")
@pytest.mark.parametrize("read", [True, False])
def test_a_constant_in_front_is_no_cell(carry, read):
    """The first sum, if it is read, comes out of a LUT."""
    cells = {"chain": chain([SUM, SUM], [[2, 3, "0", "1"], [4, 5, "0", "1"]], carry)}
    made = module(cells, [SUMS + 1, LEAVES, *[SUMS] * read])
    shorten_chains({"top": made})
    assert made["cells"]["chain"]["connections"]["CIN"] == ["x"]
    assert len(made["cells"]) == 1 + read
