"""`vc4 bench`: the figures, and that native code is as fast as promised."""

import json

import pytest

from vc4sim.cli import main
from vc4sim.model import compiled


def measure(tmp_path, seconds, *options):
    path = tmp_path / "figures.json"
    assert main(["bench", "sim", "--seconds", str(seconds), "--json", str(path), *options]) == 0
    figures = json.loads(path.read_text())
    assert (figures["program"], figures["config"]) == ("mandelbrot", "qpu")
    return figures["clocks_per_second"]


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_native_code_is_faster(tmp_path, capsys):
    """Not by how much: other tests run beside this one."""
    rates = measure(tmp_path, 0.2)
    assert [name for name in rates if name != "verilator"] == ["pysim", "cxxrtl", "native", "native with lockstep"]
    assert min(rates["cxxrtl"], rates["native"]) > rates["native with lockstep"] > 10 * rates["pysim"]
    printed = capsys.readouterr().out
    assert printed.count(" x pysim") == len(rates)


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_five_hundred_times(tmp_path):
    rates = measure(tmp_path, 5)
    assert min(rates["cxxrtl"], rates["native"]) >= 500 * rates["pysim"]


@pytest.mark.usefixtures("compiler")
def test_only_one_of_them(tmp_path, capsys, monkeypatch):
    """There is nothing then to compare it with. The model is interpreted, as it takes long to compile."""
    monkeypatch.setattr(compiled, "is_available", lambda: False)
    assert list(measure(tmp_path, 0.2, "--on", "native")) == ["native", "native with lockstep"]
    assert " x " not in capsys.readouterr().out


@pytest.mark.parametrize("asked", [(), ("--on", "native"), ("--on", "cxxrtl", "--on", "pysim")])
def test_without_a_compiler_nothing_else_is_measured_instead(monkeypatch, capsys, asked):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["bench", "sim", "--seconds", "0.1", *asked]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "vc4: no C++ compiler: set CXX, or install g++ or clang++; without one, measure --on pysim\n"


def test_a_simulator_that_is_none(capsys):
    assert main(["bench", "sim", "--on", "model"]) == 2
    assert "invalid choice: 'model'" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "x", "1e9"])
def test_a_time_that_is_none(seconds, capsys):
    assert main(["bench", "sim", "--seconds", seconds]) == 2
    assert "must be a number from 0.1 to 3600" in capsys.readouterr().err


def test_the_model(capsys, tmp_path, monkeypatch, recorded):
    """A program, a case and a frame; interpreted only, as it takes long to compile."""
    monkeypatch.setattr(compiled, "is_available", lambda: False)
    path, case, frame = tmp_path / "model.json", recorded / "cases/qpu/sfu", recorded / "cases/gl/clear"
    options = ["coordinate_shader", str(case), str(frame), "--json", str(path)]
    assert main(["bench", "model", "--seconds", "0.1", *options]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    figures = json.loads(path.read_text())
    assert min(figures["programs"][name]["interpreted"] for name in ("coordinate_shader", "sfu")) > 100
    assert figures["frames"]["clear"]["interpreted"] > 0
    assert [line[0] for line in lines[2:5]] == ["coordinate_shader", "sfu", "mean"]
    assert [line[0] for line in lines[6:]] == ["clear", "all"]
    assert main(["bench", "model", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_frames(recorded, tmp_path, capsys):
    path = tmp_path / "figures.json"
    folder = recorded / "cases/gl/clear"
    assert main(["bench", "frames", str(folder), "--seconds", "0.1", "--json", str(path)]) == 0
    (figures,) = json.loads(path.read_text())
    assert figures["clocks_per_second"] > 1000
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split() == ["clear", f"{figures['clocks']:,}", f"{figures['clocks_per_second']:,.0f}"]


def test_a_frame_that_is_none(tmp_path, refused):
    assert refused("bench", "frames", tmp_path) == f"vc4: {tmp_path / 'case.json'}: there is no such file"


def test_activity_is_recorded_in_the_project(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "activity", "--into", str(tmp_path / "records")]) == 2
    assert "tests/data/cases/gl is not here" in capsys.readouterr().err
    assert not (tmp_path / "records").exists()
