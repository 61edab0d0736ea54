"""Room beside LUTs: every one gets it, and nothing that computes changes."""

from copy import deepcopy

from vc4sim.synth.room import give_room

from .luts import lut

IN, ALONE, FIRST, SECOND, OUT = range(10, 15)


def netlist():
    """A LUT alone, and two with a multiplexer that the first one switches."""
    pins = [IN, IN + 100, "0", "1"]
    cells = {
        "alone": lut("1" * 16, pins, ALONE),
        "first": lut("01" * 8, pins, FIRST),
        "second": lut("10" * 8, pins, SECOND),
    }
    cells["both"] = {
        "type": "PFUMX",
        "parameters": {},
        "port_directions": {"BLUT": "input", "ALUT": "input", "C0": "input", "Z": "output"},
        "connections": {"BLUT": [FIRST], "ALUT": [SECOND], "C0": [ALONE], "Z": [OUT]},
    }
    ports = {"o": {"direction": "output", "bits": [OUT]}}
    return {"cells": cells, "ports": ports, "netnames": {}}


def test_a_lut_that_has_none_beside_it_gets_one():
    before = netlist()
    after = deepcopy(before)
    assert give_room(after, 4) == 1
    cells = after["cells"]
    assert {name: cells[name] for name in before["cells"]} == before["cells"]
    room, beside = cells["alone_room"], cells["alone_beside"]
    assert [room["type"], beside["type"]] == ["LUT4", "PFUMX"]
    assert beside["connections"]["BLUT"] == [ALONE]
    assert beside["connections"]["ALUT"] == room["connections"]["Z"]


def test_wires_of_room_lead_nowhere_else():
    module = netlist()
    give_room(module, 4)
    cells = module["cells"]
    inside = {cells["alone_room"]["connections"]["Z"][0], cells["alone_beside"]["connections"]["Z"][0]}
    others = [cell for name, cell in cells.items() if not name.startswith("alone_")]
    assert len(inside) == 2
    assert not inside & {bit for cell in others for bits in cell["connections"].values() for bit in bits}


def test_room_is_given_once():
    module = netlist()
    give_room(module, 9)
    assert give_room(module, 9) == 0


def test_there_is_none_in_a_full_device():
    module = netlist()
    assert give_room(module, 3) == 0
    assert module == netlist()
