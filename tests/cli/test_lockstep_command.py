"""`vc4 lockstep`."""

import dataclasses
import shlex

from vc4sim.cli import main
from vc4sim.model.qpu import Qpu


def test_random_programs_have_no_difference(output_of):
    text = output_of("lockstep", "--count", 1, "--length", 20, "--seed", 7, "--latency", 3, "--gap", 0.2)
    assert text.startswith("lockstep: ")
    assert text.endswith(" instructions in 1 program, no difference\n")


def test_the_replay_runs_the_same_program(monkeypatch, capsys):
    step = Qpu.step

    def wrong(self, observed=None):
        event = step(self, observed or {})
        return event if self.pc != 0x10100 else dataclasses.replace(event, thread=1)

    monkeypatch.setattr(Qpu, "step", wrong)
    assert main(["lockstep", "--seed", "3", "--length", "20"]) == 1
    first = capsys.readouterr().out.splitlines()
    assert first[0].startswith("DIFFERENCE in the random program of seed 3: ")
    command = shlex.split(first[-1].removeprefix("replay: "))
    assert command[0] == "vc4"
    assert command[-2:] == ["--waves", "difference.vcd"]
    assert main(command[1:-2]) == 1
    assert capsys.readouterr().out.splitlines() == first
