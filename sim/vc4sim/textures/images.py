"""The images that the pictures show, made here: arrays [row, column, channel] of bytes."""

import colorsys

import numpy as np

from .textures import Texture, mipmaps

__all__ = ["LEVEL_COLOURS", "board", "coloured_levels", "cube", "letter"]

_OPAQUE = 255

_LETTER = (
    "................",
    "................",
    "..############..",
    "..############..",
    "..##............",
    "..##............",
    "..##............",
    "..########......",
    "..########......",
    "..##............",
    "..##............",
    "..##............",
    "..##........oo..",
    "..##........oo..",
    "................",
    "................",
)

_SIGNS = {
    "+": ("..#..", "..#..", "#####", "..#..", "..#.."),
    "-": (".....", ".....", "#####", ".....", "....."),
    "X": ("#...#", ".#.#.", "..#..", ".#.#.", "#...#"),
    "Y": ("#...#", ".#.#.", "..#..", "..#..", "..#.."),
    "Z": ("#####", "...#.", "..#..", ".#...", "#####"),
}
_AXES = ("+X", "-X", "+Y", "-Y", "+Z", "-Z")

_INK, _CREAM, _RED = (24, 38, 66), (250, 243, 224), (214, 64, 46)


def _wheel(count: int, saturation: float, value: float) -> list[tuple[int, ...]]:
    """Colours all around the circle of hues."""
    hues = (colorsys.hsv_to_rgb(number / count, saturation, value) for number in range(count))
    return [tuple(round(255 * channel) for channel in colour) for colour in hues]


#: Of levels, the largest first.
LEVEL_COLOURS = _wheel(7, 0.72, 0.95)


def _plain(size: int, colour: tuple[int, ...]) -> np.ndarray:
    return np.full((size, size, 4), (*colour, _OPAQUE), np.uint8)


def _shape(rows: tuple[str, ...], sign: str) -> np.ndarray:
    return np.array([[character == sign for character in row] for row in rows])


def letter() -> Texture:
    """An F of 16 by 16 texels, on a ground whose blue runs to the right and whose green runs down."""
    rows, columns = np.indices((16, 16))
    image = _plain(16, (40, 0, 0))
    image[..., 1] = 70 + 9 * rows
    image[..., 2] = 225 - 9 * columns
    image[_shape(_LETTER, "#"), :3] = _CREAM
    image[_shape(_LETTER, "o"), :3] = _RED
    return Texture(((image,),))


def board() -> Texture:
    """A chessboard of eight by eight squares, 64 by 64 texels, with all levels: after the fourth they are of one colour."""
    rows, columns = np.indices((64, 64)) // 8
    image = _plain(64, _CREAM)
    image[(rows + columns) % 2 == 1, :3] = _INK
    return Texture((mipmaps(image),))


def coloured_levels() -> Texture:
    """Levels from 64 by 64 texels on, each of one of `LEVEL_COLOURS`."""
    return Texture((tuple(_plain(64 >> level, colour) for level, colour in enumerate(LEVEL_COLOURS)),))


def cube() -> Texture:
    """Six faces of 32 by 32 texels with their names, a colour each, darker at the rim."""
    colours = _wheel(6, 0.45, 0.95)
    return Texture(tuple((_face(axis, colour),) for axis, colour in zip(_AXES, colours, strict=True)))


def _face(name: str, colour: tuple[int, ...]) -> np.ndarray:
    image = _plain(32, tuple(3 * channel // 4 for channel in colour))
    image[2:-2, 2:-2, :3] = colour
    signs = np.hstack([_shape(_SIGNS[name[0]], "#"), np.zeros((5, 1), bool), _shape(_SIGNS[name[1]], "#")])
    large = np.kron(signs, np.ones((2, 2), bool))
    height, width = large.shape
    top, left = (32 - height) // 2, (32 - width) // 2
    image[top : top + height, left : left + width][large, :3] = _INK
    return image
