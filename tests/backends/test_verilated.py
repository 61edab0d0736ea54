"""The exported Verilog, as Verilator simulates it, does what native code does, clock by clock."""

import shutil

import pytest

from vc4.config import V3DConfig
from vc4sim.backends import native, verilated
from vc4sim.cli import main
from vc4sim.random_programs import random_job

pytestmark = pytest.mark.usefixtures("compiler")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("verilator"), reason="needs Verilator")
@pytest.mark.parametrize(("seed", "latency", "gap"), [(1, 4, 0.0), (2, 1, 0.5)])
def test_random_programs_are_the_same(seed, latency, gap):
    job = random_job(seed, 1000, V3DConfig(), latency=latency, gap=gap)
    seen, theirs = [], []
    assert native.run(job, seen.append) == verilated.run(job, theirs.append)
    assert seen == theirs


def test_nothing_else_is_measured_in_its_place(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "verilator" else name)
    assert main(["bench", "sim", "--seconds", "0.1", "--on", "verilator"]) == 2
    assert capsys.readouterr().err == "vc4: verilator is not there: install it, as with apt-get install verilator\n"
