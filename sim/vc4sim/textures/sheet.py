"""A figure as one picture: enlarged pixels, a label below each picture, a legend at the end."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .scenes import Figure

__all__ = ["panel_corner", "sheet"]

_GAP, _LABEL, _FONT_SIZE, _SWATCH = 12, 22, 14, 12
_GROUND, _INK = "white", "#24303c"


def panel_corner(figure: Figure, number: int) -> tuple[int, int]:
    """Left and top of a picture in the sheet."""
    view = figure.panels[0].view
    row, column = divmod(number, figure.columns)
    left = _GAP + column * (figure.scale * view.width + _GAP)
    return left, _GAP + row * (figure.scale * view.height + _LABEL + _GAP)


def sheet(figure: Figure, pictures: Sequence[np.ndarray]) -> Image.Image:
    """The pictures of the panels, arranged."""
    font = ImageFont.load_default(_FONT_SIZE)
    scale, columns = figure.scale, figure.columns
    height, width = (scale * size for size in pictures[0].shape[:2])
    rows = -(-len(pictures) // columns)
    whole = (
        columns * (width + _GAP) + _GAP,
        rows * (height + _LABEL + _GAP) + _GAP + (_LABEL if figure.legend else 0),
    )
    drawn = Image.new("RGB", whole, _GROUND)
    pen = ImageDraw.Draw(drawn)
    for number, (panel, picture) in enumerate(zip(figure.panels, pictures, strict=True)):
        left, top = panel_corner(figure, number)
        pixels = Image.fromarray(np.ascontiguousarray(picture[..., :3]))
        drawn.paste(pixels.resize((width, height), Image.Resampling.NEAREST), (left, top))
        if panel.frame:
            x0, y0, x1, y1 = (scale * edge for edge in panel.frame)
            pen.rectangle((left + x0 - 1, top + y0 - 1, left + x1, top + y1), outline=_INK)
        pen.text((left + width / 2, top + height + _LABEL / 2), panel.label, _INK, font, "mm")
    middle = whole[1] - _GAP / 2 - _LABEL / 2
    for number, (colour, label) in enumerate(figure.legend):
        left = _GAP + number * (whole[0] - 2 * _GAP) // len(figure.legend)
        pen.rectangle((left, middle - _SWATCH / 2, left + _SWATCH, middle + _SWATCH / 2), fill=colour)
        pen.text((left + _SWATCH + 6, middle), label, _INK, font, "lm")
    return drawn
