"""The tile buffer: colour, Z, stencil and alpha mask of the tile that is drawn (guide, section 5; pipeline facts, 5).

A colour has one word, red lowest, or two: red and green, blue and alpha.
"""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..cap.cap import updated
from ..compiled import Buffers, State, kernel

__all__ = [
    "COUNTS",
    "MS_SAMPLES",
    "SAMPLES",
    "WIDTH",
    "WORDS",
    "ClearValues",
    "TileBuffer",
    "TileShape",
    "TileState",
    "accumulate",
    "new_tile",
    "pixel_of",
]

MS_SAMPLES = 4
#: Pixels of a tile in each direction, without and with multisampling.
_WIDTH, _MS_WIDTH = 64, 32
#: Words of the largest buffer: that of colours, whatever the shape.
_WORDS = _WIDTH * _WIDTH
#: Indices of `TileState.about`.
WIDTH, SAMPLES, WORDS, _X, _Y, COUNTS = range(6)
_NAMES = (
    "TLB_QUADS_WRITTEN",
    "TLB_QUADS_COVERED",
    "TLB_QUADS_UNCOVERED",
    "TLB_QUADS_STENCIL_FAILED",
    "TLB_QUADS_Z_FAILED",
    "TLB_QUADS_Z_PASSED",
)


class TileState(NamedTuple):
    """What kernels see of the tile buffer. Sample s of pixel n, see `pixel_of`, has number n * samples + s.

    colour : by sample, then word
    zs : by sample, Z in bits 31 to 8, stencil in 7 to 0; or coverage of pixels, in the first sample of each
    mask : by pixel
    about : pixels of a row, samples of a pixel, words of a colour; x and y of the first pixel in the frame; from `COUNTS` on,
        quads by what has become of them
    """

    colour: np.ndarray
    zs: np.ndarray
    mask: np.ndarray
    about: np.ndarray


def new_tile() -> TileState:
    """One with 0 everywhere."""
    colour, zs, mask = np.zeros((3, _WORDS), np.int64)
    return TileState(colour, zs, mask, np.zeros(COUNTS + len(_NAMES), np.int64))


@kernel
def pixel_of(about: np.ndarray, x: int, y: int) -> int:
    """The number of a pixel of the frame in the tile: row after row."""
    return (y - about[_Y]) * about[WIDTH] + x - about[_X]


@kernel
def accumulate(tile: TileState, x: int, y: int, mode: int, turns: int, covered: int) -> None:
    """Coverage of a pixel after a primitive has covered samples of it, sixteen flags; see `cap.updated`."""
    place = pixel_of(tile.about, x, y) * tile.about[SAMPLES]
    tile.zs[place] = updated(tile.zs[place], mode, turns, covered)


@dataclass(frozen=True, slots=True)
class TileShape:
    """How the tile buffer is divided.

    multisample : four samples a pixel
    words : of a colour; with two of them a tile has half the rows
    double : there are two buffers, one is stored while the other is drawn: without multisampling half the rows
    """

    multisample: bool = False
    words: int = 1
    double: bool = False

    @property
    def samples(self) -> int:
        """Of a pixel."""
        return MS_SAMPLES if self.multisample else 1

    @property
    def width(self) -> int:
        """Pixels of a row."""
        return _MS_WIDTH if self.multisample else _WIDTH

    @property
    def height(self) -> int:
        """Rows."""
        return self.width // self.words >> (self.double and not self.multisample)


@dataclass(frozen=True, slots=True)
class ClearValues:
    """What buffers are cleared to: colours of even and odd pixels, or both words of one; Z, stencil, alpha mask."""

    colours: tuple[int, int] = (0, 0)
    z: int = 0
    stencil: int = 0
    mask: int = 0


class TileBuffer:
    """The buffers of a shape, for Python: those of `state`, or of its own.

    state : for kernels
    colour : [row, column, sample, word]
    zs : Z in bits 31 to 8, stencil in 7 to 0: [row, column, sample]
    mask : [row, column]
    """

    def __init__(self, shape: TileShape | None = None, x: int = 0, y: int = 0, state: Buffers[TileState] | None = None):
        self.state = state or State(new_tile())
        self._divide(shape or TileShape())
        self.move(x, y)

    def _divide(self, shape: TileShape) -> None:
        self.shape = shape
        tile, size = self.state.arrays, (shape.height, shape.width)
        tile.about[: WORDS + 1] = shape.width, shape.samples, shape.words
        samples = shape.height * shape.width * shape.samples
        self.colour = tile.colour[: samples * shape.words].reshape(*size, shape.samples, shape.words)
        self.zs = tile.zs[:samples].reshape(*size, shape.samples)
        self.mask = tile.mask[: shape.height * shape.width].reshape(size)

    def configure(self, shape: TileShape) -> None:
        """A frame begins. What the buffers hold stays, unless they are divided differently: then it is 0."""
        if shape != self.shape:
            self._divide(shape)
            self.clear(ClearValues())

    def move(self, x: int, y: int) -> None:
        """A tile begins: its first pixel in the frame."""
        self.state.arrays.about[_X:COUNTS] = x, y

    @property
    def x(self) -> int:
        """Of the first pixel."""
        return int(self.state.views.about[_X])

    @property
    def y(self) -> int:
        """Of the first pixel."""
        return int(self.state.views.about[_Y])

    @property
    def counts(self) -> Counter[str]:
        """Quads, by what has become of them."""
        return Counter(dict(zip(_NAMES, self.state.arrays.about[COUNTS:].tolist(), strict=True)))

    def clear(self, values: ClearValues, *, colour: bool = True, zs: bool = True, mask: bool = True) -> None:
        """Clear some of the buffers."""
        if colour and self.shape.words == 2:
            self.colour[...] = values.colours
        elif colour:
            self.colour[:, 0::2] = values.colours[0]
            self.colour[:, 1::2] = values.colours[1]
        if zs:
            self.zs[...] = values.z << 8 | values.stencil
        if mask:
            self.mask[...] = values.mask
