"""`vc4 soak`, without the RTL."""

import pytest

from vc4sim.cli import main
from vc4sim.lockstep import Difference
from vc4sim.soak import Compared, numbers_of, ranges_of


@pytest.fixture
def jobs(monkeypatch):
    """All episodes that the command runs; none of them differs."""
    seen = []

    def compare(job, **_):
        seen.append(job)
        return Compared(len(job.frames), len(job.asked), 10, 100)

    monkeypatch.setattr("vc4sim.commands.soak.compare_episode", compare)
    return seen


def test_as_many_episodes_as_asked_for(jobs, capsys):
    assert main(["soak", "--count", "3", "--seed", "5"]) == 0
    assert [job.seed for job in jobs] == [5, 6, 7]
    out = capsys.readouterr().out
    assert out.startswith("soak: 3 episodes, ")
    assert "30 instructions" in out
    assert out.endswith("no difference\n")


def test_none_begins_when_the_time_is_over(jobs):
    assert main(["soak", "--seconds", "0.3"]) == 0
    assert jobs


def test_an_interrupt_ends_it_with_a_summary(monkeypatch, capsys):
    def compare(job, **_):
        if job.seed == 3:
            raise KeyboardInterrupt
        return Compared(1)

    monkeypatch.setattr("vc4sim.commands.soak.compare_episode", compare)
    assert main(["soak"]) == 0
    assert capsys.readouterr().out.startswith("soak: 2 episodes, ")


def test_memory_can_be_chosen(jobs):
    assert main(["soak", "--count", "1", "--latency", "7", "--gap", "0.25"]) == 0
    assert (jobs[0].latency, jobs[0].gap) == (7, 0.25)


def fails(job, **_):
    if job.acts:
        raise Difference("something differs", 1, 2, [])
    return Compared(1)


def test_a_find_is_told_made_small_and_written_down(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("vc4sim.commands.soak.compare_episode", fails)
    assert main(["soak", "--seed", "1", "--latency", "9", "--save", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    first, *rest = out.splitlines()
    assert first.startswith("DIFFERENCE in the episode of seed ")
    replays = [line for line in rest if line.startswith("replay: ")]
    assert len(replays) == 2
    for replay in replays:
        words = replay.split()
        assert words[:3] == ["replay:", "vc4", "soak"]
        assert "--latency 9" in replay
    seed = first.split()[6].rstrip(":")
    assert (tmp_path / f"seed-{seed}.txt").read_text() in out
    # The one that is left fails as well.
    arguments = [word for word in replays[1].split()[2:] if word not in ("--waves", "difference.vcd")]
    assert main([*arguments, "--save", str(tmp_path)]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--count", "0"],
        ["--seconds", "0"],
        ["--jobs", "0"],
        ["--on", "pysim"],
        ["--config", "qpu"],
        ["--config", "nothing"],
        ["--keep", "1,x"],
        ["--waves", "failure.vcd"],
        ["--on", "cxxrtl", "--waves", "failure.vcd", "--jobs", "2"],
    ],
)
def test_bad_options(arguments, capsys):
    assert main(["soak", *arguments]) == 2
    assert "vc4" in capsys.readouterr().err


def test_numbers_of_parts():
    assert ranges_of([3, 1, 2, 9, 11, 10, 20]) == "1-3,9-11,20"
    assert numbers_of("1-3,9-11,20") == {1, 2, 3, 9, 10, 11, 20}
    assert numbers_of(ranges_of([])) == frozenset()
