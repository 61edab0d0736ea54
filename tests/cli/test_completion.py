"""`vc4 completion`: scripts that shells understand, and what bash completes with one."""

import shutil
import subprocess
import sys

import pytest

from vc4sim.commands import COMMANDS

pytest.importorskip("shtab")

#: Completes the words that follow, as bash does when a user asks for it.
COMPLETE = """
. ./vc4.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shtab_vc4
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def completed(output_of, tmp_path):
    if not shutil.which("bash"):
        pytest.skip("there is no bash")
    (tmp_path / "vc4.bash").write_text(output_of("completion", "bash"))
    (tmp_path / "mine.qasm").touch()
    (tmp_path / "folder").mkdir()

    def run(*words):
        command = ["bash", "-c", COMPLETE, "bash", "vc4", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.split()

    return run


def test_bash_completes(completed):
    assert set(completed("")) >= set(COMMANDS)
    assert completed("re") == ["render", "regs"]
    assert completed("run", "mandel") == ["mandelbrot"]
    assert completed("run", "mi") == ["mine.qasm"]
    assert completed("render", "tri_") == ["tri_color"]
    assert completed("asm", "m") == ["mine.qasm"]
    assert completed("run", "--on", "n") == ["native"]
    assert {"--lockstep", "--buffer", "--save", "--plot", "--expect", "--tolerance"} <= set(completed("run", "--"))
    assert completed("clist", "d") == ["dump"]
    assert completed("asm", "-I", "f") == ["folder"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_scripts(shell, output_of):
    script = output_of("completion", shell)
    assert "vc4" in script
    if shutil.which(shell) and shell != "tcsh":
        assert subprocess.run([shell, "-n"], input=script, text=True, check=False).returncode == 0


def test_wrong_arguments(refused, monkeypatch):
    assert "invalid choice: 'fish'" in refused("completion", "fish")
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert "pip install 'vc4-rtl[completion]'" in refused("completion", "bash")
