"""LUTs joined by multiplexers: what comes out stays the same, and LUTs do not become more."""

from collections import Counter
from copy import deepcopy
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from vc4sim.synth.muxes import join_luts

from .luts import PINS, at, lut

#: Inputs of the module are wires 2 to 7; LUTs drive wires from 10 on, each may read those before.
INPUTS, LUTS, COUNT = range(2, 8), 10, 10


def module(luts, outputs):
    cells = {f"lut_{number}": lut(*given, LUTS + number) for number, given in enumerate(luts)}
    ports = {"i": {"bits": [*INPUTS]}, "o": {"bits": outputs}}
    return {"ports": ports, "cells": cells, "netnames": {"luts": {"bits": [*range(LUTS, LUTS + len(luts))]}}}


def says(cells, outputs, inputs):
    """Values of wires, by what Lattice says of the cells."""
    drivers = {cell["connections"]["Z"][0]: cell for cell in cells.values()}

    def value(bit):
        if bit in ("0", "1", "x"):
            return int(bit == "1")
        if bit in INPUTS:
            return inputs[bit - INPUTS[0]]
        pins = drivers[bit]["connections"]
        if drivers[bit]["type"] == "PFUMX":
            return value(pins["ALUT" if value(pins["C0"][0]) else "BLUT"][0])
        wires = [pins[pin][0] for pin in PINS]
        return at(drivers[bit]["parameters"]["INIT"], wires, {wire: value(wire) for wire in wires})

    return [value(bit) for bit in outputs]


def counts(cells):
    return Counter(cell["type"] for cell in cells.values())


#: Any function; and choices, of which much can be joined.
tables = st.integers(0, 0xFFFF).map("{:016b}".format) | st.sampled_from(["11001010" * 2, "1100110010101010"])


@st.composite
def networks(draw):
    wires = [st.sampled_from([*INPUTS, *range(LUTS, LUTS + number), *"01"]) for number in range(COUNT)]
    return [(draw(tables), draw(st.lists(wire, min_size=4, max_size=4))) for wire in wires]


@given(
    luts=networks(),
    outputs=st.lists(st.sampled_from(range(LUTS, LUTS + COUNT)), min_size=1, max_size=3),
    inputs=st.lists(st.lists(st.integers(0, 1), min_size=6, max_size=6), min_size=8, max_size=8),
)
def test_the_same_comes_out(luts, outputs, inputs):
    before = module(luts, outputs)
    after = deepcopy(before)
    join_luts({"top": after})
    assert counts(after["cells"])["LUT4"] <= COUNT
    for values in inputs:
        assert says(after["cells"], outputs, values) == says(before["cells"], outputs, values)


#: C ? B : A.
CHOICE = "11001010" * 2


def test_one_of_four_is_two_luts():
    first, second = (CHOICE, [2, 3, 6, "0"]), (CHOICE, [4, 5, 6, "0"])
    made = module([first, second, (CHOICE, [10, 11, 7, "0"])], [12])
    join_luts({"top": made})
    assert counts(made["cells"]) == {"LUT4": 2, "PFUMX": 1}
    assert made["netnames"]["luts"]["bits"] == ["x", "x", 12]


def test_a_turn_by_two_takes_turns_by_one_in():
    """Each of these has two readers, and both take it in."""
    turned = [(CHOICE, [2 + lane, 2 + (lane + 3) % 4, 6, "0"]) for lane in range(4)]
    again = [(CHOICE, [LUTS + lane, LUTS + (lane + 2) % 4, 7, "0"]) for lane in range(4)]
    made = module([*turned, *again], [*range(LUTS + 4, LUTS + 8)])
    join_luts({"top": made})
    assert counts(made["cells"]) == {"LUT4": 8, "PFUMX": 4}


def test_what_cannot_take_in_is_taken_in():
    """Turns by one could take in what they turn, but for one of them, so that none does; turns by two take them in."""
    parity, choice_and_parity = "0110100110010110", "0011010111001010"
    words = [(parity, [2, 3, 4, 5])] * 4
    turned = [(CHOICE, [LUTS + lane, LUTS + (lane + 1) % 4, 6, "0"]) for lane in range(3)]
    turned.append((choice_and_parity, [LUTS + 3, LUTS, 6, 7]))
    again = [(CHOICE, [LUTS + 4 + lane, LUTS + 4 + (lane + 2) % 4, 3, "0"]) for lane in range(4)]
    made = module([*words, *turned, *again], [*range(LUTS + 8, LUTS + 12)])
    join_luts({"top": made})
    assert counts(made["cells"]) == {"LUT4": 12, "PFUMX": 4}


def test_what_three_read_stays():
    """In each of them they would be six LUTs, not five."""
    chosen = [(CHOICE, [10, 11, select, "0"]) for select in (4, 5, 6)]
    made = module([(CHOICE, [2, 3, 7, "0"]), (CHOICE, [3, 2, 7, "0"]), *chosen], [12, 13, 14])
    join_luts({"top": made})
    assert counts(made["cells"]) == {"LUT4": 5}


def test_a_multiplexer_is_not_taken_in():
    fours = [(CHOICE, [2 + number, 3 + number, 6, "0"]) for number in range(4)]
    pairs = [(CHOICE, [10, 11, 7, "0"]), (CHOICE, [12, 13, 7, "0"])]
    before = module([*fours, *pairs, (CHOICE, [14, 15, 2, "0"])], [16])
    after = deepcopy(before)
    join_luts({"top": after})
    assert counts(after["cells"]) == {"LUT4": 5, "PFUMX": 2}
    for values in product((0, 1), repeat=6):
        assert says(after["cells"], [16], values) == says(before["cells"], [16], values)


def test_what_the_other_half_reads_stays():
    """One half takes in wire 10; the other one reads it, beside what it takes in itself."""
    inner = [("0110100110010110", [2, 3, 4, 5]), (CHOICE, [3, 6, 6, "0"])]
    # D ? (A and B) : A.
    before = module([*inner, ("1000100010101010", [10, 11, "0", 7])], [12])
    after = deepcopy(before)
    join_luts({"top": after})
    for values in product((0, 1), repeat=6):
        assert says(after["cells"], [12], values) == says(before["cells"], [12], values)


def test_what_others_read_stays():
    first, second = (CHOICE, [2, 3, 6, "0"]), (CHOICE, [4, 5, 6, "0"])
    made = module([first, second, (CHOICE, [10, 11, 7, "0"])], [10, 12])
    join_luts({"top": made})
    assert counts(made["cells"]) == {"LUT4": 3}
