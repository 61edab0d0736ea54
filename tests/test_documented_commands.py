"""Every `vc4` command that the README and the documentation show works."""

import re
import shlex
from pathlib import Path

import pytest

from vc4sim.cli import main
from vc4sim.command_line import parser_of

from .gl.needs import needs_c

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
RUNNING = (ROOT / "docs/user/running.md").read_text()

#: The program that the page about running programs shows.
(PROGRAM,) = re.findall(r"^`square\.qasm`:\n\n```\n(.*?)```", RUNNING, re.MULTILINE | re.DOTALL)

#: What wants a Mesa, which takes long to build: `tests/gl` runs such commands.
MESA = r"^gl (build --mesa|run|piglit)"
#: What runs the RTL, exports it, draws frames, or wants a compiler.
LONG = r"--on (pysim|native|cxxrtl)|^(lockstep|soak|render|verilog|synth|bench|gl|clist run)"


def shown(page: Path) -> list[str]:
    """The commands in blocks of code, without their comments."""
    found = re.findall(r"^(?: {4})?(?:\S*/bin/)?vc4 (.+)$", page.read_text(), re.MULTILINE)
    return [re.split(r"\s#", command)[0] for command in found]


def commands(page: Path) -> list[str]:
    """Those that can be run here: not those with a placeholder for a path."""
    return [command for command in shown(page) if "path/to" not in command and not re.search(MESA, command)]


def marks(page: Path) -> list:
    """Of a page, by its commands: those that take long, and those that want a C compiler."""
    found = commands(page)
    is_long, wants_c = any(re.search(LONG, one) for one in found), any(one.startswith("gl ") for one in found)
    return [pytest.mark.thorough] * is_long + [needs_c] * wants_c


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.relative_to(ROOT).as_posix(), marks=marks(page)) for page in PAGES]
)
def test_commands(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs/images").mkdir(parents=True)
    (tmp_path / "square.qasm").write_text(PROGRAM)
    for command in commands(page):
        assert main(shlex.split(command)) == 0, f"vc4 {command}: {capsys.readouterr()}"


@pytest.mark.parametrize("command", [one for page in PAGES for one in shown(page) if re.search(MESA, one)])
def test_commands_for_mesa_are_understood(command):
    arguments = shlex.split(command)
    assert callable(parser_of(arguments).parse_args(arguments).execute)


def test_there_are_commands():
    assert sum(len(commands(page)) for page in PAGES) >= 15


@pytest.mark.thorough
def test_the_readme_shows_what_the_main_example_prints(capsys):
    readme = (ROOT / "README.md").read_text()
    main(["run", "coordinate_shader", "--on", "pysim", "--lockstep"])
    printed = capsys.readouterr().out.split("\n", 1)[1]
    assert printed in readme
