"""`v3d.core`: FuseSoC finds it, has the Verilog made, and runs its bench."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vc4sim.verilog import fusesoc

ROOT = Path(__file__).parents[2]
BESIDE = Path(sys.executable).parent
COMMAND = shutil.which("fusesoc", path=f"{BESIDE}{os.pathsep}{os.environ['PATH']}")
CORE = "vc4-rtl:graphics:v3d"
needs_fusesoc = pytest.mark.skipif(not COMMAND, reason="needs FuseSoC: pip install -e '.[systems]'")


def run(folder: Path, *arguments: str) -> str:
    """What FuseSoC says; it must succeed, and has its own files in `folder`."""
    places = {name: str(folder) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME")}
    paths = {
        "PATH": f"{BESIDE}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("rtl", "sim")),
    }
    process = subprocess.run(
        [str(COMMAND), "--cores-root", str(ROOT), *arguments],
        cwd=folder,
        env=os.environ | places | paths,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@needs_fusesoc
def test_it_is_found(tmp_path):
    said = run(tmp_path, "core", "show", CORE)
    assert "sim " in said
    assert "lint " in said


@pytest.mark.thorough
@needs_fusesoc
def test_a_project_has_the_verilog(tmp_path):
    run(tmp_path, "run", "--setup", "--target", "lint", CORE)
    sources = list((tmp_path / "build").rglob("src/*/v3d.v"))
    assert len(sources) == 1
    assert "module v3d(" in sources[0].read_text()


@pytest.mark.thorough
@needs_fusesoc
@pytest.mark.skipif(not shutil.which("iverilog"), reason="needs Icarus Verilog")
def test_it_runs_the_bench(tmp_path):
    assert "PASS: 96 words of memory" in run(tmp_path, "run", "--target", "sim", CORE)


def test_a_preset_that_is_none(tmp_path):
    with pytest.raises(ValueError, match="no preset is called 'big'"):
        fusesoc.generate("a:b:c:1", {"config": "big"}, tmp_path)
    assert list(tmp_path.iterdir()) == []
