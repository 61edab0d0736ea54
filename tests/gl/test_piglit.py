"""Conformance tests: a piglit of shell scripts, which say what piglit's programs say."""

import gzip
from xml.sax.saxutils import quoteattr

import pytest

from vc4sim.cli import main
from vc4sim.gl.conformance import Row, read_table
from vc4sim.gl.piglit import find_tests
from vc4sim.gl.record import verdict_of_the_chip

SCRIPTS = {
    "good": 'echo \'PIGLIT: {"result": "pass" }\'',
    "parts": """echo 'PIGLIT: {"subtest": {"one, two": "pass"}}'
        echo 'PIGLIT: {"subtest": {"three": "fail"}}'
        echo 'PIGLIT: {"result": "fail" }'""",
    "lost": "echo nothing",
    "killed": 'echo \'PIGLIT: {"result": "pass" }\'; kill -ABRT $$',
    "slow": "sleep 60",
    "tells": """echo "args: $*"; echo "$PIGLIT_PLATFORM"; echo 'PIGLIT: {"result": "skip" }'""",
}


def element(name, script, **options):
    """A test of a profile."""
    values = {"command": [script, "7"], "run_concurrent": True} | options
    inner = "".join(f"<option name={quoteattr(key)} value={quoteattr(repr(value))}/>" for key, value in values.items())
    return f"<Test type='gl' name={quoteattr(name)}>{inner}</Test>"


@pytest.fixture
def piglit(tmp_path):
    """A folder like piglit's, with two profiles."""
    home = tmp_path / "piglit"
    (home / "bin").mkdir(parents=True)
    (home / "tests").mkdir()
    for name, text in SCRIPTS.items():
        (home / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (home / "bin" / name).chmod(0o755)

    def fill(*elements):
        for profile, some in (("quick_shader", ()), ("quick_gl", elements)):
            with gzip.open(home / "tests" / f"{profile}.xml.gz", "wt") as file:
                file.write(f"<PiglitTestList>{''.join(some)}</PiglitTestList>")
        return home

    return fill


@pytest.fixture
def command(tmp_path, piglit):
    """`vc4 gl piglit` with a Mesa that nobody calls."""
    prefix = tmp_path / "prefix/lib"
    prefix.mkdir(parents=True)
    for name in ("libvc4sim.so", "libvc4_fake_display.so", "libvc4_sim_drm_shim.so"):
        (prefix / name).touch()

    def call(home, *more):
        folders = ["--prefix", prefix.parent, "--piglit", home, "--out", tmp_path / "out"]
        return main(["gl", "piglit", *map(str, folders), "--jobs", "1", *more])

    return call


def test_which_tests_are_offered(piglit):
    names = {
        "spec@!opengl 2.1@a": True,
        "spec@!opengl 3.0@a": False,
        "spec@!opengl es 2.0@a": True,
        "spec@!opengl es 3.0@a": False,
        "spec@glsl-1.20@a": True,
        "spec@glsl-1.30@a": False,
        "spec@glsl-es-1.00@a": True,
        "spec@glsl-es-3.00@a": False,
        "glx@a": False,
        "spec@arb_sync@a": True,
    }
    without_program = element("shaders@none", "none")
    options = [
        {"api": "compat", "shader_version": 1.2},
        {"api": "compat", "shader_version": 1.3},
        {"api": "gles2", "shader_version": 1.0},
        {"api": "gles2", "shader_version": 3.0},
        {"api": "core", "api_version": 3.2},
    ]
    more = [element(f"shaders@{number}", "good", **one) for number, one in enumerate(options)]
    found = {
        test.name for test in find_tests(piglit(*(element(name, "good") for name in names), *more, without_program))
    }
    assert found == {name for name, offered in names.items() if offered} | {"shaders@0", "shaders@2"}


def test_tests_with_a_file(piglit):
    home = piglit(element("a@b", "good").replace("type='gl'", "type='gl_builtin'"))
    (test,) = find_tests(home)
    assert test.command == ("good", "tests/7")


def test_the_chip():
    assert verdict_of_the_chip("spec@glsl-1.10@a") == "pass"
    assert verdict_of_the_chip("spec@!opengl 1.1@clipflat") == "fail"
    first = "glBegin/End(GL_QUADS), glFrontFace(GL_CW), glPolygonMode(GL_FILL), quadrant: left top PV: FIRST"
    assert verdict_of_the_chip(f"spec@!opengl 1.1@clipflat@{first}") == "fail"
    assert verdict_of_the_chip("spec@glsl-1.30@a") == "skip"
    assert verdict_of_the_chip("spec@ext_framebuffer_multisample@accuracy 4 color") == "skip"


@pytest.mark.parametrize(
    ("here", "chip", "counts", "agrees"),
    [
        ("pass", "pass", True, True),
        ("warn", "pass", True, True),
        ("fail", "crash", True, True),
        ("timeout", "pass", True, False),
        ("pass", "fail", True, False),
        ("skip", "fail", False, True),
        ("pass", "skip", False, False),
        ("pass", "flake", False, False),
    ],
)
def test_agreement(here, chip, counts, agrees):
    row = Row("a", here, "", chip)
    assert (row.counts, row.agrees) == (counts, agrees)


def test_a_table(piglit, command, tmp_path, capsys):
    home = piglit(
        *(element(f"a@{name}", name) for name in ("good", "parts", "lost", "killed", "slow")),
        element("a@window", "tells", run_concurrent=False),
        element("spec@!opengl 1.1@clipflat", "lost"),
    )
    assert command(home, "--limit", "1") == 1
    said = capsys.readouterr().out.splitlines()
    table = {row.test: row for row in read_table(tmp_path / "out")}
    assert {name: row.here for name, row in table.items()} == {
        "a@good": "pass",
        "a@parts@one, two": "pass",
        "a@parts@three": "fail",
        "a@parts": "fail",
        "a@lost": "crash",
        "a@killed": "crash",
        "a@slow": "timeout",
        "a@window": "skip",
        "spec@!opengl 1.1@clipflat": "crash",
    }
    assert [table[f"a@{name}"].softpipe for name in ("good", "parts", "window")] == ["", "fail", ""]
    assert table["spec@!opengl 1.1@clipflat"].chip == "fail"
    assert "a@slow: timeout here, pass on the chip" in said
    assert said[-2:] == [
        "3 crash, 1 pass, 1 fail, 1 timeout, 1 skip",
        "as on the chip: 2 of 6 tests that both have run; with their parts 3 of 8",
    ]
    assert (tmp_path / "out/logs/a@lost.txt").read_text().endswith("nothing\n")
    assert not (tmp_path / "out/logs/a@good.txt").exists()


def test_a_run_goes_on_where_it_was(piglit, command, tmp_path, capsys):
    home = piglit(element("a@good", "good"), element("a@lost", "lost"), element("a@b", "good"))
    names = tmp_path / "names.txt"
    names.write_text("a@lost\n")
    assert command(home, "--list", str(names)) == 1
    table = tmp_path / "out/table.tsv"
    table.write_text(table.read_text().replace("crash", "pass"))
    assert command(home) == 0
    assert capsys.readouterr().out.endswith(
        "as on the chip: 3 of 3 tests that both have run; with their parts 3 of 3\n"
    )
    assert len(table.read_text().splitlines()) == 4


def test_a_table_that_is_none(piglit, command, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/table.tsv").write_text("test\there\tsoftpipe\tchip\na@good\n")
    assert command(piglit(element("a@good", "good"))) == 2
    assert "table.tsv:2: has not the 4 columns" in capsys.readouterr().err


def test_what_the_programs_get(piglit, command, tmp_path):
    """Tests in windows have no frame buffer objects."""
    home = piglit(element("spec@!opengl 1.1@clipflat", "tells"), element("glean@a", "tells", run_concurrent=False))
    command(home)
    said = (tmp_path / "out/logs/spec@!opengl 1.1@clipflat.txt").read_text()
    assert "args: 7 -auto -fbo\ngbm\n" in said


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("a@none\n", "names.txt:1: piglit has no test a@none for this GPU"),
        (None, "names.txt: No such file or directory"),
    ],
)
def test_bad_lists(piglit, command, tmp_path, capsys, names, message):
    file = tmp_path / "names.txt"
    if names:
        file.write_text(names)
    assert command(piglit(element("a@b", "good")), "--list", str(file)) == 2
    assert message in capsys.readouterr().err


def test_what_is_missing_is_named(piglit, command, tmp_path, capsys):
    assert command(tmp_path / "none") == 2
    assert "quick_shader.xml.gz: apt-get install piglit" in capsys.readouterr().err
    (tmp_path / "prefix/lib/libvc4sim.so").unlink()
    assert command(piglit()) == 2
    assert "libvc4sim.so: vc4 gl build makes it" in capsys.readouterr().err
