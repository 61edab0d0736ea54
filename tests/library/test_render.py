"""Frames drawn by the library."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vc4sim
from vc4sim.cli import main
from vc4sim.clist import load_capture, new_capture
from vc4sim.model.memory import Memory
from vc4sim.workload.example import example_folder

from .conftest import on_model_and_native

TUTORIALS = Path(__file__).parents[2] / "docs/tutorials"


@on_model_and_native
def test_an_example(on):
    """As the driver saw it on another implementation, and with statistics."""
    frame = vc4sim.Gpu(on=on, lockstep=on != "model").render("tri_color")
    assert frame.image.dtype == np.uint8
    assert frame.image.shape == frame.picture.shape
    assert frame.compare().passes
    assert frame.instructions > 1000
    assert frame.counters["FEP_PRIMITIVES"] > 0
    if on == "model":
        assert (frame.cycles, frame.compared) == (None, None)
        assert "vectors of fragments" in str(frame)
    else:
        assert frame.cycles == sum(job.cycles or 0 for job in frame.jobs) > 1000
        assert frame.compared == frame.instructions
        assert "limited by" in str(frame)


def test_the_image_is_what_the_command_writes(tmp_path):
    path = tmp_path / "frame.png"
    assert main(["render", "tri_color", "-o", str(path)]) == 0
    image = vc4sim.Gpu().render("tri_color").image
    with Image.open(path) as picture:
        assert np.array_equal(np.asarray(picture), image)


def test_a_tile_and_progress():
    tiles = []
    frame = vc4sim.Gpu().render("tri_color", tile=(0, 0), progress=tiles.append)
    rows, columns = frame.window
    assert frame.picture[frame.window].any()
    rest = frame.picture.copy()
    rest[rows, columns] = 0
    assert not rest.any()
    assert tiles == sorted(tiles)
    with pytest.raises(vc4sim.BadInput, match="tri_color: has no tile 99,0"):
        vc4sim.Gpu().render("tri_color", tile=(99, 0))


def test_lists_of_your_own(monkeypatch):
    """The triangle of the tutorial, without a folder: from memory and registers."""
    monkeypatch.syspath_prepend(TUTORIALS)
    triangle = import_module("triangle")
    memory = Memory(triangle.MEMORY)
    memory.write(triangle.CODE, vc4sim.assemble(triangle.FRAGMENT).program.code)
    memory.write(triangle.VERTICES, triangle.vertices())
    memory.write(triangle.SHADER, triangle.shader())
    registers = {}
    for thread, lists in enumerate((triangle.binning(), triangle.rendering())):
        lists.store(memory)
        registers |= {f"CT{thread}CA": lists.base, f"CT{thread}EA": lists.here}
    check = {"addr": triangle.PICTURE, "tiling": "raster", "format": "RGBA8888", "width": 128, "height": 128}
    frame = vc4sim.Gpu().render(new_capture(bytes(memory.data), registers, check=check))
    with Image.open(TUTORIALS.parent / "images/tutorial_triangle.png") as shown:
        assert np.array_equal(frame.image, np.asarray(shown))
    sys.modules.pop("triangle")


def test_a_difference_says_in_which_job(monkeypatch, capsys):
    def differ(self, job, **options):
        raise vc4sim.Difference("something differs", 1, 2, [])

    monkeypatch.setattr("vc4sim.frames.host.DrawHost.run", differ)
    assert main(["render", "tri_color", "--on", "native", "--lockstep", "--seed", "3"]) == 1
    assert capsys.readouterr().out.startswith("DIFFERENCE in tri_color, job 0, seed 3: something differs\n  rtl   1\n")
    with pytest.raises(vc4sim.Difference) as found:
        vc4sim.Gpu(on="native", lockstep=True).render("tri_color")
    assert found.value.__notes__ == ["tri_color, job 0"]


def test_what_cannot_be_drawn(tmp_path):
    gpu = vc4sim.Gpu()
    with pytest.raises(vc4sim.BadInput, match="case.json: there is no such file"):
        gpu.render(tmp_path)
    with pytest.raises(vc4sim.BadInput, match="CT1CA must be an integer"):
        new_capture(bytes(4096), {"CT1CA": -1, "CT1EA": 0})
    with pytest.raises(vc4sim.BadInput, match="there is no addr"):
        gpu.render(new_capture(bytes(4096), {}))
    case = load_capture(Path(str(example_folder("tri_color"))))
    with pytest.raises(vc4sim.BadInput, match="no configuration is called"):
        vc4sim.Gpu(config="huge").render(case)
