"""The pages show what `vc4 profile` prints."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from vc4sim.cli import main

DOCS = Path(__file__).parents[2] / "docs"
#: A command, and what is printed, or the end of that.
SHOWN = re.compile(r"^    vc4 (profile docs/.*)\n(?:\n|[^`\n].*\n)*?^```\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("page", ["user/profiling.md", "tutorials/matmul.md"])
def test_what_is_shown_is_printed(page, tmp_path, monkeypatch, capsys):
    shutil.copytree(DOCS / "tutorials", tmp_path / "docs/tutorials")
    monkeypatch.chdir(tmp_path)
    shown = SHOWN.findall((DOCS / page).read_text())
    assert shown
    for command, text in shown:
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out.endswith(text)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_shaders_of_a_frame(capsys):
    """As many clocks of instructions as its performance counter says."""
    assert main(["render", "tri_color", "--on", "native", "--stats"]) == 0
    executing = re.search(r"(\d+)  qpu_clocks_executing", capsys.readouterr().out)
    assert main(["profile", "tri_color"]) == 0
    assert f"instructions, four each{int(executing[1]):>17,}" in capsys.readouterr().out


def test_a_frame_is_given_nothing(capsys):
    assert main(["profile", "tri_color", "--uniform", "1"]) == 2
    assert "a frame says itself what runs" in capsys.readouterr().err
