"""What Yosys and nextpnr write, cut down to what is read."""

import json
from types import SimpleNamespace

import pytest

CLOCK = "$glbnet$clk"
COUNTS = {
    "top": {"LUT4": 5, "TRELLIS_FF": 40, "top.part": 1},
    "top.part": {"LUT4": 90, "CCU2C": 4, "TRELLIS_FF": 60, "MULT18X18D": 2, "$scopeinfo": 3},
}


def cells(counts):
    """Cells of these types, with nothing around them."""
    nothing = {
        "parameters": {"INJECT1_0": "YES", "INJECT1_1": "YES"},
        "port_directions": {"CIN": "input"},
        "connections": {"CIN": ["x"]},
    }
    named = {f"{name}_{number}": {"type": name, **nothing} for name, count in counts.items() for number in range(count)}
    return {"cells": named, "ports": {}, "netnames": {}}


MODULES = {name: cells(counts) for name, counts in COUNTS.items()}


def step(what, delay, cell, **others):
    return {"type": what, "delay": delay, "from": {"cell": "x"}, "to": {"cell": cell, "port": "A"}, **others}


PATH = [
    step("clk-to-q", 0.5, "part.lane_1.sum_TRELLIS_FF_Q_3"),
    step("routing", 1.5, "part.lane_1.sum_LUT4_A", net="n", sources=["/somewhere/rtl/vc4/arith/add_sum.py:12"]),
    step("logic", 0.25, "part.lane_1.sum_LUT4_A"),
    step("routing", 1.0, "part.total_CCU2C_S0$CCU2_COMB0", net="n", sources=["/share/cells_map.v:1.2-3.4"]),
    step("logic", 0.5, "part.total_CCU2C_S0$CCU2_COMB0"),
    step("logic", 0.0, "part.total_CCU2C_S0$CCU2_COMB1"),
    step("logic", 0.25, "part.total_CCU2C_S0_COUT$CCU2_COMB0"),
    step("routing", 0.75, "part.wb_result_TRELLIS_FF_Q", net="n"),
    step("setup", 0.25, "part.wb_result_TRELLIS_FF_Q"),
]


def report(mhz):
    """A report of nextpnr."""
    counts = {"TRELLIS_COMB": (105, 83640), "TRELLIS_FF": (100, 83640), "MULT18X18D": (2, 156), "DP16KD": (0, 208)}
    edge = f"posedge {CLOCK}"
    return {
        "fmax": {CLOCK: {"achieved": mhz, "constraint": 60.0}},
        "utilization": {name: {"used": used, "available": there} for name, (used, there) in counts.items()},
        "critical_paths": [
            {"from": "<async>", "to": edge, "path": PATH[:1]},
            {"from": edge, "to": edge, "path": PATH},
        ],
    }


@pytest.fixture
def texts():
    """Modules, and the texts of a netlist with them and of reports of given clocks."""
    return SimpleNamespace(
        modules=MODULES, netlist=json.dumps({"modules": MODULES}), report=lambda mhz: json.dumps(report(mhz))
    )
