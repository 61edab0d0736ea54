"""The examples of the page about Python run, in their order."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/user/python.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def reader(tmp_path, monkeypatch, capsys):
    """Runs some of them where a reader would, in one session; returns the names then, and what was printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")

    def run(blocks):
        names = {}
        for block in blocks:
            exec(block, names)
        return names, capsys.readouterr().out

    return run


def test_the_first_one_has_ten_lines_and_is_right(reader):
    assert len(BLOCKS[0].splitlines()) <= 10
    names, printed = reader(BLOCKS[:1])
    assert np.array_equal(names["y"].numpy(), 1.5 * np.arange(64, dtype=np.float32) + 1)
    assert printed.endswith("]\n65 None\n")


def test_those_on_the_model(reader):
    names, printed = reader([block for block in BLOCKS if "native" not in block or block is BLOCKS[0]])
    # The first run has doubled all, then each QPU has added with a factor of its own.
    assert np.array_equal(names["y"].numpy(), np.repeat([3, 4, 5, 6], 16) * np.arange(64))
    assert "160 [ 8  9 10 11 12 13 14 15] 141\n" in printed
    assert "\n1 4\n" in printed
    assert re.search(r"\(\d+, \d+, 4\) \d+ \d+\n", printed)
    assert Path("frame.png").stat().st_size > 100


@pytest.mark.thorough
def test_all(reader):
    _, printed = reader(BLOCKS)
    assert "\n838 176 65\n" in printed
    assert "stalled for tmu_result" in printed
