"""The command as a whole: help, bad arguments, interrupts, pipes."""

import os
import signal
import subprocess
import sys
import time
from importlib import metadata

import pytest

from vc4sim.cli import main
from vc4sim.commands import COMMANDS, examples, verilog
from vc4sim.problem import ExitStatus


def test_alone_it_prints_its_help(output_of):
    text = output_of()
    assert text.startswith("usage: vc4")
    assert all(name in text for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
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


def test_the_version_is_that_of_the_package(output_of):
    assert output_of("--version") == f"vc4-rtl {metadata.version('vc4-rtl')}\n"


@pytest.mark.parametrize("arguments", [(), ("run", "--help")])
def test_all_exit_statuses_are_in_the_help(arguments, output_of):
    text = output_of(*arguments).partition("exit status:\n")[2]
    assert [int(line.split()[0]) for line in text.splitlines() if line[2:3].isdigit()] == [*ExitStatus]


#: Runs the command as the script of the package does.
SCRIPT = "from vc4sim.cli import main; raise SystemExit(main())"


class TestInterrupts:
    """Ctrl-C gives one line and the status that shells give a process that SIGINT has ended."""

    def test_while_it_works(self, monkeypatch, capsys):
        def interrupt(name):
            raise KeyboardInterrupt

        monkeypatch.setattr(examples, "description_of", interrupt)
        assert main(["examples"]) == 130
        assert capsys.readouterr().err == "vc4: interrupted\n"

    def test_while_an_object_is_deleted(self, monkeypatch, capsys):
        """Python only tells of what is raised then, and goes on."""

        class Interrupting:
            def __del__(self):
                signal.raise_signal(signal.SIGINT)

        def interrupt(name):
            Interrupting()
            time.sleep(60)

        monkeypatch.setattr(examples, "description_of", interrupt)
        assert main(["examples"]) == 130
        assert capsys.readouterr().err == "vc4: interrupted\n"

    @pytest.mark.parametrize("module", ["numpy", "amaranth", "vc4sim.commands"])
    def test_while_modules_are_loaded(self, module):
        script = f"""
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
{SCRIPT}
"""
        done = subprocess.run([sys.executable, "-c", script, "examples"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "vc4: interrupted\n")

    @pytest.mark.usefixtures("compiler")
    @pytest.mark.parametrize("compiling", [False, pytest.param(True, marks=pytest.mark.slow)])
    def test_while_native_code_is_made(self, tmp_path, compiling):
        """Before the compilers run, and when they do: they end with it, although only the command gets the signal."""
        command = [sys.executable, "-c", SCRIPT, "run", "coordinate_shader", "--on", "native"]
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        assert process.stderr
        notice = "vc4: compiling the RTL to native code, which is kept for the next time\n"
        assert process.stderr.readline() == notice
        while compiling and not list(tmp_path.rglob("*.cc")):
            time.sleep(0.1)
        try:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert (process.returncode, out) == (130, "")
        assert err.endswith("vc4: interrupted\n")
        assert not list(tmp_path.rglob("*.cc"))


def test_what_takes_long_says_so(monkeypatch, capfd):
    def export(config):
        time.sleep(0.2)
        return ""

    monkeypatch.setattr(verilog, "export", export)
    for delay, said in ((0.01, "vc4: exporting qpu\n"), (10.0, "")):
        monkeypatch.setattr("vc4sim.notice.DELAY", delay)
        assert main(["verilog", "-o", "/dev/null"]) == 0
        assert capfd.readouterr().err == said


def test_waves_without_the_pipeline_say_so(tmp_path, refused):
    """The header is that of CXXRTL's writer."""
    path = tmp_path / "run.vcd"
    path.write_text(
        "$timescale 1 ns $end\n$scope module v3d $end\n$var wire 1 ! clk $end\n$upscope $end\n$enddefinitions $end\n"
    )
    assert "write them with --on pysim" in refused("waves", path, "-o", tmp_path / "run.svg")


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-c", SCRIPT, "run", "mandelbrot"]
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


@pytest.mark.thorough
def test_tree_has_the_path_to_a_lane(output_of):
    lines = output_of("tree").splitlines()
    assert lines[0] == "v3d  V3D"
    for name in ("slice0  Slice", "qpu0  Qpu", "lane_3  Lane", "add_alu  AddAlu", "hub  Hub"):
        assert any(line.endswith("─ " + name) for line in lines)
