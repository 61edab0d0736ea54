"""The packages that are built from the sources, outside of these."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Where each package of the wheel has its sources.
SOURCES = {"vc4": ROOT / "rtl/vc4", "vc4sim": ROOT / "sim/vc4sim"}

for _needed in ("build", "hatchling", "hatch_vcs"):
    pytest.importorskip(_needed)

pytestmark = pytest.mark.thorough


def run(*command, cwd, ends=0):
    """What a command prints that knows nothing of this checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == ends, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The archive of the sources, and the wheel that is built from it; no network is asked."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return archive, wheel


@pytest.fixture(scope="module")
def installed(packages, tmp_path_factory):
    """The folder of commands of a fresh environment with the wheel, which finds what it needs where the tests do."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    (libraries,) = folder.glob("lib/python*/site-packages")
    run(folder / "bin/pip", "install", "--quiet", "--no-deps", "--no-index", packages[1], cwd=folder)
    # Of a folder that is named here nothing but its packages counts, so not what was installed there to be edited.
    others = [path for path in sys.path if path.endswith("site-packages")]
    (libraries / "others.pth").write_text("".join(f"{path}\n" for path in others))
    return folder / "bin"


def test_the_wheel_has_every_file_of_the_packages(packages):
    with zipfile.ZipFile(packages[1]) as wheel:
        packed = {name for name in wheel.namelist() if not name.partition("/")[0].endswith(".dist-info")}
    files = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in SOURCES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == files
    assert {"vc4/py.typed", "vc4sim/py.typed"} <= files


def test_the_archive_has_tests_and_documentation(packages):
    with tarfile.open(packages[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"PKG-INFO", "LICENSE", "README.md", "CHANGELOG.md", "docs/README.md", "docs/conf.py"} <= names
    assert {f"tests/packaging/{Path(__file__).name}", "tests/data/README.md", "sim/mesa/build.sh"} <= names


def test_commands_work_outside_of_the_checkout(installed, packages, tmp_path):
    place = run(installed / "python", "-c", "import vc4, vc4sim; print(vc4.__file__, vc4sim.__file__)", cwd=tmp_path)
    assert all(path.startswith(str(installed.parent)) for path in place.split())
    version = packages[1].name.split("-")[1]
    assert run(installed / "vc4", "--version", cwd=tmp_path) == f"vc4-rtl {version}\n"
    assert "coordinate_shader" in run(installed / "vc4", "examples", cwd=tmp_path)
    assert "PASS coordinate_shader" in run(installed / "vc4", "run", "coordinate_shader", cwd=tmp_path)
    assert "t0s: write address" in run(installed / "vc4", "isa", "t0s", cwd=tmp_path)
    assert "tile_rendering_mode_configuration" in run(installed / "vc4", "clist", "dump", "tri_color", cwd=tmp_path)


def test_the_library_works_outside_of_the_checkout(installed, tmp_path):
    code = """
import vc4sim
gpu = vc4sim.Gpu()
y = gpu.empty(16, "i32")
source = "ldi vw_setup, 0x1a00; mov vpm, elem_num; ldi vw_setup, 0x80904000; mov vw_addr, unif; thrend; nop; nop"
gpu.run(source.replace("; ", "\\n"), uniforms=[y])
print(y.numpy().sum(), vc4sim.Gpu().render("tri_color").image.shape)
"""
    assert run(installed / "python", "-c", code, cwd=tmp_path) == "120 (128, 128, 4)\n"


def test_what_wants_the_sources_says_so(installed, tmp_path):
    code = "from pathlib import Path; from vc4sim.gl.build import build_mesa; build_mesa(Path('mesa'))"
    assert "a checkout of the sources" in run(installed / "python", "-c", code, cwd=tmp_path, ends=1)
