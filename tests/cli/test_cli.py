"""The command as a whole: help, bad arguments, interrupts, pipes."""

import subprocess
import sys

import pytest

from vc4sim.cli import main
from vc4sim.commands import COMMANDS, examples

NAMES = [command.__name__.rpartition(".")[2] for command in COMMANDS]


def test_alone_it_prints_its_help(output_of):
    text = output_of()
    assert text.startswith("usage: vc4")
    assert all(name in text for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(name, output_of):
    assert output_of(name, "--help").startswith(f"usage: vc4 {name}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["frob"],
        ["run"],
        ["run", "mandelbrot", "--on", "paper"],
        ["run", "mandelbrot", "--config", "huge"],
        ["run", "mandelbrot", "--latency", "0"],
        ["run", "mandelbrot", "--gap", "1"],
        ["run", "mandelbrot", "--gap", "nan"],
        ["run", "mandelbrot", "--seed", "x"],
        ["run", "mandelbrot", "--max-cycles", "-5"],
        ["run", "mandelbrot", "--on", "pysim", "--waves", "waves.gtkw"],
        ["asm"],
        ["lockstep", "--on", "model"],
        ["lockstep", "--count", "0"],
        ["waves", "x.vcd"],
        ["tree", "line\nbreak"],
    ],
)
def test_wrong_arguments_give_one_line(arguments, refused):
    assert "--help" in refused(*arguments)


def test_an_interrupt_is_quiet(monkeypatch, capsys):
    def interrupt(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(examples, "description_of", interrupt)
    assert main(["examples"]) == 130
    assert capsys.readouterr().err == ""


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-c", "from vc4sim.cli import main; raise SystemExit(main())", "run", "mandelbrot"]
    process = subprocess.Popen([*command, "--trace", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def test_examples_are_listed(output_of):
    assert "coordinate_shader  a coordinate shader" in output_of("examples")


def test_tree_has_the_path_to_a_lane(output_of):
    lines = output_of("tree").splitlines()
    assert lines[0] == "v3d  V3D"
    for name in ("slice0  Slice", "qpu0  Qpu", "lane_3  Lane", "add_alu  AddAlu", "hub  Hub"):
        assert any(line.endswith("─ " + name) for line in lines)
