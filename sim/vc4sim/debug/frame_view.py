"""What a frame is about, beside registers: the tile in the tile buffer, and the control lists."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vc4.records.control import Threads

from ..clist import describe, walk
from ..model.cle.cle import BINNING, RENDERING
from ..model.cle.control_records import ControlRecord, ListError
from ..model.memory import MemoryFault
from ..model.v3d import V3D
from ..problem import BadInput
from .frame_target import FrameTarget

__all__ = ["LISTS", "TILE_BUFFERS", "ListLine", "Pixel", "list_lines", "pixel_of", "tile_image"]

#: Names of both threads' lists, and the threads.
LISTS = {"binning": (BINNING, Threads.BINNING), "rendering": (RENDERING, Threads.RENDERING)}
#: What the tile buffer holds of a pixel.
TILE_BUFFERS = ("colour", "z", "stencil", "mask")
_BYTE = 255


@dataclass(frozen=True, slots=True)
class Pixel:
    """What the tile buffer holds of a pixel: of each sample the words of its colour, Z (24 bits) and stencil; its alpha mask."""

    colours: tuple[tuple[int, ...], ...]
    z: tuple[int, ...]
    stencil: tuple[int, ...]
    mask: int


def pixel_of(gpu: V3D, x: int, y: int) -> Pixel:
    """A pixel by its place in the frame. Raises `BadInput` if it is not in the tile."""
    tile = gpu.renderer.tile
    column, row = x - tile.x, y - tile.y
    if not (0 <= column < tile.shape.width and 0 <= row < tile.shape.height):
        last = tile.x + tile.shape.width - 1, tile.y + tile.shape.height - 1
        raise BadInput(f"{x} {y}: the tile has the pixels {tile.x} {tile.y} to {last[0]} {last[1]}")
    zs = tile.zs[row, column].tolist()
    colours = tuple(tuple(words) for words in tile.colour[row, column].tolist())
    return Pixel(
        colours, tuple(word >> 8 for word in zs), tuple(word & _BYTE for word in zs), int(tile.mask[row, column])
    )


def tile_image(gpu: V3D, what: str) -> np.ndarray:
    """One of `TILE_BUFFERS` as an image, [row, column, channel] of bytes: row 0 has the lowest y.

    Of samples it is the mean; Z from 0, black, to the largest one; stencil and mask as they are.
    """
    tile = gpu.renderer.tile
    if what == "colour":
        words = tile.colour.astype(np.uint32)
        if tile.shape.words == 2:
            halves = np.nan_to_num(np.clip(words.view(np.float16).astype(np.float64), 0, 1))
            return (halves.mean(axis=2) * _BYTE).round().astype(np.uint8)
        channels = words.view(np.uint8)
        return (channels.mean(axis=2) + 0.5).astype(np.uint8)
    if what == "mask":
        grey = tile.mask
    elif what == "z":
        grey = (tile.zs >> 24).mean(axis=2)
    elif what == "stencil":
        grey = (tile.zs & _BYTE).mean(axis=2)
    else:
        raise BadInput(f"{what}: the tile buffer has {', '.join(TILE_BUFFERS)}")
    grey = grey.astype(np.uint8)
    return np.stack([grey, grey, grey, np.full_like(grey, _BYTE)], axis=-1)


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line of a control list; whether its thread is there."""

    text: str
    is_current: bool


def list_lines(target: FrameTarget, name: str) -> Iterator[ListLine]:
    """Everything that a list of the job leads to, see `LISTS`. Raises `BadInput` if there is no such list."""
    if name not in LISTS:
        raise BadInput(f"{name}: the lists are {' and '.join(LISTS)}")
    number, threads = LISTS[name]
    registers = target.job.registers
    if number not in target.job.threads:
        raise BadInput(f"{name}: the job has no such list")
    start, end = (registers[f"CT{number}{what}"] for what in ("CA", "EA"))
    current = target.gpu.cle.threads[number].current
    try:
        for line in walk(target.memory, start, end, threads):
            yield ListLine(describe(line), isinstance(line, ControlRecord) and line.address == current)
    except (ListError, MemoryFault) as error:
        yield ListLine(f"-- {error}", False)
