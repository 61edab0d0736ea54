"""The picture of a captured frame, and how it differs from what is expected."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from vc4.records.tile_buffer import MemoryFormat, PixelColorFormat

from ..clist import Capture
from ..model.memory import Memory, MemoryFault
from ..model.tlb import colours
from ..model.tlb.surfaces import Rectangle, Surface, gather, in_order
from ..problem import BadInput
from ..workload.fields import Fields
from ..workload.files import read_bytes

__all__ = [
    "TILINGS",
    "TOP",
    "Comparison",
    "Picture",
    "Place",
    "compare",
    "difference_picture",
    "expected_picture",
    "is_top_first",
    "picture_at",
    "picture_of",
    "save",
]

#: By the names that cases have for them.
TILINGS = {"raster": MemoryFormat.RASTER, "T": MemoryFormat.T_FORMAT, "LT": MemoryFormat.LT_FORMAT}
_FORMATS = {"RGBA8888": PixelColorFormat.RGBA8888, "BGR565": PixelColorFormat.BGR565}
_MOST_PIXELS = 4096
_CHANNELS = 4

#: What cases call the first row, if it is not that at the bottom.
TOP = "top"

#: Channels of pixels, [row, column, channel]: the first row of memory first, red first, 8 bits each.
Picture = np.ndarray


class Place(NamedTuple):
    """A picture in memory: its address, names of tiling and format, and size in pixels."""

    addr: int
    tiling: str
    format: str
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A picture beside another one.

    bad : pixels with a channel that is further off than it may be, [row, column]
    largest : the largest difference of any channel
    most : bad pixels that there may be
    """

    bad: np.ndarray
    difference: np.ndarray
    most: int

    @property
    def count(self) -> int:
        """Bad pixels."""
        return int(self.bad.sum())

    @property
    def passes(self) -> bool:
        """There are not too many."""
        return self.count <= self.most


def _size(check: Fields) -> tuple[int, int]:
    return check.integer("width", 1, _MOST_PIXELS), check.integer("height", 1, _MOST_PIXELS)


def picture_of(capture: Capture, memory: Memory) -> Picture:
    """The picture that a capture has drawn."""
    check = capture.details.object("check")
    address = check.integer("addr", 0, (1 << 32) - 1)
    place = Place(address, check.text("tiling"), check.text("format"), *_size(check))
    try:
        return picture_at(memory, place)
    except BadInput as what:
        raise BadInput(f"{capture.name}: {what}") from None


def picture_at(memory: Memory, place: Place) -> Picture:
    """The picture in memory. Raises `BadInput` if it is none, or memory ends before it does."""
    if place.tiling not in TILINGS or place.format not in _FORMATS:
        raise BadInput(f"there is no {place.tiling} surface of {place.format}")
    pixels = _FORMATS[place.format]
    pixel_bytes = 4 if pixels is PixelColorFormat.RGBA8888 else 2
    surface = Surface(place.addr, TILINGS[place.tiling], pixel_bytes, place.width)
    runs = in_order(surface.addresses(Rectangle(0, 0, place.width, place.height)), pixel_bytes)
    try:
        values = gather(memory, runs, pixel_bytes, "picture")
    except MemoryFault as fault:
        raise BadInput(str(fault)) from None
    return colours.picture(values.reshape(place.height, place.width), pixels)


def expected_picture(capture: Capture) -> Picture:
    """What a capture should draw."""
    check = capture.details.object("check")
    width, height = _size(check)
    path = capture.folder / check.text("expected")
    data = read_bytes(path)
    if len(data) != width * height * _CHANNELS:
        raise BadInput(f"{path}: has {len(data)} bytes, not those of {width} by {height} pixels")
    return np.frombuffer(data, np.uint8).reshape(height, width, _CHANNELS)


def compare(capture: Capture, picture: Picture, expected: Picture) -> Comparison:
    """Compare with the tolerance of the capture."""
    tolerance = capture.details.object("tolerance")
    difference = np.abs(picture.astype(np.int64) - expected.astype(np.int64))
    bad = (difference > tolerance.integer("per_channel", 0, 255)).any(axis=-1)
    return Comparison(bad, difference, int(tolerance.size("max_bad_fraction") * bad.size))


def is_top_first(capture: Capture) -> bool:
    """The first row in memory is the highest one, as windows of a driver have it."""
    check = capture.details.object("check")
    return "first_row" in check and check.text("first_row") == TOP


def save(picture: Picture, path: Path, *, top_first: bool = False) -> None:
    """Write a picture file, the right way up."""
    try:
        Image.fromarray(np.ascontiguousarray(picture if top_first else picture[::-1])).save(path)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None


def difference_picture(comparison: Comparison) -> Picture:
    """Bad pixels white, other differences grey, sixteen times as large as they are."""
    largest = comparison.difference.max(axis=-1)
    grey = np.where(comparison.bad, 255, np.minimum(largest * 16, 191)).astype(np.uint8)
    opaque = np.full_like(grey, 255)
    return np.stack([grey, grey, grey, opaque], axis=-1)
