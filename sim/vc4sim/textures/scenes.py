"""Which pictures the figures have."""

import math
from dataclasses import dataclass

import numpy as np

from vc4.records.tmu import MagnificationFilter, MinificationFilter, Wrap

from . import images
from .drawing import View
from .sampling import Sampling
from .textures import Texture

__all__ = ["FIGURES", "Figure", "Panel"]

_BORDER = (244, 122, 32, 255)


@dataclass(frozen=True, eq=False)
class Panel:
    """A picture of a figure. `frame`: left, top, right and bottom of what is framed in it, in pixels."""

    label: str
    texture: Texture
    view: View
    sampling: Sampling
    frame: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, eq=False)
class Figure:
    """Pictures in rows.

    columns : pictures of a row
    scale : how large a pixel is drawn
    legend : colours and what they stand for
    """

    panels: tuple[Panel, ...]
    columns: int
    scale: int
    legend: tuple[tuple[tuple[int, ...], str], ...] = ()


def _magnification() -> Figure:
    """The letter, eight pixels a texel, turned a little around its middle."""
    cosine, sine = (turn(math.radians(12)) / 8 / 16 for turn in (math.cos, math.sin))
    view = View(128, 128, (cosine, -sine, 0.5 - 64 * (cosine - sine)), (sine, cosine, 0.5 - 64 * (sine + cosine)))
    texture, clamp = images.letter(), Wrap.CLAMP
    names = {MagnificationFilter.NEAREST: "nearest", MagnificationFilter.LINEAR: "linear"}
    return Figure(
        tuple(Panel(name, texture, view, Sampling(clamp, clamp, which)) for which, name in names.items()), 2, 3
    )


_MINIFICATION = {
    MinificationFilter.NEAREST: "nearest",
    MinificationFilter.LINEAR: "linear",
    MinificationFilter.NEAR_MIP_NEAR: "nearest texel, nearest level",
    MinificationFilter.LIN_MIP_NEAR: "linear, nearest level",
    MinificationFilter.NEAR_MIP_LIN: "nearest texel of two levels",
    MinificationFilter.LIN_MIP_LIN: "linear of two levels",
}


def _minification(texture: Texture, legend: tuple[tuple[tuple[int, ...], str], ...] = ()) -> Figure:
    """A plane whose horizon is a pixel above the picture; half a texel a pixel at its lower end."""
    view = View(128, 64, (0.5, 0.0, -32.0), (0.0, 0.0, 32.0), (0.0, 1.0, 1.0))
    linear = MagnificationFilter.LINEAR
    panels = (
        Panel(name, texture, view, Sampling(magnification=linear, minification=which))
        for which, name in _MINIFICATION.items()
    )
    return Figure(tuple(panels), 2, 3, legend)


def _wrap() -> Figure:
    """From -1 to 2 in both directions."""
    view = View(96, 96, (1 / 32, 0.0, -1.0), (0.0, 1 / 32, -1.0))
    nearest, linear = MagnificationFilter.NEAREST, MagnificationFilter.LINEAR
    texture = images.letter()
    modes = [(mode.name.lower(), mode, mode, nearest) for mode in Wrap]
    modes.append(("s mirror, t clamp", Wrap.MIRROR, Wrap.CLAMP, nearest))
    modes.append(("border, linear", Wrap.BORDER, Wrap.BORDER, linear))
    panels = (
        Panel(name, texture, view, Sampling(s, t, which, border=_BORDER), (32, 32, 64, 64))
        for name, s, t, which in modes
    )
    return Figure(tuple(panels), 3, 3)


def _inside(ahead: tuple[int, ...], up: tuple[int, ...]) -> View:
    """What the middle of a cube sees of a face, and around it the rims of its neighbours."""
    size, unit = 72, 27
    right = np.cross(up, ahead)
    corner = np.array(ahead) - (right - np.array(up)) * size / 2 / unit
    s, t, r = (tuple(map(float, row)) for row in zip(right / unit, -np.array(up) / unit, corner, strict=True))
    return View(size, size, s, t, r)


def _cube() -> Figure:
    """Each face with the upper side up that its image has."""
    texture = images.cube()
    sampling = Sampling(Wrap.CLAMP, Wrap.CLAMP, MagnificationFilter.LINEAR, MinificationFilter.LINEAR)
    panels = []
    for axis, name in enumerate("XYZ"):
        for sign in (1, -1):
            ahead = tuple(sign * (number == axis) for number in range(3))
            up = (0, 0, -sign) if name == "Y" else (0, 1, 0)
            panels.append(Panel(f"towards {'-' if sign < 0 else '+'}{name}", texture, _inside(ahead, up), sampling))
    return Figure(tuple(panels), 3, 3)


_LEGEND = tuple((colour, f"level {level}") for level, colour in enumerate(images.LEVEL_COLOURS))

#: By the names of their files.
FIGURES = {
    "texture_magnification": _magnification(),
    "texture_minification": _minification(images.board()),
    "texture_levels": _minification(images.coloured_levels(), _LEGEND),
    "texture_wrap": _wrap(),
    "texture_cube": _cube(),
}
