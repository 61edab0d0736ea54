"""Every command that README, documentation and tutorials show works."""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vc4sim.cli import main
from vc4sim.command_line import parser_of

from .gl.needs import needs_c

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))
#: Pages whose commands take a minute or more, of what other tests do, too.
SLOW = ("docs/reference/errata.md", "docs/developer/testing.md", "docs/images/README.md")

#: A line of a block of code: `vc4`, wherever it is installed, or a script of Python.
LINE = re.compile(r"^(?: {4})?(?:(?:\S*/bin/)?(vc4)|(python)) (.+?)(?:\s+#.*)?$", re.MULTILINE)
#: A file that a page shows: its name, and what is in it.
FILE = re.compile(r"^`(\w+\.\w+)`:\n\n```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)

#: Commands that no test runs, and why; they are read all the same.
NOT_RUN = {
    r"^build": "it places and routes a GPU for half an hour, or has Yosys count its cells; `tests/cli/test_build.py` does, with -m slow",
    r"^bench sim": "it compiles a GPU for each simulator, and measures them; `tests/cli/test_bench.py` does, with -m slow",
    r"^bench activity": "it compiles and runs the presets twice, for a quarter of an hour; `tests/native` records something small",
    r"--on uart:": "it needs a board; `tests/boards` has one, as a model and as RTL",
    r"^screen uart:": "the same, with a screen; `tests/boards` has one as a model",
    r"path/to": "the path is a reader's own",
    r"^gl build --mesa": "it builds Mesa for a quarter of an hour; `tests/gl` does, with -m slow",
    r"^debug --tui": "it takes the whole terminal; `tests/debug` has what it does",
    r"^gl run": "it wants that Mesa, and programs of others; `tests/gl` has some, with -m slow",
    r"^campaign arithmetic": "it measures what two cores are good for; `tests/campaign` runs smaller ones",
    r"^campaign (frames .*--count \d{5}|.*--count \d{7})": "it takes an hour or so; `tests/campaign` runs smaller ones",
    r"^campaign .*--scheduler": "it wants a scheduler of Dask; `tests/campaign` has one",
    r"^gl piglit": "it takes hours; `tests/gl` runs ten of its tests, with -m slow",
}
#: Scripts of Python that are no part of a page: writers of other pages, and what changes the sources.
NO_SCRIPT = re.compile(r"^-m|git apply")
#: Commands of the second level: they run the RTL, export it or draw frames, want a compiler, or files of such a command.
LONG = re.compile(
    r"--on (pysim|native|cxxrtl)|^(lockstep|soak|campaign|profile|render|verilog|synth|bench|gl|waves|clist run)|/mandelbrot\.py"
)


def is_run(command):
    """Whether a command of `vc4` is run at all."""
    return not any(re.search(pattern, command) for pattern in NOT_RUN)


def shown(page):
    """Programs and their arguments, as in the blocks of code of a page."""
    found = LINE.findall(page.read_text("utf-8"))
    return [(vc4 or python, rest) for vc4, python, rest in found if vc4 or not NO_SCRIPT.search(rest)]


def files_of(page):
    """Files that a page shows, and the program of the page about running programs, which others run, too."""
    return dict(FILE.findall((DOCS / "user/running.md").read_text("utf-8")) + FILE.findall(page.read_text("utf-8")))


def run_vc4(arguments, folder):
    """A command in this process, as the shell would run it in `folder`; returns its status."""
    command, _, target = arguments.partition(" > ")
    command, _, source = command.partition(" < ")
    if source or command.startswith("debug "):
        return run_with_input(command, (folder / source.strip()).read_bytes() if source else b"")
    if not target:
        return main(shlex.split(command))
    # The home of a reader is here.
    path = folder / target.strip().replace("~/", "")
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = main(shlex.split(command))
    path.write_text(output.getvalue())
    return status


def run_with_input(command, data):
    """A command that reads standard input, of which this is all; returns its status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        return main(shlex.split(command))


def run_python(arguments):
    """A script, with the packages of this checkout; returns its status."""
    packages = os.pathsep.join(str(ROOT / name) for name in ("rtl", "sim"))
    command = [sys.executable, *shlex.split(arguments)]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": packages}, timeout=300, check=False).returncode


@pytest.fixture
def reader(tmp_path, monkeypatch, capfd):
    """`reader(page, commands)`: does what a page says, in a folder with the files that it shows or names."""

    def follow(page, commands):
        monkeypatch.chdir(tmp_path)
        for folder in ("docs/images", "docs/reference"):
            (tmp_path / folder).mkdir(parents=True)
        shutil.copytree(DOCS / "tutorials", tmp_path / "docs/tutorials")
        for name, text in files_of(page).items():
            (tmp_path / name).write_text(text)
        for program, arguments in commands:
            status = run_vc4(arguments, tmp_path) if program == "vc4" else run_python(arguments)
            assert status == 0, f"{program} {arguments}: {capfd.readouterr()}"

    return follow


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_quick_commands(page, reader):
    """Those of the first level."""
    reader(page, [(program, rest) for program, rest in shown(page) if is_run(rest) and not LONG.search(rest)])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=name_of(page),
            marks=[needs_c] * any(rest.startswith("gl ") for _, rest in shown(page))
            + [pytest.mark.slow] * (name_of(page) in SLOW),
        )
        for page in PAGES
        if any(LONG.search(rest) and is_run(rest) for _, rest in shown(page))
    ],
)
def test_commands(page, reader):
    """All of them, in their order."""
    reader(page, [(program, rest) for program, rest in shown(page) if is_run(rest)])


@pytest.mark.parametrize(
    "command",
    sorted({rest for page in PAGES for _, rest in shown(page) if not is_run(rest)}),
    ids=lambda text: text[:40],
)
def test_commands_that_are_not_run_are_understood(command):
    arguments = shlex.split(command)
    assert callable(parser_of(arguments).parse_args(arguments).execute)


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_every_reason_is_needed(pattern):
    assert any(re.search(pattern, rest) for page in PAGES for _, rest in shown(page))


def test_there_are_commands():
    every = [rest for page in PAGES for program, rest in shown(page) if program == "vc4"]
    assert len(every) >= 60
    assert sum(is_run(rest) and not LONG.search(rest) for rest in every) >= 30


@pytest.mark.thorough
def test_the_readme_shows_what_the_main_example_prints(capsys):
    main(["run", "coordinate_shader", "--on", "pysim", "--lockstep"])
    printed = capsys.readouterr().out.split("\n", 1)[1]
    assert printed in (ROOT / "README.md").read_text()


@pytest.mark.parametrize(
    ("page", "command"),
    [
        ("user/start.md", "run halves.qasm --uniform 0.5 --uniform &out --buffer out=f32:16"),
        ("tutorials/saxpy.md", "run one.qasm --trace -"),
    ],
)
def test_pages_show_what_is_printed(page, command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = DOCS / page
    for name, text in files_of(path).items():
        (tmp_path / name).write_text(text)
    assert main(shlex.split(command.replace("&", "\\&"))) == 0
    lines = capsys.readouterr().out.splitlines()
    printed = [line for line in lines if not re.match(r"0 start|\d+ instructions", line)]
    assert "\n".join(printed) in path.read_text()
