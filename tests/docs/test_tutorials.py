"""Tutorials: what they show is what their files have, computes what NumPy does, and takes the clocks that they tell."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vc4sim.backends.engines import ENGINES
from vc4sim.cli import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = DOCS / "tutorials"
PAGES = {name: (TUTORIALS / f"{name}.md").read_text() for name in ("saxpy", "matmul", "frame", "block")}
FILES = {path.name: path.read_text() for path in TUTORIALS.glob("*") if path.suffix in (".py", ".qasm")}
#: Blocks of code: what stands before them, their language, their lines.
BLOCKS = re.compile(r"(\S*)\n+^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def script(monkeypatch):
    """Imports one of the scripts."""
    monkeypatch.syspath_prepend(TUTORIALS)
    return import_module


@pytest.mark.parametrize("name", ["saxpy", "matmul", "frame"])
def test_code_is_that_of_the_files(name):
    shown = [
        code
        for before, _, code in BLOCKS.findall(PAGES[name])
        # A file of the reader's own, or what is printed.
        if not re.fullmatch(r"`\w+\.qasm`:", before) and not code.startswith(("0.0 ", "   issued"))
    ]
    assert len(shown) >= 4
    assert [code for code in shown if not any(code in text for text in FILES.values())] == []


@pytest.mark.parametrize("kernel", [name for name in FILES if name.endswith(".qasm")])
def test_kernels_keep_to_the_rules_and_are_told_of(kernel, capsys):
    assert main(["check", str(TUTORIALS / kernel)]) == 0
    assert f"]({kernel})" in PAGES[kernel.partition("_")[0]]


@pytest.mark.parametrize(("kernel", "qpus"), [(2, 1), (3, 1), (4, 4), (4, 12), (5, 1), (5, 12)])
def test_saxpy_is_right(kernel, qpus, script):
    measured = script("measure").saxpy(kernel, qpus, ENGINES["model"].run, vectors=48)
    assert measured.result.any()
    assert measured.is_right


@pytest.mark.parametrize(
    ("kernel", "rows", "qpus", "size"), [(1, 1, 1, 16), (2, 1, 4, 16), (3, 1, 4, 16), (4, 8, 4, 16), (4, 24, 12, 48)]
)
def test_the_matrix_product_is_right(kernel, rows, qpus, size, script):
    measured = script("measure").matmul(kernel, rows, qpus, ENGINES["model"].run, size)
    assert measured.result.any()
    assert measured.is_right


@pytest.mark.parametrize("name", ["saxpy", "matmul"])
def test_tables_have_what_is_measured(name, script):
    """Their rows, not their numbers."""
    measure = script("measure")
    rows = re.findall(rf"^\| `({name}_\d)\.qasm`(?:, m = (\d+))? \| (\d+) \|", PAGES[name], re.MULTILINE)
    if name == "saxpy":
        assert [(int(kernel[-1]), int(qpus)) for kernel, _, qpus in rows] == list(measure.SAXPY)
    else:
        for number in (r"[\d,]+", r"\d+%"):  # clocks, and limits
            found = re.findall(rf"^\| `matmul_(\d)\.qasm`(?:, m = (\d+))? \| {number} \|", PAGES[name], re.MULTILINE)
            assert [(int(kernel), int(rows or 1)) for kernel, rows in found] == list(measure.MATMUL)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("kernel", "qpus"),
    [
        pytest.param(kernel, qpus, marks=pytest.mark.slow if qpus == 12 else pytest.mark.thorough)
        for kernel, qpus in ((2, 1), (3, 1), (4, 1), (4, 2), (4, 4), (4, 12), (5, 1), (5, 4), (5, 12))
    ],
)
def test_clocks_of_saxpy(kernel, qpus, script):
    assert script("measure").saxpy_row(kernel, qpus) in PAGES["saxpy"]


@pytest.mark.usefixtures("compiler")
@pytest.mark.thorough
def test_clocks_of_the_matrix_product_on_a_slice(script):
    measured = script("measure").matmul(4, 24, 4)
    assert measured.is_right
    assert re.search(rf"`matmul_4\.qasm`, m = 24 \| [\d,]+ \| {measured.clocks:,} \|", PAGES["matmul"])


@pytest.mark.usefixtures("compiler")
@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "rows"), [(1, 1), (2, 1), (3, 1), (4, 8), (4, 16), (4, 24)])
def test_clocks_of_the_matrix_product(kernel, rows, script):
    assert script("measure").matmul_row(kernel, rows) in PAGES["matmul"]


@pytest.mark.usefixtures("compiler")
@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "rows"), [(1, 1), (2, 1), (3, 1), (4, 8), (4, 16), (4, 24)])
def test_limits_of_the_matrix_product(kernel, rows, script):
    assert script("measure").matmul_limits(kernel, rows) in PAGES["matmul"]


def test_the_triangle_is_that_of_the_page(script, tmp_path):
    script("triangle").triangle(tmp_path / "triangle")
    picture = tmp_path / "triangle.png"
    assert main(["render", str(tmp_path / "triangle"), "-o", str(picture)]) == 0
    with Image.open(picture) as drawn, Image.open(DOCS / "images/tutorial_triangle.png") as shown:
        assert np.array_equal(np.asarray(drawn), np.asarray(shown))


@pytest.mark.thorough
def test_the_block_is_one(tmp_path):
    """The changes of the page, in a copy of the sources: what they add passes, and what looks at all blocks."""
    if not shutil.which("git"):
        pytest.skip("there is no git")
    for name in ("rtl", "sim", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    changes = "".join(code for _, language, code in BLOCKS.findall(PAGES["block"]) if language == "diff")
    environment = os.environ | {
        "PYTHONPATH": f"{tmp_path}/rtl:{tmp_path}/sim",
        "GIT_CEILING_DIRECTORIES": str(tmp_path.parent),
    }

    def run(*command, text=None):
        done = subprocess.run(
            command, input=text, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("git", "apply", "-C1", "-", text=changes)
    page = "from vc4sim.cli import main; main(['regs', '--docs', 'docs/reference/registers.md'])"
    run(sys.executable, "-c", page)
    assert "**XREADS**" in (tmp_path / "docs/reference/registers.md").read_text()
    added = ["tests/bus/test_read_count.py", "tests/host/test_read_count.py"]
    others = ["tests/test_structure.py", "tests/test_layers.py", "tests/regs", "tests/cli/test_regs.py"]
    said = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *added, *others)
    assert re.search(r"\d+ passed", said)


@pytest.mark.thorough
def test_the_example_of_the_python_page_prints_squares_twice(capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```", (DOCS / "reference/python.md").read_text(), re.MULTILINE | re.DOTALL)
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("Ending.DONE ")
        assert line.endswith(f"{tuple(element**2 for element in range(16))}")
