"""The pages show what `vc4 profile` prints."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from vc4sim.cli import main

DOCS = Path(__file__).parents[2] / "docs"
COMMAND = re.compile(r"^    vc4 (profile docs/.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: How a block begins that holds what `vc4 profile` prints, or the end of that.
BEGINS = ("docs/", "   issued")


def shown(page):
    """Commands, each with what is printed."""
    text = page.read_text()
    ends = [(command[1], command.end()) for command in COMMAND.finditer(text)]
    return [(command, found[1]) for command, end in ends if (found := BLOCK.search(text, end))]


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("page", ["user/profiling.md", "tutorials/matmul.md"])
def test_what_is_shown_is_printed(page, tmp_path, monkeypatch, capsys):
    shutil.copytree(DOCS / "tutorials", tmp_path / "docs/tutorials")
    monkeypatch.chdir(tmp_path)
    found = shown(DOCS / page)
    assert found
    for command, text in found:
        assert text.startswith(BEGINS)
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out.endswith(text)


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_shaders_of_a_frame(capsys):
    """As many clocks of instructions as its performance counter says."""
    assert main(["render", "tri_color", "--on", "native", "--stats"]) == 0
    executing = re.search(r"(\d+)  qpu_clocks_executing", capsys.readouterr().out)
    assert main(["profile", "tri_color"]) == 0
    assert executing
    assert re.search(rf"instructions, four each +{int(executing[1]):,} ", capsys.readouterr().out)


def test_a_frame_is_given_nothing(capsys):
    assert main(["profile", "tri_color", "--uniform", "1"]) == 2
    assert "are for programs" in capsys.readouterr().err
