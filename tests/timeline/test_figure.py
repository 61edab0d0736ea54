"""Figures of timelines."""

import runpy
import sys

import pytest

from vc4sim.cli import main

pytest.importorskip("matplotlib")


@pytest.fixture
def draws(tmp_path, monkeypatch):
    """`python -m vc4sim.timeline` with a timeline; returns its status."""

    def draw(picture, window):
        path = tmp_path / "run.json"
        assert main(["run", "prefix_sum", "--timeline", str(path)]) == 0
        monkeypatch.setattr(sys, "argv", ["timeline", str(path), str(tmp_path / picture), "--window", window])
        with pytest.raises(SystemExit) as end:
            runpy.run_module("vc4sim.timeline", run_name="__main__")
        return end.value.code

    return draw


def test_all_tracks_are_there(draws, tmp_path):
    assert draws("run.svg", "0:60") == 0
    text = (tmp_path / "run.svg").read_text()
    assert text.count("<path") > 40  # letters, and a rectangle for each slice
    assert draws("run.png", "0:60") == 0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_there_is_nothing_there(draws, tmp_path, capsys):
    assert draws("run.svg", "100000:100010") == 2
    assert "has nothing in the clocks 100000 to 100009" in capsys.readouterr().err
    assert not (tmp_path / "run.svg").exists()
