"""Reading what the tools write, and what is made of it."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from vc4sim.problem import BadInput
from vc4sim.synth.figures import Figures, path_lines
from vc4sim.synth.netlist import count_cells
from vc4sim.synth.route import Hop, read_report
from vc4sim.synth.shares import Share
from vc4sim.synth.targets import PARTS, TARGETS, Bounds, Part


@pytest.fixture
def figures(texts):
    """Makes the figures of runs with given clocks."""

    def make(*clocks, asked=60, part=PARTS["qpu"]):
        runs = [read_report(texts.report(mhz), seed, asked) for seed, mhz in enumerate(clocks, 1)]
        netlist = count_cells(texts.modules)
        return Figures("qpu", ("qpu", part), ("ecp5-85", TARGETS["ecp5-85"]), asked, ["Yosys 1"], netlist, runs)

    return make


def test_cells_of_the_part_and_of_its_frame(texts):
    netlist = count_cells(texts.modules)
    assert netlist.part == {"LUT4": 90, "CCU2C": 4, "TRELLIS_FF": 60, "MULT18X18D": 2}
    assert netlist.frame == {"LUT4": 5, "TRELLIS_FF": 40}


def test_the_clock_and_the_path(texts):
    run = read_report(texts.report(71.5), 4, 60)
    assert (run.seed, run.mhz) == (4, 71.5)
    assert run.cells["MULT18X18D"] == 2
    assert run.available["DP16KD"] == 208
    assert run.path == (
        Hop("lane_1.sum", "", "clk-to-q", 0.0, 0.5),
        Hop("lane_1.sum", "vc4/arith/add_sum.py:12", "logic", 1.5, 0.25),
        Hop("total", "", "logic", 1.0, 0.75),  # three cells of a carry chain
        Hop("wb_result", "", "setup", 0.75, 0.25),
    )


def test_a_report_without_a_clock_is_refused(texts):
    text = json.dumps({**json.loads(texts.report(1)), "fmax": {}})
    with pytest.raises(BadInput, match="has no path of a clock"):
        read_report(text, 1, 60)


CLOCKS = {"a.clk": (60, 50), "b.fast_clk": (120, 100), "x.pixel_clk": (60, 25), "x.y.shift_clk": (200, 125)}
ACROSS = {("a.clk", "b.fast_clk"): 9.0, ("a.clk", "x.pixel_clk"): 90.0, ("x.pixel_clk", "x.y.shift_clk"): 7.0}


@pytest.mark.parametrize(
    ("clocks", "across", "reached"),
    [
        ({}, {}, 50 * min(60 / 50, 1000 / 9 / 100)),
        ({"a.clk": (49, 50)}, {}, 49),
        ({"x.y.shift_clk": (100, 125)}, {}, 40),
        ({"a.clk": (40, 50)}, {("a.clk", "b.fast_clk"): 20.0}, 25),
        ({}, {("b.fast_clk", "a.clk"): 12.5}, 40),
        ({}, {("x.pixel_clk", "x.y.shift_clk"): 16.0}, 25),
        ({}, {("x.pixel_clk", "a.clk"): 99.0}, 50 * 1000 / 9 / 100),
    ],
)
def test_the_worst_of_several_clocks(texts, clocks, across, reached):
    """Paths between clocks that rise together count with the shorter period, those between others do not."""
    fmax = {name: {"achieved": found, "constraint": asked} for name, (found, asked) in (CLOCKS | clocks).items()}
    edges = [*((name, name, 1.0) for name in fmax), *((*pair, delay) for pair, delay in (ACROSS | across).items())]
    step = {"type": "logic", "from": {"cell": "c"}, "to": {"cell": "c"}}
    paths = [
        {"from": f"posedge {first}", "to": f"posedge {second}", "path": [{**step, "delay": delay}]}
        for first, second, delay in edges
    ]
    paths.append({"from": "<async>", "to": "posedge a.clk", "path": [{**step, "delay": 70.0}]})
    text = json.dumps({**json.loads(texts.report(1)), "fmax": fmax, "critical_paths": paths})
    assert read_report(text, 1, 50).mhz == pytest.approx(reached)


def test_times_add_up_along_the_path(texts):
    lines = list(path_lines(read_report(texts.report(1), 1, 60).path))
    assert [line.split()[0] for line in lines[1:]] == ["0.50", "2.25", "4.00", "5.00"]
    assert lines[2].endswith("lane_1.sum  (vc4/arith/add_sum.py:12)")


@pytest.mark.parametrize(
    ("clocks", "median", "typical"), [([70, 50, 61], 61, 3), ([50, 70], 60, 1), ([59], 59, 1), ([9, 8, 7, 6], 7.5, 3)]
)
def test_the_median_decides(figures, clocks, median, typical):
    found = figures(*clocks)
    assert found.mhz == median
    assert found.typical.seed == typical
    assert found.reached == (median >= 60)


def test_the_frame_is_not_counted_for_the_part(figures):
    counts = {name: (part, frame) for name, _, part, frame, _ in figures(60).cells()}
    assert counts["TRELLIS_COMB"] == (100, 5)
    assert counts["TRELLIS_FF"] == (60, 40)
    assert counts["MULT18X18D"] == (2, 0)
    assert counts["TRELLIS_RAMW"] == (0, 0)


def test_the_table(figures):
    lines = list(figures(70, 80, 59).lines())
    assert "| logic cells            |     100 |     5 |        83,640 |" in lines
    assert "70.0 MHz, median of 70.0 with seed 1, 80.0 with seed 2, 59.0 with seed 3" in lines
    assert "logic cells: passes 16,000, reaches the goal of 13,000" in lines
    assert "clock: passes 60 MHz, misses the goal of 80 MHz" in lines
    assert "PASS: 70.0 of 60 MHz" in lines


def test_components_by_size(figures):
    """98 LUTs and carries of the part: one cell is less than a fiftieth, two are more."""
    shares = {
        "small": Share(1, Counter(LUT4=1)),
        "lane": Share(4, Counter(LUT4=6, CCU2C=2, TRELLIS_FF=9)),
        "file": Share(1, Counter(LUT4=2, TRELLIS_DPR16X4=3, DP16KD=1)),
        "file.in": Share(1, Counter(LUT4=2)),
        "lane.sum": Share(4, Counter(CCU2C=2, MULT18X18D=1)),
    }
    found = figures(60)
    found = replace(found, netlist=replace(found.netlist, shares=shares))
    assert [place for place, *_ in found.components()] == ["file", "file.in", "lane", "lane.sum", "small"]
    assert list(found.lines())[-4:] == [
        "| file                                 |        1 |          20 |          0 |           0 |          1 |",
        "| file.in                              |        1 |           2 |          0 |           0 |          0 |",
        "| lane                                 |        4 |          10 |          9 |           0 |          0 |",
        "| lane.sum                             |        4 |           4 |          0 |           1 |          0 |",
    ]
    assert found.as_json("")["components"]["file"] == {
        **{"instances": 1, "TRELLIS_COMB": 20, "TRELLIS_FF": 0, "TRELLIS_RAMW": 3, "MULT18X18D": 0, "DP16KD": 1}
    }


def test_the_table_of_what_misses(figures):
    small = Part(PARTS["qpu"].build, Bounds(99, 98, 60, 80), "small")
    lines = list(figures(55, asked=60, part=small).lines())
    assert "logic cells: misses 99, misses the goal of 98" in lines
    assert "clock: misses 60 MHz, misses the goal of 80 MHz" in lines
    assert "FAIL: 55.0 of 60 MHz" in lines


def test_a_part_without_bounds_has_no_verdict_on_them(figures):
    lines = list(figures(55, part=PARTS["v3d"]).lines())
    assert not any(line.startswith(("logic cells:", "clock:")) for line in lines)


def test_json_holds_everything(figures):
    found = json.loads(json.dumps(figures(70, 50, asked=65).as_json("vc4 synth")))
    assert found["command"] == "vc4 synth"
    assert (found["config"], found["part"], found["target"]) == ("qpu", "qpu", "ecp5-85")
    assert found["seeds"] == {"1": 70, "2": 50}
    assert (found["mhz"], found["mhz_asked"], found["reached"]) == (60, 65, False)
    assert found["cells"]["TRELLIS_COMB"] == 100
    assert found["critical_path"][1]["source"] == "vc4/arith/add_sum.py:12"
