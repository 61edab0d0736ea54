"""`vc4 clist run`."""

import pytest

from vc4sim.cli import main
from vc4sim.cxxrtl.build import find_compiler


@pytest.fixture
def compiler():
    find_compiler()


@pytest.mark.parametrize(
    "engine", [pytest.param("native", marks=pytest.mark.thorough), pytest.param("pysim", marks=pytest.mark.slow)]
)
def test_a_frame(output_of, compiler, engine):
    text = output_of("clist", "run", "tri_color", "--on", engine, "--lockstep", "--stats")
    assert "33 vertex_array_primitives  primitive_mode=triangles length=3" in text
    assert "clip (-0.8 -0.7 0 1) at (-51.1875,-44.75) 0.5 1" in text
    assert text.count("triangles\n") == 1 + 4
    assert "lockstep: 123 instructions, 90 items, no difference" in text
    for name in (
        "qpu_clocks_idle",
        "qpu_clocks_vertex",
        "qpu_clocks_fragment",
        "binning_list",
        "rendering_list",
        "rendering_batches",
        "rows",
        "vertices",
    ):
        assert f"  {name}\n" in text
    assert "DONE tri_color, job 0: " in text


@pytest.mark.thorough
def test_lists_that_do_not_end(capsys, compiler):
    """After so few clocks both threads are on their way."""
    assert main(["clist", "run", "tri_color", "--quiet", "--max-cycles", "300"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("tri_color, job 0\nSTOPPED tri_color, job 0: binning waits at 0x")


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "options"), [("cxxrtl", ["--window", "100:200"]), ("pysim", [])])
def test_waves(compiler, tmp_path, engine, options):
    """Groups for each block, and registers that are written."""
    waves = tmp_path / "lists.vcd"
    short = ["--quiet", "--max-cycles", "200", *options]
    assert main(["clist", "run", "tri_color", "--on", engine, "--waves", str(waves), *short]) == 1
    view = waves.with_suffix(".gtkw").read_text()
    for title in ("CLE binning", "CLE rendering", "VCM binning", "VCM rendering", "VPM rows", "VCD", "shading"):
        assert f"-{title}\n" in view
    assert "s_axil.awaddr" in view


def test_what_is_refused(refused):
    assert refused("clist", "run", "tri_color", "--waves", "x.vcd") == (
        "vc4: --waves is not for native: add --on pysim or cxxrtl"
    )
    window = ("--waves", "x.vcd", "--window", "1:2")
    assert "--window is not for pysim: add --on cxxrtl" in refused(
        "clist", "run", "tri_color", "--on", "pysim", *window
    )
    assert "add --waves FILE.vcd" in refused("clist", "run", "tri_color", "--on", "cxxrtl", "--window", "1:2")
    assert "case.json" in refused("clist", "run", "no_such_frame")
