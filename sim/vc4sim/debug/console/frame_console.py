"""Commands of the console for frames."""

from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image

from ...problem import BadInput
from ...render.picture import is_top_first, picture_of, save
from ..frame_target import FrameTarget
from ..frame_view import LISTS, TILE_BUFFERS, list_lines, pixel_of, tile_image
from ..session import Session
from ..textures import BoundTexture, bound_textures, image_of
from .console import Console

__all__ = ["FrameConsole"]

#: Lines of a control list before that where its thread is, and all of them, if it is not said how many.
_BEFORE, _LINES = 5, 16


class FrameConsole(Console):
    """The console of a session whose target is a frame."""

    def __init__(self, session: Session, target: FrameTarget, stdout: IO[str] | None = None):
        super().__init__(session, stdout)
        self.target = target

    def do_textures(self, line: str) -> None:
        """`textures`: those that the program of the QPU looks up, in the order of its lookups."""
        self._none(line)
        found = self._textures()
        for number, one in enumerate(found):
            what = one.texture
            name = f"{what.type.name.lower()} {what.width} by {what.height}{' cube' if what.cube else ''}"
            levels = f"{what.levels} level{'s' * (what.levels > 1)}"
            self.say([f"{number}: {name}, {levels}, at {what.base:#010x}; t{one.unit}s written at {one.at:#010x}"])
        if not found:
            self.say(["the program looks up no texture"])

    def do_texture(self, line: str) -> None:
        """`texture N FILE [LEVEL [FACE]]`: write texture N, see `textures`, as a picture; t is 0 in its lowest row."""
        words = self._words(line, 4)
        if len(words) < 2:
            raise BadInput("texture: its number and a file are needed")
        number, *level = (self._count(word, needed=True) for word in (words[0], *words[2:]))
        found = self._textures()
        if number >= len(found):
            raise BadInput(f"texture {number}: the program looks up {len(found)}")
        image = image_of(self.target.memory, found[number], *level)
        self._save(image[::-1], words[1])

    def do_tile(self, line: str) -> None:
        """`tile`: where the tile lies that is drawn. tile X Y: what the tile buffer holds of a pixel of the frame.
        tile BUFFER FILE: all of it as a picture; BUFFER is colour, z, stencil or mask.
        """
        words = self._words(line, 2)
        if not words:
            tile = self.target.gpu.renderer.tile
            shape = f"{tile.shape.width} by {tile.shape.height} pixels, {tile.shape.samples} sample{'s' * (tile.shape.samples > 1)} each"
            self.say([f"tile at pixel {tile.x} {tile.y}: {shape}"])
        elif words[0] in TILE_BUFFERS:
            if len(words) < 2:
                raise BadInput("tile: a file is needed")
            self._save(tile_image(self.target.gpu, words[0])[::-1], words[1])
        elif len(words) == 2:
            self._pixel(*(self._count(word, needed=True) for word in words))
        else:
            raise BadInput(f"{words[0]}: must be X and Y, or one of {', '.join(TILE_BUFFERS)} and a file")

    def do_lists(self, line: str) -> None:
        """`lists binning|rendering [N]`: N lines of a control list, around the record that comes next, which `=>` marks."""
        words = self._words(line, 2)
        if not words:
            raise BadInput(f"lists: one of {' and '.join(LISTS)} is needed")
        count = self._count(" ".join(words[1:]), _LINES)
        lines = list(list_lines(self.target, words[0]))
        here = next((number for number, one in enumerate(lines) if one.is_current), 0)
        first = max(here - _BEFORE, 0)
        self.say(f"{'=>' if one.is_current else '  '} {one.text}" for one in islice(lines, first, first + count))

    def do_picture(self, line: str) -> None:
        """`picture FILE`: write the picture of the frame, as far as it is in memory."""
        words = self._words(line, 1)
        if not words:
            raise BadInput("picture: a file is needed")
        capture = self.target.capture
        save(picture_of(capture, self.target.memory), Path(words[0]), top_first=is_top_first(capture))
        self.say([f"{words[0]} is written"])

    def _textures(self) -> list[BoundTexture]:
        thread = self.target.gpu.qpus[self.session.qpu].thread
        _, launch = self.target.launches.get((self.session.qpu, thread), ("", None))
        return bound_textures(self.target.memory, launch) if launch else []

    def _pixel(self, x: int, y: int) -> None:
        pixel = pixel_of(self.target.gpu, x, y)
        for sample, words in enumerate(pixel.colours):
            colour = " ".join(f"{word:08x}" for word in words)
            self.say(
                [f"sample {sample}: colour {colour}, z {pixel.z[sample]:06x}, stencil {pixel.stencil[sample]:02x}"]
            )
        self.say([f"mask {pixel.mask:02x}"])

    def _save(self, image: np.ndarray, file: str) -> None:
        try:
            Image.fromarray(np.ascontiguousarray(image)).save(file)
        except ValueError as error:
            raise BadInput(f"{file}: {error}") from None
        self.say([f"{file} is written"])
