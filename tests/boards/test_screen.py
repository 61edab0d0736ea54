"""`vc4 screen`, with a board in plain Python whose frames pass."""

import struct
import threading
import time

import numpy as np
import pytest
from PIL import Image

from vc4.dvi.picture import SIGN
from vc4sim.cli import main

from .stand_in import model_board

pytest.importorskip("serial", reason="no pyserial")
#: Where memory of the stand-in begins and ends, and what is said of the picture.
BASE, SIZE = 1 << 16, 1 << 16
ABOUT = SIZE - 32
RGBA, BGR = 0, 1


@pytest.fixture(scope="module")
def board():
    """What a host calls it, and its memory."""
    ends = threading.Event()
    with model_board(base=BASE, size=SIZE, baud=4_000_000) as (name, stand_in):

        def pass_by():
            frames = 0
            while not ends.is_set():
                time.sleep(0.01)
                frames += 1
                stand_in.memory[-8:] = struct.pack("<2I", frames, 3)

        thread = threading.Thread(target=pass_by)
        thread.start()
        yield name, stand_in.memory
        ends.set()
        thread.join()


def described(memory):
    return struct.unpack("<6I", memory[ABOUT : SIZE - 8])


@pytest.mark.parametrize(("option", "size"), [("RGBA8888", 4), ("BGR565", 2)])
def test_a_file_is_shown(board, tmp_path, capfd, option, size):
    name, memory = board
    pixels = np.random.default_rng(1).integers(0, 256, (9, 13, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "picture.png")
    assert main(["screen", name, str(tmp_path / "picture.png"), "--format", option]) == 0
    sign, kind, address, pitch, width, height = described(memory)
    assert (sign, kind, width, height) == (SIGN, int(option == "BGR565"), 13, 9)
    assert address % 8 == pitch % 8 == 0
    assert BASE <= address <= BASE + ABOUT - 9 * pitch
    for row in range(9):
        for column in range(13):
            place = address - BASE + row * pitch + column * size
            red, green, blue = map(int, pixels[row, column])
            found = int.from_bytes(memory[place : place + size], "little")
            if size == 4:
                assert found & 0xFFFFFF == red | green << 8 | blue << 16
            else:
                assert (found >> 11, found >> 5 & 63, found & 31) == (red >> 3, green >> 2, blue >> 3)
    said = capfd.readouterr().out
    assert f"picture.png: 13 by 9 pixels at {address:#010x}\n" in said
    assert " frames, 3 rows not in time\n" in said


def test_memory_is_shown(board):
    name, memory = board
    arguments = ["--address", "0x10140", "--width", "16", "--height", "7", "--format", "RGBA8888"]
    assert main(["screen", name, *arguments]) == 0
    assert described(memory) == (SIGN, RGBA, 0x10140, 64, 16, 7)
    assert main(["screen", name, *arguments, "--pitch", "128", "--format", "BGR565"]) == 0
    assert described(memory) == (SIGN, BGR, 0x10140, 128, 16, 7)
    assert main(["screen", name]) == 0
    assert described(memory) == (SIGN, BGR, 0x10140, 128, 16, 7)
    assert main(["screen", name, "--off"]) == 0
    assert described(memory)[0] != SIGN


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--address", "0x10141", "--width", "8", "--height", "1"], "multiples of 8, not 0x10141"),
        (["--address", "0x10140", "--width", "9", "--height", "2"], "multiples of 8, not 0x10140, 18"),
        (
            ["--address", "0x10140", "--width", "9", "--height", "2", "--pitch", "16"],
            "18 bytes, more than the pitch 16",
        ),
        (["--address", "0", "--width", "8", "--height", "1"], "is not in memory before 0x0001ffe0"),
        (["--address", "0x1ff00", "--width", "128", "--height", "1"], "is not in memory before 0x0001ffe0"),
        (["--address", "0x10140"], "--address wants --width and --height"),
        (["--width", "8"], "--width, --height and --pitch are for --address"),
        (["none.png"], "none.png: No such file"),
        (["text.png"], "text.png: this is no picture"),
        (["large.png"], "641 by 2 pixels is larger than 640 by 480"),
        (["full.png"], "no room for a picture of 76,800 bytes"),
    ],
)
def test_bad_input(board, tmp_path, monkeypatch, capfd, arguments, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.png").write_text("text")
    for name, size in (("large", (641, 2)), ("full", (320, 120))):
        Image.new("RGB", size).save(tmp_path / f"{name}.png")
    assert main(["screen", board[0], *arguments]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert text in [line for line in said.err.splitlines() if "requests were repeated" not in line][-1]


def test_boards_that_have_none(capfd):
    with model_board(baud=4_000_000) as (name, _):
        assert main(["screen", name]) == 2
    assert "has no screen: vc4 build --memory sdram --screen" in capfd.readouterr().err
    assert main(["screen", "native"]) == 2
    assert "native: a board is uart:DEVICE" in capfd.readouterr().err
