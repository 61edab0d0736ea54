"""Where a frame is drawn: names for quads and for bytes of memory."""

from typing import NamedTuple

import numpy as np

from vc4.records.tile_buffer import MemoryFormat
from vc4.records.tile_buffer import TileBuffer as Part

from ..model.cle.primitives import Primitive
from ..model.fep.fep import QUAD, QUAD_NUMBERS, QUAD_X, QUAD_Y
from ..model.memory import Memory
from ..model.tlb.surfaces import Rectangle, Surface
from ..model.tlb.tile_images import ColourForm, image_of
from ..model.tlb.tile_transfers import TileTransfers
from ..model.tlb.tlb import TileBuffer

__all__ = ["DrawnPrimitive", "DrawnQuads", "NotedTransfers", "StoredImage"]

_NAMES = {Part.COLOR: "colours", Part.Z_STENCIL: "Z and stencil", Part.Z_ONLY: "Z", Part.VG_MASK: "the alpha mask"}


class DrawnPrimitive(NamedTuple):
    """A primitive of a tile.

    tile : column and row
    number : of the tile's primitives, 0 is the first one
    """

    tile: tuple[int, int]
    number: int
    primitive: Primitive

    def __str__(self) -> str:
        kind, vertices = self.primitive.type.name.lower().removesuffix("s"), self.primitive.vertices
        if self.primitive.coordinates:
            places = (((word & 0xFFFF ^ 0x8000) - 0x8000, (word >> 16 ^ 0x8000) - 0x8000) for word in vertices)
            of = " ".join(f"({x / 16:g},{y / 16:g})" for x, y in places)
        else:
            of = f"of vertices {' '.join(map(str, vertices))}"
        return f"primitive {self.number} of tile {self.tile[0]},{self.tile[1]}, a {kind} {of}"


class DrawnQuads(NamedTuple):
    """Quads of vectors that are shaded one after the other.

    quads : x and y of the first pixel of each, and which primitive of `names` it is of
    names : the primitives
    """

    quads: np.ndarray
    names: tuple[DrawnPrimitive, ...]

    @classmethod
    def of(cls, quads: np.ndarray, names: tuple[DrawnPrimitive, ...]) -> "DrawnQuads":
        """Those of `QueueState.quads`."""
        return cls(quads[:, [QUAD_X, QUAD_Y, QUAD_NUMBERS]].astype(np.int32), names)

    def at(self, number: int) -> str:
        """The text of one."""
        x, y, primitive = self.quads[number].tolist()
        return f"the quad at ({x},{y}) of {self.names[primitive]}"

    def element(self, first: int, end: int, element: int) -> str:
        """What an element of the vector with these quads is."""
        number = min(first + element // QUAD, end - 1)
        x, y, _ = self.quads[number].tolist()
        pixel = element % QUAD
        unused = "" if element // QUAD < end - first else ", which is not covered"
        return f"element {element}: pixel ({x + pixel % 2},{y + pixel // 2}) of {self.at(number)}{unused}"

    def last_at(self, x: int, y: int) -> str:
        """Of the last quad with that pixel, or nothing."""
        found = np.flatnonzero((self.quads[:, 0] == x & ~1) & (self.quads[:, 1] == y & ~1))
        return self.at(int(found[-1])) if len(found) else ""


class StoredImage(NamedTuple):
    """A part of a tile that was stored.

    where : pixels of the image; it lies in this memory
    """

    tile: tuple[int, int]
    part: Part
    surface: Surface
    where: Rectangle

    def pixel(self, address: int) -> tuple[int, int] | None:
        """That of a byte in memory, if it is one of these."""
        found = np.flatnonzero((address - self.surface.addresses(self.where)) // self.surface.pixel_bytes == 0)
        if not len(found):
            return None
        row, column = divmod(int(found[0]), self.where.columns)
        return self.where.x + column, self.where.y + row

    def __str__(self) -> str:
        return f"{_NAMES[self.part]} at {self.surface.address:#010x}"


class NotedTransfers(TileTransfers):
    """Notes what is stored.

    images : in their order
    """

    def __init__(self, memory: Memory, tile: TileBuffer):
        super().__init__(memory, tile)
        self.images: list[StoredImage] = []

    def store_image(self, part: Part, address: int, format_: MemoryFormat, form: ColourForm) -> None:
        """See `TileTransfers`."""
        surface, where = image_of(self.tile, part, self.size, address, format_, form)
        self.images.append(StoredImage((self.column, self.row), part, surface, where))
        super().store_image(part, address, format_, form)

    def place_of(self, address: int) -> tuple[StoredImage, tuple[int, int]] | None:
        """The last one with a byte, and the pixel."""
        for image in reversed(self.images):
            pixel = image.pixel(address)
            if pixel:
                return image, pixel
        return None
