"""`vc4 campaign`, with jobs that cost nothing and no Dask."""

import contextlib
import json
import shlex
import sqlite3

import pytest

from vc4sim.campaign.kind import Done
from vc4sim.campaign.kinds import KINDS
from vc4sim.cli import main
from vc4sim.lockstep import Difference

from .fake import KIND, Chaos, result_of


class Here(Chaos):
    """In this process."""

    workers = 2


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """All files of a test; no test waits for the disk, or for processes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vc4sim.campaign.store._SYNCHRONOUS", "OFF")
    asked = []

    @contextlib.contextmanager
    def open_cluster(workers, scheduler):
        asked.append((workers, scheduler))
        yield Here(4)

    monkeypatch.setattr("vc4sim.commands.campaign.open_cluster", open_cluster)
    return asked


def faultless(job):
    return result_of(job)._replace(failures=())


@pytest.fixture
def works(monkeypatch):
    """Nothing fails."""
    monkeypatch.setattr(Here.__init__, "__defaults__", (None, faultless))


def begin(*more, count=100):
    return main(["campaign", KIND, "--count", str(count), "--size", "10", "--seed", "5", "--file", "c.sqlite", *more])


def test_a_campaign_without_failures(works, capsys):
    assert begin() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("campaign of lists, seed 5, on gpu: ")
    assert lines[1] == "100 lists of 100, in 10 runs and 10 of 10 jobs: finished"
    assert lines[-2] == "0 failures"
    assert lines[-1].startswith("coverage: ")


def test_who_works_can_be_chosen(works, here):
    assert begin("--workers", "3") == 0
    assert main(["campaign", "resume", "c.sqlite"]) == 0
    assert main(["campaign", KIND, "--count", "1", "--scheduler", "tcp://host:8786"]) == 0
    # A campaign that is finished wants nobody.
    assert here == [(3, None), (pytest.approx(here[1][0]), "tcp://host:8786")]


def test_failures_are_told_and_written_down(capsys, tmp_path):
    assert begin(count=200) == 1
    out = capsys.readouterr().out
    assert "failure 1, job " in out
    assert "\n2 failures\n" in out
    assert "replay: vc4 campaign replay c.sqlite 1\nsmallest: 1 thing\n" in out
    folder = tmp_path / "campaign-failures/c-1"
    assert (folder / "a").read_bytes() == b"b"
    assert (folder / "failure.txt").read_text() in out
    # Where somebody has died in between, they are written by whoever goes on.
    (folder / "failure.txt").unlink()
    (folder / "a").unlink()
    folder.rmdir()
    assert main(["campaign", "resume", "c.sqlite"]) == 1
    assert (folder / "a").read_bytes() == b"b"


def test_it_ends_when_enough_has_failed(capsys):
    assert begin("--failures", "1", count=1000) == 1
    assert capsys.readouterr().out.endswith("go on with: vc4 campaign resume c.sqlite\n")


def test_a_replay_runs_the_seed_with_the_cells_of_its_job(monkeypatch, capsys):
    assert begin("--round", "2", count=300) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("failure 3, ")]
    seen = []

    def run(settings, seed, cells, covered, *, on, waves=None):
        seen.append((seed, cells, on, waves))
        raise Difference("it differs again", 1, 2, [])

    monkeypatch.setattr(KINDS[KIND], "run", run, raising=False)
    assert main(["campaign", "replay", "c.sqlite", "3", "--on", "cxxrtl", "--waves", "w.vcd"]) == 1
    ((seed, cells, on, waves),) = seen
    assert on == "cxxrtl"
    assert waves.path.name == "w.vcd"
    assert cells
    assert f"DIFFERENCE at seed {seed}: it differs again" in capsys.readouterr().out
    assert f"at seed {seed}:" in line
    monkeypatch.setattr(KINDS[KIND], "run", lambda *_, **__: Done(1), raising=False)
    assert main(["campaign", "replay", "c.sqlite", "3"]) == 0
    assert "no difference at seed" in capsys.readouterr().out


class TestReports:
    def test_text(self, works, capsys):
        begin()
        capsys.readouterr()
        assert main(["campaign", "report", "c.sqlite"]) == 0
        out = capsys.readouterr().out
        for group in KINDS[KIND].groups(None):
            assert f"  {group.name} " in out
            assert f"of {group.reachable().sum():,}\n" in out
        assert "missing: place x end: " in out
        assert "no table has a reason" in out
        assert "the campaign is too short to ask for more" in out

    def test_left_out_has_its_reason(self, works, capsys):
        assert main(["campaign", "arithmetic", "--count", "1", "--file", "a.sqlite", "--failures", "1"]) in (0, 1)
        capsys.readouterr()
        main(["campaign", "report", "a.sqlite"])
        assert "left out: add: operation x a x b: 1296 cells: the operation computes nothing" in capsys.readouterr().out

    def test_markdown(self, works, capsys):
        begin()
        capsys.readouterr()
        assert main(["campaign", "report", "c.sqlite", "--markdown"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "## 100 lists"
        command = shlex.split(next(line for line in lines if line.startswith("    vc4 ")))
        assert command[:6] == ["vc4", "campaign", "lists", "--count", "100", "--seed"]
        assert "| group | reached | of cells |" in lines
        assert any(line.startswith("| place x damage | ") for line in lines)

    def test_page(self, capsys, tmp_path):
        pytest.importorskip("matplotlib", reason="needs matplotlib: pip install -e '.[campaign]'")
        begin(count=200)
        assert main(["campaign", "report", "c.sqlite", "-o", "c.html"]) == 0
        page = (tmp_path / "c.html").read_text()
        assert page.count("<svg") == 1
        assert "it differs" in page
        assert "<td>place x damage</td>" in page

    def test_before_anything_is_done(self, monkeypatch, capsys):
        monkeypatch.setattr(Here, "room", 0)
        monkeypatch.setattr(Here, "working", False)
        assert begin() == 0
        for more in ([], ["--markdown"], ["-o", "c.html"]):
            assert main(["campaign", "report", "c.sqlite", *more]) == 0
        assert "0 lists of 100, in 0 runs and 0 of 10 jobs: not finished" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [KIND, "--count", "0"],
        [KIND],
        ["nothing", "--count", "1"],
        [KIND, "--count", "1", "--workers", "0"],
        [KIND, "--count", "1", "--workers", "1", "--scheduler", "tcp://host:8786"],
        [KIND, "--count", "1", "--config", "qpu"],
        [KIND, "--count", str(1 << 31), "--seed", "1"],
        [KIND, "--count", "1", "--file", "no/such/folder.sqlite"],
        [KIND, "--count", "1", "--on", "pysim"],
        ["resume", "none.sqlite"],
        ["report", "none.sqlite"],
        ["report", "none.sqlite", "--markdown", "-o", "page.html"],
        ["replay", "none.sqlite", "1"],
        ["replay", "none.sqlite", "0"],
    ],
)
def test_bad_options(arguments, capsys, tmp_path):
    assert main(["campaign", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("vc4: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_bad_numbers_of_failures(works, capsys):
    begin()
    assert main(["campaign", "replay", "c.sqlite", "1"]) == 2
    assert main(["campaign", KIND, "--count", "1", "--file", "c.sqlite"]) == 2
    assert "there is a file already" in capsys.readouterr().err


def test_without_a_command_it_helps(capsys):
    assert main(["campaign"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in (*KINDS, "resume", "report", "replay"))


def test_settings_are_json(works):
    """What is in the file can be read by others."""
    begin()
    with contextlib.closing(sqlite3.connect("c.sqlite")) as database:
        (text,) = database.execute("SELECT settings FROM campaign").fetchone()
    assert json.loads(text)["kind"] == KIND
