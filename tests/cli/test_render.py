"""`vc4 render` with cases of its own: right ones, wrong ones, damaged ones."""

import io
import json
import lzma
import random
import struct
import sys
from functools import partial

import numpy as np
import pytest
from PIL import Image

from vc4sim.cli import main
from vc4sim.commands import render

from ..model.drawing import LIST, PICTURE, PLAIN, SIZE, Drawing


def change(case, **fields):
    """Change fields of `case.json`."""
    path = case / "case.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.fixture(scope="module")
def frame():
    """A frame of two tiles, 100 by 40 pixels: a list, and what it draws."""
    drawing = Drawing(100, 40)
    drawing.clear(0xFF20_4060)
    drawing.configure()
    drawing.rectangle(PLAIN, 10, 4, 90, 20, colour=0x00C0FF)
    drawing.finish()
    image = bytes(drawing.memory.data)
    drawing.run()
    picture = np.array(drawing.picture(), np.uint32)
    return drawing, image, np.ascontiguousarray(picture).view(np.uint8).reshape(40, 100, 4)


@pytest.fixture
def case(frame, tmp_path):
    """A case directory; everything in it is right."""
    drawing, image, picture = frame
    folder = tmp_path / "some_frame"
    folder.mkdir()
    data = struct.pack("<2I", 0, SIZE) + image
    (folder / "memory.bin.xz").write_bytes(lzma.compress(data))
    (folder / "expected.raw").write_bytes(picture.tobytes())
    registers = {"CT1CA": LIST, "CT1EA": drawing.list.here}
    job = {"memory_offset": 0, "memory_length": len(data), "registers": registers}
    job |= {"frame_width": 100, "frame_height": 40, "tile_width": 64, "tile_height": 64}
    check = {"addr": PICTURE, "tiling": "raster", "format": "RGBA8888", "width": 100, "height": 40}
    description = {
        "name": "some_frame",
        "mem_size": SIZE,
        "memory_file": "memory.bin.xz",
        "jobs": [job],
        "check": check | {"expected": "expected.raw"},
        "tolerance": {"per_channel": 2, "max_bad_fraction": 0.001},
    }
    (folder / "case.json").write_text(json.dumps(description))
    return folder


def test_an_example_is_drawn_by_its_name(capsys):
    assert main(["render", "tri_color", "--compare"]) == 0
    assert "PASS tri_color: " in capsys.readouterr().out


def test_a_folder_comes_before_an_example(case, monkeypatch, capsys):
    case.rename(case.with_name("tri_color"))
    monkeypatch.chdir(case.parent)
    assert main(["render", "tri_color"]) == 0
    assert capsys.readouterr().out == "some_frame: 100 by 40 pixels\n"


def test_a_case_passes(case, capsys):
    assert main(["render", str(case), "--compare"]) == 0
    out = capsys.readouterr().out
    assert out == "some_frame: 100 by 40 pixels\nPASS some_frame: 0 bad pixels of 4000, at most 4\n"


def test_pictures(case, frame, tmp_path):
    """The picture is the right way up: the lowest row of memory is its last one."""
    path = tmp_path / "frame.png"
    assert main(["render", str(case), "--on", "model", "-o", str(path), "--compare"]) == 0
    assert np.array_equal(np.array(Image.open(path))[::-1], frame[2])
    difference = np.array(Image.open(tmp_path / "frame-difference.png"))
    assert not difference[..., :3].any()


def test_bad_pixels(case, frame, tmp_path, capsys):
    picture = frame[2].copy()
    picture[3, :4, 1] ^= 0x80
    picture[30, 50, 2] += 2  # still good
    picture[39, 99, 0] ^= 0x80
    (case / "expected.raw").write_bytes(picture.tobytes())
    assert main(["render", str(case), "--compare", "-o", str(tmp_path / "a.png")]) == 1
    assert capsys.readouterr().out.endswith("FAIL some_frame: 5 bad pixels of 4000, at most 4\n")
    difference = np.array(Image.open(tmp_path / "a-difference.png"))[::-1, :, 0]
    assert difference[3, :4].tolist() == [255] * 4
    assert difference[30, 50] == 32
    assert np.count_nonzero(difference) == 6
    assert main(["render", str(case), "--compare", "--tile", "1,0"]) == 0
    assert capsys.readouterr().out.endswith("PASS some_frame: 1 bad pixels of 1440, at most 4\n")


def test_one_tile(case, tmp_path, capsys):
    path = tmp_path / "tile.png"
    assert main(["render", str(case), "--tile", "1,0", "-o", str(path), "--compare"]) == 0
    assert "0 bad pixels of 1440" in capsys.readouterr().out
    picture = np.array(Image.open(path))
    assert not picture[:, :64].any()
    assert picture[:, 64:].any(axis=-1).all()


def test_statistics(case, capsys):
    assert main(["render", str(case), "--stats"]) == 0
    lines = dict(line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines()[:-1])
    assert int(lines["vectors of fragments"]) > 80
    assert int(lines["FEP: valid primitives, once for each tile"]) == 4


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress(case, monkeypatch, capsys):
    """Tile by tile on a terminal; nothing of it is left behind, and nothing is there without one."""
    assert main(["render", str(case)]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("vc4sim.render.host._STEPS", 4)
    monkeypatch.setattr(render, "tqdm", partial(render.tqdm, mininterval=0))
    assert main(["render", str(case)]) == 0
    lines = sys.stderr.getvalue().split("\r")
    assert lines[-1] == ""
    assert not lines[-2].strip()
    shown = [number for number in range(3) if any(f" {number}/2 " in line for line in lines)]
    assert shown == [0, 1, 2]


WRONG = {
    "tile": (["--tile", "2,0"], {}, "has no tile 2,0"),
    "no tile": (["--tile", "1"], {}, "must be a column and a row like 1,0, not '1'"),
    "two windows": (
        ["--on", "cxxrtl", "--waves", "frame.vcd", "--window", "0:9", "--tile", "0,0"],
        {},
        "--tile says which clocks: leave --window out",
    ),
    "waves elsewhere": (["--waves", "frame.vcd"], {}, "--waves is not for model"),
    "kind of file": (["-o", "frame.nothing"], {}, "frame.nothing: unknown file extension"),
    "no such folder": (["-o", "/nowhere/frame.png"], {}, "/nowhere/frame.png: No such file"),
    "surface": (
        [],
        {"check": {"addr": 0, "tiling": "Z", "format": "RGBA8888", "width": 1, "height": 1}},
        "no Z surface",
    ),
    "outside": (
        [],
        {"check": {"addr": SIZE, "tiling": "T", "format": "BGR565", "width": 1, "height": 1}},
        "outside of",
    ),
    "tolerance": (["--compare"], {"tolerance": {}}, "there is no per_channel"),
    "no jobs": ([], {"jobs": []}, "jobs must be a list of objects"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input(case, capsys, name):
    options, fields, what = WRONG[name]
    change(case, **fields)
    assert main(["render", str(case), *options]) == 2
    error = capsys.readouterr().err
    assert what in error
    assert error.startswith("vc4: ")
    assert error.count("\n") == 1


LISTS = {
    "halt": (bytes([0]), "its list ends before the frame does"),
    "no record": (bytes([9]), "0x00001000: 9 is no control record"),
    "circle": (bytes([16]) + LIST.to_bytes(4, "little"), "its list does not end within"),
    "semaphore": (bytes([8]), "waits for ever: the semaphore"),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_that_do_not_come_to_their_end(case, frame, capsys, monkeypatch, name):
    monkeypatch.setattr("vc4sim.render.host._MOST_STEPS", 2000)
    start, what = LISTS[name]
    image = bytearray(frame[1])
    image[LIST : LIST + len(start)] = start
    data = struct.pack("<2I", 0, SIZE) + image
    (case / "memory.bin.xz").write_bytes(lzma.compress(data, preset=0))
    assert main(["render", str(case)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("vc4: some_frame: job 0, thread 1: ")
    assert what in error


def test_damaged_cases(case, frame, capsys):
    """Bytes of the lists, records and programs, anything: a picture, or one line that says what is wrong."""
    rng = random.Random(1)
    for _ in range(40):
        image = bytearray(frame[1])
        for _ in range(rng.choice((1, 2, 8))):
            place = rng.choice((LIST, 0x8000, 0xA000)) + rng.randrange(200)
            image[place] = rng.randrange(256)
        data = struct.pack("<2I", 0, SIZE) + image
        (case / "memory.bin.xz").write_bytes(lzma.compress(data, preset=0))
        status = main(["render", str(case), "--compare"])
        error = capsys.readouterr().err
        assert status in (0, 1, 2)
        assert error.count("\n") == (status == 2)
