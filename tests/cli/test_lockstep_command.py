"""`vc4 lockstep`."""

import re
import shlex

import pytest

from vc4.isa.decode import decode
from vc4.isa.ops import AddOp
from vc4.isa.word import AluWord
from vc4sim.backends.engines import ENGINES, Engine
from vc4sim.cli import main
from vc4sim.events import Retirement

from ..lockstep.told import stand_in


@pytest.fixture
def faulty(monkeypatch):
    """In place of the RTL, the model with a wrong v8adds; returns a list of all runs."""
    runs = []

    def wrong(event):
        fields = decode(event.word) if isinstance(event, Retirement) else None
        if fields and fields.layout is AluWord and fields.op_add is AddOp.V8ADDS:
            return event._replace(flags=(1, 2, 3))
        return event

    def run(job, *listeners):
        runs.append(job)
        return stand_in(lambda event: [wrong(event)])(job, *listeners)

    monkeypatch.setitem(ENGINES, "pysim", Engine(run, "a fault", has_waves=True))
    return runs


@pytest.fixture
def faultless(monkeypatch):
    """In place of the RTL, the model."""
    monkeypatch.setitem(ENGINES, "pysim", Engine(stand_in(lambda event: [event]), "the model twice"))


@pytest.mark.parametrize("engine", ["native", pytest.param("pysim", marks=pytest.mark.thorough)])
def test_random_programs_have_no_difference(output_of, engine):
    text = output_of(
        "lockstep", "--on", engine, "--count", 1, "--length", 20, "--seed", 7, "--latency", 3, "--gap", 0.2
    )
    first, last = text.splitlines()
    assert first.startswith("lockstep: ")
    assert first.endswith(" instructions in 1 program, no difference")
    assert last.startswith("coverage: ")
    assert last.endswith(" cells")


def test_coverage_is_printed(faultless, output_of):
    lines = output_of("lockstep", "--count", 300, "--length", 100, "--coverage").splitlines()
    assert lines[0].endswith(" programs, no difference")
    assert any(line.startswith("  signal x place ") for line in lines)
    assert any(re.match("left out: signal x place: [0-9]+ cells: there is no ", line) for line in lines)
    assert any(line.startswith("missing: mul: operation x operand a: ") for line in lines)
    assert lines[-2].startswith("rules broken in ")
    assert " R24" in lines[-2]
    assert lines[-1].startswith("coverage: ")


def test_the_replay_runs_the_same_program(faulty, capsys):
    assert main(["lockstep", "--seed", "3", "--length", "300", "--gap", "0.2", "--shrink-runs", "0"]) == 1
    first = capsys.readouterr().out.splitlines()
    assert first[0].startswith("DIFFERENCE in the random program of seed 3: ")
    command = shlex.split(first[-1].removeprefix("replay: "))
    assert command[0] == "vc4"
    assert command[-2:] == ["--waves", "difference.vcd"]
    assert main(command[1:-2]) == 1
    assert capsys.readouterr().out.splitlines() == first
    assert faulty[0] == faulty[1]


def test_a_failing_program_is_made_small_and_kept(faulty, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["lockstep", "--seed", "4", "--length", "300", "--gap", "0.1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("DIFFERENCE in the random program of seed 4: ")
    assert re.fullmatch(
        "smallest: [12] instructions? besides nops, after \\d+ runs, in lockstep-failures/seed-4", lines[-2]
    )
    command = shlex.split(lines[-1].removeprefix("replay: "))
    assert command[:3] == ["vc4", "run", "lockstep-failures/seed-4"]
    assert command[-3:] == ["--lockstep", "--waves", "difference.vcd"]
    assert main(command[1:]) == 1
    assert "DIFFERENCE in seed-4" in capsys.readouterr().out
    assert main(["run", "lockstep-failures/seed-4"]) == 0
    assert "made small: instruction " in capsys.readouterr().out
    files = {path.name for path in (tmp_path / "lockstep-failures/seed-4").iterdir()}
    assert files == {"case.json", "memory.bin", "program.bin", "expected.bin", "listing.txt"}


@pytest.mark.thorough
def test_the_runs_and_the_folder_can_be_chosen(faulty, tmp_path, capsys):
    folder = tmp_path / "kept"
    arguments = ["lockstep", "--seed", "4", "--length", "300", "--save", str(folder), "--shrink-runs"]
    assert main([*arguments, "0"]) == 1
    assert len(faulty) == 1
    assert not folder.exists()
    assert main([*arguments, "9"]) == 1
    # The run that finds the fault, the one that shows it again, and nine to make it smaller.
    assert len(faulty) == 1 + 2 + 9
    assert (folder / "seed-4/case.json").exists()
    assert "after 9 runs" in capsys.readouterr().out


def test_a_failed_check_of_the_hardware_is_told(monkeypatch, tmp_path, capsys):
    def run(job, watch, waves, follow):
        raise AssertionError("a queue holds more than it has room for")

    monkeypatch.setitem(ENGINES, "pysim", Engine(run, "a fault", has_waves=True))
    assert main(["lockstep", "--length", "80", "--save", str(tmp_path), "--shrink-runs", "30"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "FAILED CHECK in the random program of seed 1: a queue holds more than it has room for"
    assert "smallest: " in lines[-2]
