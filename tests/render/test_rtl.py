"""Frames that a driver asked for, drawn by the RTL: all memory as the model leaves it, every instruction in lockstep."""

import itertools
import re

import numpy as np
import pytest

from vc4.activity import STAGES
from vc4.config import preset
from vc4sim.backends.base import Waves
from vc4sim.cli import main
from vc4sim.clist import load_capture
from vc4sim.frames.__main__ import row_of
from vc4sim.frames.activity import limit_of
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.frames.host import DrawHost
from vc4sim.problem import BadInput
from vc4sim.render import Host, picture_of

from .captures import frozen
from .test_captures import NAMES

#: Two QPUs and one pixel a clock in the front end; twelve and four.
CONFIGS = {name: preset(name) for name in ("gpu", "bcm2835")}
#: Latency, and the chance of a pause.
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]
#: Which together have every kind of primitive, state, sample mode, load and store of the captured frames, and two threads.
DEMANDING = ["clear_565", "flat_clip", "lines", "load_tile", "msaa4_pbuf", "points", "stencil", "tex_mip"]

pytestmark = pytest.mark.usefixtures("compiler")


def check(folder, on="native", config=CONFIGS["gpu"], *, lockstep=True, **options):
    """Each job twice: by the model for itself, whose order of fragments is that of the list, and by the RTL, which the model follows."""
    capture = load_capture(folder)
    alone = Host(capture, preset("bcm2835"))
    host = DrawHost(capture, config, on, **options)
    found = []
    for job in capture.jobs:
        for _ in alone.run(job):
            pass
        run, beside = host.run(job, lockstep=lockstep)
        assert beside is None or beside.retired == run.instructions
        found.append(run)
        assert host.memory.read(0, capture.memory_size) == alone.memory.read(0, capture.memory_size), job.name
    assert np.array_equal(picture_of(capture, host.memory), frozen(capture.name))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", DEMANDING)
def test_captured_frames(recorded, name):
    check(recorded / "cases/gl" / name)


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
@pytest.mark.parametrize("name", NAMES)
def test_all_captured_frames(recorded, name, latency, gap, config):
    check(recorded / "cases/gl" / name, config=CONFIGS[config], latency=latency, gap=gap)


@pytest.fixture(scope="module")
def run(recorded):
    (found,) = drawn(recorded / "cases/gl/stencil")
    return found


@pytest.mark.thorough
class TestActivity:
    """What blocks are busy with, and when tiles are drawn."""

    def test_all_clocks_are_there(self, run):
        assert [sum(stage[1:]) for stage in run.stages] == [run.cycles] * len(run.stages)
        assert all(min(stage[1:]) >= 0 for stage in run.stages)
        names = [stage.name for stage in run.stages]
        assert names == [*STAGES[:9], "qpu0", "qpu1", "qpus", *STAGES[9:]]

    def test_what_is_busy(self, run):
        busy = {stage.name: stage.busy for stage in run.stages}
        # A texture is not there, nor is a varying waited for; colours, Z and stencil are stored.
        assert busy["textures"] == 0
        assert busy["qpus"] > run.cycles / 4
        assert busy["tile_memory"] > 1000
        assert limit_of(run.stages).name == "qpus"

    def test_tiles(self, run):
        """In their order; one begins while the one before is stored."""
        assert [(tile.x, tile.y) for tile in run.tiles] == [(0, 0), (1, 0), (0, 1), (1, 1)]
        for before, tile in itertools.pairwise(run.tiles):
            assert before.first < tile.first < before.last < tile.last <= run.cycles

    def test_of_a_tile(self, recorded, run):
        """Only its clocks count."""
        (found,) = drawn(recorded / "cases/gl/stencil", tile=(0, 1))
        tile = run.tiles[2]
        assert {sum(stage[1:]) for stage in found.stages} == {tile.last - tile.first}
        assert found.tiles == run.tiles

    def test_no_such_tile(self, recorded):
        with pytest.raises(BadInput, match="stencil: job 0 has no tile 2,0"):
            drawn(recorded / "cases/gl/stencil", tile=(2, 0))

    def test_progress(self, recorded):
        told = []
        drawn(recorded / "cases/gl/stencil", progress=told.append)
        assert told == sorted(told)
        assert told[-1] == 4

    def test_table(self, recorded):
        row = row_of(recorded / "cases/gl/stencil", "gpu")
        assert row.pixels == 128 * 128
        assert re.fullmatch(
            r"\| `stencil` \| 1 \| [\d,]+ \| 0\.\d\d \| 9,442 \| 0\.\d+ \| 80 \| [\d,]+ \| qpus, \d+% \|", str(row)
        )


def beginning(recorded, on, clocks, **options):
    """So many clocks of a frame."""
    capture = load_capture(recorded / "cases/gl/tri_flat")
    host = Host(capture, preset("bcm2835"))
    host.bin(capture.jobs[0])
    image = host.memory.read(0, capture.memory_size)
    job = DrawJob(
        image=image, registers=capture.jobs[0].starts, config=preset("gpu"), max_cycles=clocks, window=(90, None)
    )
    return run_draw(job, on, **options)


@pytest.mark.slow
def test_pysim_counts_the_same(recorded):
    found, wanted = (beginning(recorded, on, 200) for on in ("pysim", "native"))
    assert (found.cycles, found.stages, found.tiles) == (wanted.cycles, wanted.stages, wanted.tiles)


@pytest.mark.slow
class TestCxxrtl:
    """It does the same; to compile it takes ten minutes."""

    def test_lockstep(self, recorded):
        (run,) = check(recorded / "cases/gl/tri_flat", "cxxrtl")
        (wanted,) = drawn(recorded / "cases/gl/tri_flat")
        assert (run.cycles, run.stages, run.tiles) == (wanted.cycles, wanted.stages, wanted.tiles)

    def test_waves_of_a_tile(self, recorded, tmp_path):
        """Changes of its clocks only."""
        (run,) = drawn(recorded / "cases/gl/tri_color", "cxxrtl", tile=(1, 0), waves=Waves(tmp_path / "tile.vcd"))
        (tile,) = (one for one in run.tiles if (one.x, one.y) == (1, 0))
        text = (tmp_path / "tile.vcd").read_text()
        times = [int(time) for time in re.findall(r"^#(\d+)$", text, re.MULTILINE)]
        assert times
        assert "pixel_pipe" in text
        assert {time // 10 for time in times} <= set(range(tile.first, tile.last))
        assert (tmp_path / "tile.gtkw").exists()


def drawn(folder, on="native", **options):
    """All jobs, without lockstep."""
    capture = load_capture(folder)
    host = DrawHost(capture, CONFIGS["gpu"], on)
    return [found[0] for job in capture.jobs if (found := host.run(job, **options))]


@pytest.mark.thorough
def test_the_command_shows_what_limits(capsys):
    assert main(["render", "tri_color", "--on", "native", "--stats", "--tile", "1,0", "--compare"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^  4 tiles; \d,\d took longest, \d+ clocks from \d+ on$", text, re.MULTILINE)
    assert re.search(r"^  front_end +\d+ +\d+% +\d+ +\d+$", text, re.MULTILINE)
    assert re.search(r"^  limited by \w+: busy in \d+% of \d+ clocks$", text, re.MULTILINE)
    assert re.search(r"^PASS tri_color: \d bad pixels of 4096, ", text, re.MULTILINE)
