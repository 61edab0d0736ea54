"""What a board shows on its screen."""

import time
from typing import NamedTuple

import numpy as np

from vc4.dvi.mode import VGA
from vc4.dvi.picture import PICTURE_BYTES, SIGN, Picture, PictureFormat, Shown

from ..problem import BadInput
from .board import Board

__all__ = ["PIXEL_BYTES", "Place", "Screen", "Told"]

PIXEL_BYTES = {PictureFormat.RGBA8888: 4, PictureFormat.BGR565: 2}
_ABOUT_BYTES, _SHOWN_BYTES = (layout.as_shape().size // 8 for layout in (Picture, Shown))
#: What the address and the pitch of a picture are multiples of.
_ALIGNED = 8
#: Seconds in which a frame surely ends.
_FRAME_SECONDS = 0.1


class Place(NamedTuple):
    """A picture in memory: its address, bytes from a row to the next one, columns, rows, and how pixels are there."""

    address: int
    pitch: int
    width: int
    height: int
    pixels: PictureFormat


class Told(NamedTuple):
    """What a screen tells: frames, and rows that memory did not bring in time, since the board was loaded."""

    frames: int
    missed: int


class Screen:
    """The screen of a board, which shows what the end of memory says (`vc4.dvi.picture`).

    Raises `BadInput` if the board has none.
    """

    def __init__(self, board: Board):
        self._board, self._about = board, board.base + board.size - PICTURE_BYTES
        before = self.told()
        time.sleep(_FRAME_SECONDS)
        if self.told().frames == before.frames:
            raise BadInput(f"{board.link.transport.name}: the board has no screen: vc4 build --memory sdram --screen")

    def told(self) -> Told:
        """What it tells by now."""
        found = self._board.read_memory(self._about + _ABOUT_BYTES, _SHOWN_BYTES)
        shown = Shown.from_bits(int.from_bytes(found, "little"))
        return Told(shown.frames, shown.missed)

    def show(self, place: Place) -> None:
        """Show what is in memory from the next frame on. Raises `BadInput` if the screen cannot."""
        row = place.width * PIXEL_BYTES[place.pixels]
        size = place.pitch * (place.height - 1) + row
        if place.address % _ALIGNED or place.pitch % _ALIGNED:
            raise BadInput(
                f"a picture has an address and a pitch of multiples of {_ALIGNED}, not {place.address:#x}, {place.pitch}"
            )
        if row > place.pitch and place.height > 1:
            raise BadInput(f"a row has {row} bytes, more than the pitch {place.pitch}")
        if place.address < self._board.base or place.address + size > self._about:
            raise BadInput(
                f"the picture of {size:,} bytes at {place.address:#010x} is not in memory before {self._about:#010x}"
            )
        self._describe(SIGN, place)

    def hide(self) -> None:
        """Show bars."""
        self._describe(0, Place(0, 0, 0, 0, PictureFormat.RGBA8888))

    def _describe(self, sign: int, place: Place) -> None:
        about = Picture.const({"sign": sign, **place._asdict()}).as_bits()
        self._board.write_memory(self._about, about.to_bytes(_ABOUT_BYTES, "little"))

    def send(self, picture: np.ndarray, pixels: PictureFormat) -> Place:
        """Write a picture, [row, column, (red, green, blue)] of bytes, to the end of memory, and show it. Raises `BadInput` if it
        is larger than the screen.
        """
        height, width, _ = picture.shape
        if width > VGA.columns.shown or height > VGA.rows.shown:
            raise BadInput(
                f"a picture of {width} by {height} pixels is larger than {VGA.columns.shown} by {VGA.rows.shown}"
            )
        rows = _rows(picture, pixels)
        address = (self._about - rows.nbytes) // _ALIGNED * _ALIGNED
        if address < self._board.base:
            raise BadInput(f"memory has no room for a picture of {rows.nbytes:,} bytes")
        place = Place(address, rows.shape[1], width, height, pixels)
        self._board.write_memory(address, rows.tobytes())
        self.show(place)
        return place


def _rows(picture: np.ndarray, pixels: PictureFormat) -> np.ndarray:
    """Bytes as they are in memory, row by row."""
    wide = picture.astype(np.uint32)
    red, green, blue = (wide[..., channel] for channel in range(3))
    if pixels is PictureFormat.RGBA8888:
        words = (red | green << 8 | blue << 16 | 0xFF << 24).astype("<u4")
    else:
        words = (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).astype("<u2")
    padding = -words.shape[1] * words.itemsize % _ALIGNED // words.itemsize
    return np.ascontiguousarray(np.pad(words, ((0, 0), (0, padding)))).view(np.uint8)
