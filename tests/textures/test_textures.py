"""Pictures of textures: one against a plain formula, those of the documentation against what the RTL draws now."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vc4.records.tmu import MagnificationFilter, MinificationFilter, Wrap
from vc4sim.checker import check
from vc4sim.textures.drawing import View, code_of, draw
from vc4sim.textures.sampling import Sampling
from vc4sim.textures.scenes import FIGURES
from vc4sim.textures.sheet import panel_corner
from vc4sim.textures.textures import Texture, mipmaps

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reference/textures.md"
MOST_BYTES = 100_000
#: Two weights that are off by 1/512 and a little, and the rounding to a byte.
TOLERANCE = 0.0042 * 255 + 0.51


def blended(image, s, t):
    """The blend of four texels around a point, in double precision; the image repeats."""
    height, width, _ = image.shape
    x, y = s * width - 0.5, t * height - 0.5
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    across, up = (x - column)[..., None], (y - row)[..., None]

    def texel(right, below):
        return image[(row + below) % height, (column + right) % width].astype(float)

    upper = texel(0, 0) * (1 - across) + texel(1, 0) * across
    lower = texel(0, 1) * (1 - across) + texel(1, 1) * across
    return upper * (1 - up) + lower * up


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_a_picture_is_what_the_formula_says():
    """Turned and in perspective, with an image in tiles: 16 by 16 pixels of 32 by 32 texels."""
    seed = 5
    image = np.random.default_rng(seed).integers(0, 256, (32, 32, 4), np.uint8)
    s, t, r = (0.031, -0.012, -0.3), (0.009, 0.027, 0.2), (0.01, 0.03, 1.0)
    sampling = Sampling(Wrap.REPEAT, Wrap.REPEAT, MagnificationFilter.LINEAR, MinificationFilter.LINEAR)
    picture = draw(Texture(((image,),)), View(16, 16, s, t, r), sampling)
    y, x = np.indices((16, 16)) + 0.5
    across, down, divisor = (a * x + b * y + c for a, b, c in (s, t, r))
    expected = blended(image, across / divisor, down / divisor)
    assert np.abs(picture - expected).max() <= TOLERANCE, f"seed {seed}"


def wrapped(index, size, mode):
    """The texel that stands for one outside of the image, -1 for the border."""
    match mode:
        case Wrap.REPEAT:
            return index % size
        case Wrap.CLAMP:
            return np.clip(index, 0, size - 1)
        case Wrap.MIRROR:
            place = index % (2 * size)
            return np.minimum(place, 2 * size - 1 - place)
    return np.where((index >= 0) & (index < size), index, -1)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("across", Wrap)
@pytest.mark.parametrize("down", [Wrap.REPEAT, Wrap.BORDER])
def test_texels_around_an_image(across, down):
    """A pixel a texel, an image further than the image in each direction."""
    image = np.random.default_rng(6).integers(0, 256, (8, 8, 4), np.uint8)
    border = (1, 22, 133, 204)
    view = View(24, 24, (1 / 8, 0.0, -1.0), (0.0, 1 / 8, -1.0))
    picture = draw(Texture(((image,),)), view, Sampling(across, down, border=border))
    y, x = np.indices((24, 24)) - 8
    column, row = wrapped(x, 8, across), wrapped(y, 8, down)
    outside = ((column < 0) | (row < 0))[..., None]
    assert (picture == np.where(outside, np.array(border), image[row, column])).all()


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(("name", "number"), [("texture_cube", 2), ("texture_levels", 5)])
def test_the_documentation_shows_what_the_rtl_draws(name, number):
    figure = FIGURES[name]
    panel = figure.panels[number]
    picture = draw(panel.texture, panel.view, panel.sampling)
    left, top = panel_corner(figure, number)
    height, width = (figure.scale * size for size in picture.shape[:2])
    shown = np.asarray(Image.open(DOCS / f"images/{name}.png").convert("RGB"))[top : top + height, left : left + width]
    again = "python -m vc4sim.textures docs/images draws it again"
    assert (shown == np.kron(picture[..., :3], np.ones((figure.scale, figure.scale, 1), np.uint8))).all(), again


def test_the_page_shows_every_image():
    shown = re.findall(r"!\[[^]]+\]\(\.\./images/(\w+)\.png\)", PAGE.read_text())
    assert shown == list(FIGURES)
    assert {path.stem for path in (DOCS / "images").glob("texture_*.png")} == set(FIGURES)
    for name in FIGURES:
        assert (DOCS / f"images/{name}.png").stat().st_size < MOST_BYTES


def test_the_page_is_linked():
    assert "(reference/textures.md)" in (DOCS / "README.md").read_text()


def test_every_filter_and_wrap_mode_is_shown():
    samplings = [panel.sampling for figure in FIGURES.values() for panel in figure.panels]
    real = {one for one in MinificationFilter if not one.name.startswith("RESERVED")}
    assert {one.minification for one in samplings} == real
    assert {one.magnification for one in samplings} == set(MagnificationFilter)
    assert {one.wrap_s for one in samplings} == {one.wrap_t for one in samplings} == set(Wrap)


@pytest.mark.parametrize("cube", [False, True])
def test_the_program_keeps_to_the_rules(cube):
    assert not check(np.frombuffer(code_of(cube), "<u8").tolist())


def test_levels_are_means():
    image = np.arange(64, dtype=np.uint8).reshape(4, 4, 4)
    levels = mipmaps(image)
    assert [level.shape for level in levels] == [(4, 4, 4), (2, 2, 4), (1, 1, 4)]
    assert levels[1][0, 0].tolist() == [10, 11, 12, 13]
    assert levels[2][0, 0].tolist() == [30, 31, 32, 33]


@pytest.mark.parametrize(("width", "height"), [(136, 8), (12, 8), (8, 12), (0, 8)])
def test_views_of_other_sizes_are_refused(width, height):
    with pytest.raises(AssertionError):
        View(width, height, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
