"""The clip window: which columns and rows of pixels are drawn (guide, table 38, record 102)."""

from ..cle.fields import Fields

__all__ = ["NO_LIMIT", "clip_window"]

#: Columns or rows of a window whose width or height is 0: more than a frame has.
NO_LIMIT = 1 << 16


def clip_window(fields: Fields) -> tuple[range, range]:
    """Columns and rows of the window of a `ClipWindow` record. A width or height of 0, which the guide forbids, cuts nothing
    off on that side.
    """
    left, bottom = fields.clip_window_left_pixel_coordinate, fields.clip_window_bottom_pixel_coordinate
    width, height = fields.clip_window_width_in_pixels, fields.clip_window_height_in_pixels
    return range(left, left + (width or NO_LIMIT)), range(bottom, bottom + (height or NO_LIMIT))
