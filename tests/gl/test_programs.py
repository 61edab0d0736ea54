"""Programs that draw: what they find around them, and how they end."""

import subprocess
from pathlib import Path

import pytest

from vc4sim.cli import main
from vc4sim.gl.conformance import read_table
from vc4sim.gl.piglit import default_home
from vc4sim.workload.case import CASE_FILE

BUILD = Path(__file__).parents[2] / "sim/mesa/build.sh"
#: Of ten kinds: what passes on a chip, and what fails.
TESTS = """\
spec@glsl-1.10@execution@fs-bool-less-compare-false
spec@glsl-1.10@execution@built-in-functions@fs-exp-float
spec@glsl-1.10@execution@built-in-functions@vs-pow-float-float
spec@glsl-1.10@execution@built-in-functions@fs-sin-vec2
spec@glsl-1.20@execution@tex-miplevel-selection gl2:texture() 2d
spec@!opengl 1.0@gl-1.0-scissor-depth-clear
spec@!opengl 1.1@texwrap 2d bordercolor
spec@!opengl 1.1@depthstencil-default_fb-copypixels
spec@ext_framebuffer_object@fbo-cubemap
spec@oes_compressed_etc1_rgb8_texture@miptree
"""


@pytest.fixture
def no_mesa(tmp_path):
    """A folder with the names of what is in one with Mesa."""
    (tmp_path / "lib").mkdir()
    for name in ("libvc4sim.so", "libvc4_fake_display.so", "libvc4_sim_drm_shim.so"):
        (tmp_path / "lib" / name).touch()
    return str(tmp_path)


def test_a_program_ends_as_it_likes(no_mesa):
    assert main(["gl", "run", "--prefix", no_mesa, "sh", "-c", "exit 7"]) == 7


def test_a_program_that_is_killed(no_mesa):
    assert main(["gl", "run", "--prefix", no_mesa, "sh", "-c", "kill -ABRT $$"]) == 128 + 6


def test_what_a_program_finds(no_mesa, tmp_path):
    script = f'test -S "$VC4_SERVER" && env > {tmp_path}/env'
    assert main(["gl", "run", "--prefix", no_mesa, "sh", "-c", script]) == 0
    found = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert found["LD_PRELOAD"].split(":")[:2] == [
        f"{no_mesa}/lib/libvc4_fake_display.so",
        f"{no_mesa}/lib/libvc4_sim_drm_shim.so",
    ]
    assert found["LIBGL_DRIVERS_PATH"] == f"{no_mesa}/lib/dri"


@pytest.mark.parametrize(
    ("program", "message"), [(["none-such"], "there is no program none-such"), ([], "no program is given")]
)
def test_no_program(no_mesa, capsys, program, message):
    assert main(["gl", "run", "--prefix", no_mesa, *program]) == 2
    assert message in capsys.readouterr().err


def test_no_mesa(tmp_path, capsys):
    assert main(["gl", "run", "--prefix", str(tmp_path), "true"]) == 2
    assert "vc4 gl build makes it" in capsys.readouterr().err


@pytest.fixture(scope="module")
def mesa(prefix):
    """A Mesa from its sources."""
    done = subprocess.run([BUILD, prefix], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return prefix


@pytest.mark.slow
def test_tests_of_piglit(mesa, tmp_path, capsys):
    """All are as on the chip."""
    if not default_home().exists():
        pytest.skip("needs piglit")
    names = tmp_path / "names.txt"
    names.write_text(TESTS)
    out = tmp_path / "out"
    assert main(["gl", "piglit", "--prefix", str(mesa), "--list", str(names), "--out", str(out)]) == 0
    whole = {row.test: row.here for row in read_table(out) if row.test in TESTS.splitlines()}
    assert len(whole) == 10
    assert {"pass", "fail"} == {*whole.values()}
    assert "as on the chip: 10 of 10 tests" in capsys.readouterr().out


@pytest.mark.slow
def test_a_frame_of_a_program_is_drawn_again(mesa, tmp_path, capsys):
    program = str(default_home() / "bin/shader_runner")
    test = str(default_home() / "tests/spec/glsl-1.10/execution/fs-bool-less-compare-false.shader_test")
    if not Path(program).exists():
        pytest.skip("needs piglit")
    frames = tmp_path / "frames"
    options = ["--prefix", str(mesa), "--record", str(frames)]
    assert main(["gl", "run", *options, "env", "PIGLIT_PLATFORM=surfaceless_egl", program, test, "-auto", "-fbo"]) == 0
    found = sorted(frames.iterdir())
    assert all((folder / CASE_FILE).exists() for folder in found)
    assert main(["render", str(found[-1]), "--compare"]) == 0
    assert "0 bad pixels" in capsys.readouterr().out
