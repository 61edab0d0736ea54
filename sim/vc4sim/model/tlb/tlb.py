"""The tile buffer: colour, Z, stencil and alpha mask of the tile that is drawn (guide, section 5; pipeline facts, 5).

Arrays are [row, column, sample] of the tile; a colour has one word, red lowest, or two: red and green, blue and alpha.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from vc4.records.state import DepthTest

from ..cap import cap
from .compare import passes
from .stencil import StencilFace, StencilMode

__all__ = ["MS_SAMPLES", "ClearValues", "TileBuffer", "TileShape"]

MS_SAMPLES = 4
#: Pixels of a tile in each direction, without and with multisampling.
_WIDTH, _MS_WIDTH = 64, 32
_ALL_SAMPLES = (1 << MS_SAMPLES) - 1
Z_MASK = (1 << 24) - 1


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


@dataclass
class TileBuffer:
    """The buffers, and what fragments do to them.

    x, y : of the tile's first pixel in the frame
    counts : quads, by what has become of them
    """

    shape: TileShape = field(default_factory=TileShape)
    x: int = 0
    y: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.configure(self.shape)

    def configure(self, shape: TileShape) -> None:
        """A frame begins. What the buffers hold stays, unless they are divided differently: then it is 0."""
        if shape == self.shape and hasattr(self, "z"):
            return
        self.shape = shape
        size = (shape.height, shape.width, shape.samples)
        self.colour = np.zeros((*size, shape.words), np.uint32)
        self.z = np.zeros(size, np.int64)
        self.stencil = np.zeros(size, np.int64)
        self.mask = np.zeros(size[:2], np.int64)

    def copy(self) -> "TileBuffer":
        """The same tile once more."""
        other = TileBuffer(self.shape, self.x, self.y, self.counts.copy())
        other.restore(self)
        return other

    def restore(self, other: "TileBuffer") -> None:
        """Hold what `other` holds, which has the same shape."""
        self.colour, self.z = other.colour.copy(), other.z.copy()
        self.stencil, self.mask = other.stencil.copy(), other.mask.copy()
        self.counts = other.counts.copy()

    def clear(self, values: ClearValues, *, colour: bool = True, zs: bool = True, mask: bool = True) -> None:
        """Clear some of the buffers."""
        if colour and self.shape.words == 2:
            self.colour[...] = np.array(values.colours, np.uint32)
        elif colour:
            self.colour[:, 0::2] = np.uint32(values.colours[0])
            self.colour[:, 1::2] = np.uint32(values.colours[1])
        if zs:
            self.z[...] = values.z
            self.stencil[...] = values.stencil
        if mask:
            self.mask[...] = values.mask

    def _place(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y - self.y, x - self.x

    def load_colour(self, x: np.ndarray, y: np.ndarray, sample: int, word: int) -> np.ndarray:
        """A word of a sample of pixels."""
        row, column = self._place(x, y)
        return self.colour[row, column, sample % self.shape.samples, word % self.shape.words]

    def write_colour(
        self, x: np.ndarray, y: np.ndarray, flags: np.ndarray, samples: range, word: int, value: np.ndarray
    ) -> None:
        """Write a word of some samples of pixels, each where the flags of its pixel say so."""
        row, column = self._place(x, y)
        value = np.broadcast_to(value, x.shape)
        for sample in samples:
            chosen = flags >> sample & 1 != 0
            self.colour[row[chosen], column[chosen], sample, word % self.shape.words] = value[chosen]
        if word % self.shape.words == 0 and samples.start == 0:
            self.counts["TLB_QUADS_WRITTEN"] += quads_with(flags != 0)

    def load_mask(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The alpha mask of pixels."""
        return self.mask[self._place(x, y)]

    def write_mask(self, x: np.ndarray, y: np.ndarray, flags: np.ndarray, value: np.ndarray) -> None:
        """Write the alpha mask, the low byte, of pixels with any flag."""
        row, column = self._place(x, y)
        chosen = flags != 0
        self.mask[row[chosen], column[chosen]] = np.broadcast_to(value, x.shape)[chosen] & 0xFF

    def load_coverage(
        self, x: np.ndarray, y: np.ndarray, flags: np.ndarray, *, clear: bool, updating: bool = False
    ) -> np.ndarray:
        """Coverage of pixels, 32 bits each; `clear` clears that of pixels with any flag. `updating`: not for a shader."""
        row, column = self._place(x, y)
        word = self.z[row, column, 0] << 8 | self.stencil[row, column, 0]
        chosen = flags != 0
        if clear:
            self.z[row[chosen], column[chosen], 0] = 0
            self.stencil[row[chosen], column[chosen], 0] = 0
        if not updating:
            self.counts["TLB_QUADS_COVERED"] += quads_with(chosen & (word != 0))
            self.counts["TLB_QUADS_UNCOVERED"] += quads_with(chosen) - quads_with(chosen & (word != 0))
        return word

    def accumulate(self, x: np.ndarray, y: np.ndarray, update: cap.Update, covered: np.ndarray) -> None:
        """Coverage of pixels after a primitive has covered samples of them, sixteen flags each."""
        word = cap.updated(self.load_coverage(x, y, covered, clear=False, updating=True), update, covered)
        row, column = self._place(x, y)
        self.z[row, column, 0] = word >> 8
        self.stencil[row, column, 0] = word & 0xFF

    def test(
        self,
        x: np.ndarray,
        y: np.ndarray,
        flags: np.ndarray,
        reverse: np.ndarray,
        z: np.ndarray,
        depth: DepthTest,
        *,
        updates: bool,
        stencil: StencilMode,
    ) -> np.ndarray:
        """Stencil and Z test of samples that have a flag; returns the flags of those that pass both, and updates buffers.

        Without multisampling there is one sample, with flag 0, and a pixel that passes has all flags.
        """
        row, column = self._place(x, y)
        z = np.broadcast_to(z, x.shape).astype(np.int64) & Z_MASK
        passed, held = np.zeros(x.shape, np.int64), np.zeros(x.shape, bool)
        for sample in range(self.shape.samples):
            for face, seen in ((stencil.front, ~reverse), (stencil.back, reverse)):
                chosen = (flags >> sample & 1 != 0) & seen
                if chosen.any():
                    place = (row[chosen], column[chosen], sample)
                    both, first = self._test(place, z[chosen], depth, updates, face)
                    passed[chosen] |= both.astype(np.int64) << sample
                    held[chosen] |= first
        tried, through = quads_with(flags != 0), quads_with(passed != 0)
        self.counts["TLB_QUADS_STENCIL_FAILED"] += tried - quads_with(held)
        self.counts["TLB_QUADS_Z_FAILED"] += tried - through
        self.counts["TLB_QUADS_Z_PASSED"] += through
        return passed if self.shape.multisample else np.where(passed, _ALL_SAMPLES, 0)

    def _test(
        self,
        place: tuple[np.ndarray, np.ndarray, int],
        z: np.ndarray,
        depth: DepthTest,
        updates: bool,
        face: StencilFace,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where one sample of pixels passes both tests, and where that of stencil."""
        nearer = passes(depth, z, self.z[place])
        passed, holds = nearer, np.ones_like(nearer)
        if face.enabled:
            old = self.stencil[place]
            holds = face.passes(old)
            self.stencil[place] = face.updated(old, holds, nearer)
            passed = nearer & holds
        if updates:
            self.z[place] = np.where(passed, z, self.z[place])
        return passed, holds


def quads_with(pixels: np.ndarray) -> int:
    """How many quads have such a pixel; the four pixels of a quad follow each other."""
    return int(pixels.reshape(-1, 4).any(axis=1).sum())
