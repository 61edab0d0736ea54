# amaranth: UnusedElaboratable=no

"""Whole frames, from memory to the bits on the wires, which a screen in plain Python decodes."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from vc4.dvi.dvi import MISSED
from vc4.dvi.picture import PictureFormat
from vc4.dvi.scanner import Scanner

from .rig import SMALL, described, run
from .screen import frames_of, words_of

pytestmark = pytest.mark.thorough

RGBA, BGR = PictureFormat.RGBA8888, PictureFormat.BGR565
COLUMNS, ROWS = SMALL.columns.shown, SMALL.rows.shown
MAGENTA = (255, 0, 255)
#: Clocks of memory that are about as long as a row.
LATE = 40
#: Words until the first one that means something is on the wires.
FILLS = 6
MEMORY = random.Random(9).randbytes(12_000)


def pixel(place, pixels):
    """A pixel of MEMORY, by the docstrings of `PictureFormat`."""
    if pixels is RGBA:
        return tuple(MEMORY[place : place + 3])
    word = int.from_bytes(MEMORY[place : place + 2], "little")
    wide = [(word >> 11, 5), (word >> 5 & 63, 6), (word & 31, 5)]
    return tuple(value << 8 - bits | value >> 2 * bits - 8 for value, bits in wide)


def expected(address, pitch, width, height, pixels):
    """Rows of the screen."""
    size = 4 if pixels is RGBA else 2
    return [
        [
            pixel(address + row * pitch + column * size, pixels) if column < width and row < height else (0, 0, 0)
            for column in range(COLUMNS)
        ]
        for row in range(ROWS)
    ]


def frames(picture, count, mode=SMALL, **pace):
    """What is shown, with bars first, and what was told."""
    wires, told = run(mode, MEMORY, picture, count, **pace)
    return frames_of(words_of(wires)[FILLS:], mode.pulse_level), told


@pytest.mark.parametrize(
    "picture",
    [
        (64, 4 * COLUMNS, COLUMNS, ROWS, RGBA),
        (8000, -88, 5 * COLUMNS, 1 << 20, BGR),
        (72, 120, COLUMNS - 3, ROWS - 2, RGBA),
        (1000, 40, COLUMNS, ROWS, BGR),
        (1016, 48, 7, 4, BGR),
        (4000, 4096 - 80, COLUMNS + 9, 2, RGBA),
        (16, 0, 0xFFFF_FFFF, 1, RGBA),
        (16, 8, 0, ROWS, RGBA),
    ],
    ids=lambda picture: "-".join(map(str, picture[:4])) + f"-{picture[4].name}",
)
def test_the_picture_is_on_the_screen(picture):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    shown, told = frames(described(*picture), 3, latency=rng.randrange(1, 5), gap=rng.choice((0.0, 0.1)), seed=seed)
    assert [frame.rows == expected(*picture) for frame in shown[1:]] == [True]
    assert told == [(number + 1, 0) for number in range(len(told))]


@pytest.mark.parametrize("level", [0, 1])
def test_timing(level):
    mode = replace(SMALL, pulse_level=level)
    shown, _ = frames(described(64, 80, COLUMNS, ROWS, RGBA), 3, mode)
    assert len(shown) == 2
    for frame in shown:
        assert set(frame.lines) == {mode.columns.total}
        assert set(frame.pulses) == {mode.columns.pulse}
        assert frame.clocks == mode.columns.total * mode.rows.total
        assert frame.vertical_pulse == mode.columns.total * mode.rows.pulse


def test_without_a_picture_there_are_bars():
    shown, told = frames(described(64, 80, COLUMNS, ROWS, RGBA, sign=0), 2)
    bars = [tuple(255 * (column // 2 >> bit & 1) for bit in range(3)) for column in range(COLUMNS)]
    assert [frame.rows for frame in shown] == [[bars] * ROWS]
    assert {missed for _, missed in told} == {0}


def rows_missed(told):
    """In each frame but the first one."""
    return [after[1] - before[1] for before, after in pairwise(told)]


@pytest.mark.parametrize("seed", range(3, 9))
def test_a_row_that_is_late_is_seen_and_counted(seed):
    """A memory that sometimes needs longer than a row takes: what is shown is right or magenta, and each magenta row is counted."""
    picture = (64, 4 * COLUMNS, COLUMNS, ROWS, RGBA)
    shown, told = frames(described(*picture), 8, latency=LATE, gap=0.2, seed=seed)
    assert tuple(MISSED.to_bytes(3, "little")) == MAGENTA
    missed = []
    for frame in shown[1:]:
        wrong = [row for row, wanted in zip(frame.rows, expected(*picture), strict=True) if row != wanted]
        assert all(row == [MAGENTA] * COLUMNS for row in wrong)
        missed.append(len(wrong))
    assert 0 < sum(missed) < len(missed) * ROWS
    assert rows_missed(told)[: len(missed)] == missed


def test_rows_out_of_memory_are_missed():
    shown, told = frames(described(0xFFFF_0000, 4 * COLUMNS, COLUMNS, ROWS, RGBA), 3)
    assert [frame.rows for frame in shown[1:]] == [[[MAGENTA] * COLUMNS] * ROWS]
    assert set(rows_missed(told)) == {ROWS}


def test_an_end_of_memory_that_makes_no_sense():
    with pytest.raises(ValueError, match="multiple of 64"):
        Scanner(SMALL, 1000, tag_bits=1)
