"""The exported Verilog, as Verilator simulates it, does what native code does, clock by clock."""

import dataclasses
import shutil
import subprocess

import pytest

from vc4.config import PRESETS, V3DConfig
from vc4.v3d import V3D
from vc4sim.backends import native, verilated
from vc4sim.cli import main
from vc4sim.random_programs import random_job
from vc4sim.verilog import export_component

pytestmark = pytest.mark.usefixtures("compiler")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("verilator"), reason="needs Verilator")
@pytest.mark.parametrize(("seed", "latency", "gap"), [(1, 4, 0.0), (2, 1, 0.5)])
def test_random_programs_are_the_same(seed, latency, gap):
    job = random_job(seed, 1000, V3DConfig(), latency=latency, gap=gap)
    seen, theirs = [], []
    assert native.run(job, seen.append) == verilated.run(job, theirs.append)
    assert seen == theirs


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("verilator"), reason="needs Verilator")
@pytest.mark.parametrize("name", PRESETS)
def test_it_is_taken_with_trace_ports(tmp_path, name):
    """Without a warning, of which any would end the build."""
    path = tmp_path / "v3d.v"
    path.write_text(export_component(V3D(dataclasses.replace(PRESETS[name], trace=True)), "v3d"))
    done = subprocess.run(
        ["verilator", "--lint-only", "--top-module", "v3d", path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_else_is_measured_in_its_place(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "verilator" else name)
    assert main(["bench", "sim", "--seconds", "0.1", "--on", "verilator"]) == 2
    assert capsys.readouterr().err == "vc4: verilator is not there: install it, as with apt-get install verilator\n"
