"""Timelines of frames: what they show is what `vc4 render --stats` counts."""

from collections import Counter

import pytest

from vc4.config import preset
from vc4sim.cli import main
from vc4sim.clist import load_capture
from vc4sim.frames.activity import QPUS
from vc4sim.frames.host import DrawHost
from vc4sim.timeline import Names, timeline_of
from vc4sim.timeline.frames import FrameTimeline

from .trace_events import Events


@pytest.fixture
def capture(recorded):
    return load_capture(recorded / "cases/gl/tri_color_pbuf")


@pytest.mark.thorough
def test_slices_add_up_to_the_statistics(tmp_path, capture, compiler):
    """Of all jobs, one after the other."""
    path, config = tmp_path / "frame.json", preset("gpu").drawing
    host = DrawHost(capture, config, "native")
    with timeline_of(path, lambda file: FrameTimeline(file, config, Names()), is_rtl=True) as timeline:
        runs = []
        for job in capture.jobs:
            run, _ = host.run(job, timed=timeline)
            timeline.end_job(job.name, run)
            runs.append(run)
    events, found = Events(path), Counter()
    assert len(runs) == 2
    assert len(events.of("instruction")) == sum(run.instructions for run in runs)
    assert [one.clocks for one in events.of("job")] == [run.cycles for run in runs]
    for one in events.of("stage"):
        found.update({(one.track, what): one.args[what] for what in ("busy", "waits", "held")})
    expected = Counter()
    for run in runs:
        for stage in run.stages:
            expected.update({(stage.name, what): getattr(stage, what) for what in ("busy", "waits", "held")})
    assert +found == +Counter({key: count for key, count in expected.items() if key[0] != QPUS})
    tiles = Counter({f"tile {tile.x},{tile.y}" for run in runs for tile in run.tiles})
    assert Counter({one.name for one in events.of("tile")}) == tiles


@pytest.mark.slow
def test_engines_write_the_same(tmp_path, recorded, compiler):
    """In minutes, of a frame without shaders: Amaranth's simulator takes long to begin."""
    found = []
    for on in ("pysim", "native"):
        assert (
            main(["render", str(recorded / "cases/gl/clear"), "--on", on, "--timeline", str(tmp_path / f"{on}.json")])
            == 0
        )
        found.append(Events(tmp_path / f"{on}.json"))
    assert found[0].slices == found[1].slices


def test_the_model_shows_tiles_with_what_was_in_them(tmp_path, capsys):
    path = tmp_path / "frame.json"
    assert main(["render", "tri_color", "--timeline", str(path), "--stats"]) == 0
    said = {line[:60].strip(): line[60:].strip() for line in capsys.readouterr().out.splitlines()}
    events = Events(path)
    tiles = events.of("tile")
    assert [one.name for one in tiles] == ["tile 0,0", "tile 1,0", "tile 0,1", "tile 1,1"]
    assert sum(one.args["vectors"] for one in tiles) == int(said["vectors of fragments"])
    shading = sum(one.args["instructions of fragments"] for one in tiles)
    # Vertices of a tile are shaded in it, too.
    assert sum(one.clocks for one in tiles) >= 4 * shading > 0
    binning, job = events.of("job")
    assert binning.name == "binning"
    assert job.first == binning.clocks
    assert job.clocks >= 4 * shading
