"""Random programs on several QPUs, which wait for each other: every effect of every instruction is the same."""

import dataclasses
import itertools

import pytest

from vc4.config import preset
from vc4sim.asm import assemble
from vc4sim.backends import model
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.cli import main
from vc4sim.events import MemoryWrite, Retirement, Start
from vc4sim.lockstep import Difference, Lockstep
from vc4sim.random_programs import random_team
from vc4sim.shrink import keep, shrink
from vc4sim.workload import load_case

from .told import Told, stand_in

#: Seed, latency and gaps of the memory.
RUNS = [(1, 4, 0.0), (1000, 30, 0.3), (2000, 1, 0.1), (3000, 60, 0.0)]


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "config", [pytest.param("slice", marks=pytest.mark.thorough), pytest.param("bcm2835", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("seed", "latency", "gap"), RUNS)
def test_two_hundred_thousand_instructions(config, seed, latency, gap, capsys):
    """A quarter of it each, by the command that replays it."""
    memory = ["--seed", seed, "--latency", latency, "--gap", gap]
    options = ["--config", config, "--length", 500, "--count", 50_000, *memory]
    assert main(["lockstep", "--on", "native", *map(str, options)]) == 0
    assert "no difference" in capsys.readouterr().out


@pytest.mark.parametrize("seed", [0, 1, 5, 7])
def test_programs_end_on_any_number_of_qpus(seed):
    """Those that meet in a ring end if all run at the same time and not on one; others on as few as there are."""
    job = random_team(seed, 120, preset("slice"))
    members = len(job.launches)
    rings = members <= job.config.qpus
    endings = {qpus: model.run(dataclasses.replace(job, qpus=qpus)).ending for qpus in (1, min(members, 4), 4)}
    assert endings.pop(1) is (Ending.STUCK if rings else Ending.DONE)
    assert set(endings.values()) == {Ending.DONE}


def test_they_wait_for_each_other(monkeypatch):
    """Every kind of waiting occurs, and the result does not depend on the order in which QPUs get on."""
    waits: set[str] = set()
    run = model.V3D.run

    def watched(self, *arguments):
        for event in run(self, *arguments):
            found = (place.partition(" waits for ")[2] for place in self.programs.places)
            waits.update(wait.split(",")[0].rstrip("0123456789") for wait in found if wait)
            yield event

    monkeypatch.setattr(model.V3D, "run", watched)
    for seed in range(6):
        model.run(random_team(seed, 300, preset("slice")), lambda event: None)
    assert waits == {"the mutex", "semaphore "}


@pytest.mark.thorough
def test_a_failing_team_becomes_small_and_is_kept(tmp_path, capsys):
    """A fault of the QPUs but the first one, in the model that stands for the RTL."""

    def spoil(event):
        is_wrong = isinstance(event, Retirement) and event.qpu and "v8adds" in str(event)
        return [event._replace(flags=(1, 2, 3)) if is_wrong else event]

    small = shrink(stand_in(spoil), random_team(3, 150, preset("slice")), 40)
    assert small
    assert len(small.job.launches) > 1
    keep(small, tmp_path / "team", "a team")
    assert load_case(tmp_path / "team").launches == small.job.launches
    assert main(["run", str(tmp_path / "team"), "--config", "slice"]) == 0
    assert "PASS team" in capsys.readouterr().out


class TestDifferences:
    """The comparison notices faults of what the QPUs share. The model with a fault stands for the RTL."""

    @staticmethod
    def run(spoil):
        """A run of which `spoil` tells other events."""
        lockstep = Lockstep(random_team(3, 300, preset("slice")))
        lockstep.run(stand_in(spoil))
        return lockstep

    def test_none(self):
        assert self.run(lambda event: [event]).retired > 300

    def test_a_program_on_two_qpus(self):
        with pytest.raises(Difference, match="a program starts that nobody has asked for"):
            self.run(lambda event: [event, event] if isinstance(event, Start) else [event])

    def test_an_instruction_of_another_qpu(self):
        def spoil(event):
            return [event._replace(qpu=event.qpu ^ 1)] if isinstance(event, Retirement) else [event]

        with pytest.raises(Difference, match="instruction 0 differs"):
            self.run(spoil)

    def test_stores_of_one_qpu_in_the_wrong_order(self):
        """Two rows that go to the same place."""
        row = "ldi vw_setup, 0x1a00\nmov vpm, {value}\nldi vw_setup, 0x80904000\nldi vw_addr, 0x10100\nread vw_wait\n"
        code = assemble(row.format(value=1) + row.format(value=2) + "thrend\nnop\nnop").code.ljust(0x140, b"\0")
        job = Job(image=code, base=0x10000, launches=(Launch(0x10000, 0x10000),), config=preset("slice"))
        stores = []

        def swapped(event):
            if isinstance(event, MemoryWrite):
                stores.append(event)
            if len(stores) == 2:
                return [stores.pop(), stores.pop()]
            return [] if isinstance(event, MemoryWrite) else [event]

        with pytest.raises(Difference, match="a byte written to memory differs"):
            Lockstep(job).run(stand_in(swapped))

    def test_stores_of_several_qpus_come_in_any_order(self):
        """Those of the last QPU first, all of them at the end."""
        job = random_team(3, 300, preset("slice"))
        lockstep, told = Lockstep(job), Told()
        stores = [[] for _ in range(job.config.qpus)]
        own = []

        def late(event):
            if isinstance(event, MemoryWrite):
                own.append(event)
                return
            if isinstance(event, Retirement):
                stores[event.qpu] += own
                own.clear()
            lockstep(told(event))

        outcome = model.run(job, late)
        assert sum(map(bool, stores)) > 1
        for event in itertools.chain(*reversed(stores)):
            lockstep(told(event))
        lockstep.conclude(outcome)
