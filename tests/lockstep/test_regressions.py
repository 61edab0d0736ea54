"""Small programs that have shown a fault once, kept by `vc4 lockstep`."""

import json
from pathlib import Path

import pytest

from vc4sim.cli import main

FOLDERS = sorted(path.parent for path in (Path(__file__).parent / "regressions").glob("*/case.json"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_regression(folder, capsys):
    """RTL and model do the same, and leave what was right then."""
    memory = json.loads((folder / "case.json").read_text())["memory"]
    options = [text for name, value in memory.items() for text in (f"--{name}", str(value))]
    assert main(["run", str(folder), "--on", "native", "--lockstep", *options]) == 0
    assert f"PASS {folder.name} " in capsys.readouterr().out
