"""The front end: which samples a primitive covers, quads, Z, early Z (guide, sections 1 and 6; pipeline facts, 4.2 to 4.6).

Quads come in rows from the lowest up, each row from the left. Pixel n of a quad is in its column n % 2, row n // 2.
"""

from dataclasses import dataclass

import numpy as np

from vc4.records.state import DepthTest, Oversample

from ..pse.pse import Z_FRACTION, Z_GAIN_FRACTION, Z_MAX, SetUp
from ..tlb.tlb import MS_SAMPLES
from .samples import CENTRE, PIXEL, positions

__all__ = ["QUAD", "Quads", "Window", "early_z", "flags_of", "rasterise", "sixteen"]

#: Pixels of a quad.
QUAD = 4
_ALL = (1 << MS_SAMPLES) - 1
#: Samples of sixteen that stand for one of four.
_QUARTERS = (0x0033, 0x00CC, 0x3300, 0xCC00)


@dataclass(frozen=True, slots=True)
class Window:
    """Pixels that may be drawn: from the first number on to the one before the second, along x and y."""

    left: int
    right: int
    low: int
    high: int

    def within(self, other: "Window") -> "Window":
        """What both have in common."""
        return Window(
            max(self.left, other.left),
            min(self.right, other.right),
            max(self.low, other.low),
            min(self.high, other.high),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Quads:
    """Quads of a primitive, each array [quad, 4].

    x, y : pixels
    covered : a bit for each sample
    z : 24 bits, at the centre of the pixel
    """

    x: np.ndarray
    y: np.ndarray
    covered: np.ndarray
    z: np.ndarray

    def chosen(self, which: np.ndarray) -> "Quads":
        """Some of them."""
        return Quads(self.x[which], self.y[which], self.covered[which], self.z[which])

    def between(self, planes: tuple[int, int]) -> "Quads":
        """Those with a pixel whose Z is within `planes`; pixels whose Z is not have no sample covered any more."""
        kept = (self.z >= planes[0]) & (self.z <= planes[1])
        if kept.all():
            return self
        found = Quads(self.x, self.y, np.where(kept, self.covered, 0), self.z)
        return found.chosen(found.covered.any(axis=1))


def _in_quads(pixels: np.ndarray) -> np.ndarray:
    """Pixels [row, column], both even in number, as [quad, 4]."""
    rows, columns = pixels.shape
    return pixels.reshape(rows // 2, 2, columns // 2, 2).transpose(0, 2, 1, 3).reshape(-1, QUAD)


def rasterise(primitive: SetUp, window: Window, oversample: Oversample) -> Quads | None:
    """The quads of a primitive within a window that have a sample covered, or `None`.

    An edge's value has 37 bits with the sign, that of a line or point two or three more.
    """
    low_x, low_y, high_x, high_y = primitive.box
    window = window.within(Window(low_x // PIXEL, high_x // PIXEL + 1, low_y // PIXEL, high_y // PIXEL + 1))
    if window.left >= window.right or window.low >= window.high:
        return None
    x = np.arange(window.left & ~1, window.right + 1 & ~1)
    y = np.arange(window.low & ~1, window.high + 1 & ~1)
    inside_x = (x >= window.left) & (x < window.right)
    inside_y = (y >= window.low) & (y < window.high)
    samples = positions(oversample)
    sample_x, sample_y = (PIXEL * pixels + samples[:, axis : axis + 1] for axis, pixels in enumerate((x, y)))
    covered = np.broadcast_to(inside_y[:, None] & inside_x, (len(samples), len(y), len(x)))
    for a, b, c in primitive.edges:
        covered = covered & ((a * sample_x)[:, None] + (b * sample_y + c)[:, :, None] >= 0)
    bits = (covered.astype(np.int64) << np.arange(len(samples))[:, None, None]).sum(0)
    quads = _in_quads(bits)
    chosen = quads.any(axis=1)
    if not chosen.any():
        return None
    found_x, found_y = (_in_quads(pixels)[chosen] for pixels in np.broadcast_arrays(x, y[:, None]))
    return Quads(found_x, found_y, quads[chosen], _z(primitive, found_x, found_y))


def _z(primitive: SetUp, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Z at the centres of pixels: a sum modulo 2^64, cut off and limited to 24 bits."""
    dx, dy = (
        PIXEL * pixels + CENTRE[axis] - at for axis, (pixels, at) in enumerate(((x, primitive.x), (y, primitive.y)))
    )
    with np.errstate(over="ignore"):
        gains = [
            np.array([gain & (1 << 64) - 1], np.uint64).view(np.int64)[0] for gain in (primitive.z_x, primitive.z_y)
        ]
        total = gains[0] * dx + gains[1] * dy
    z = (total >> Z_GAIN_FRACTION - Z_FRACTION) + primitive.z >> Z_FRACTION
    return np.clip(z, 0, Z_MAX)


def flags_of(covered: np.ndarray, oversample: Oversample, *, multisample: bool) -> np.ndarray:
    """The four flags of pixels. Without multisampling a pixel has all of them if any sample is covered.

    With it, a single sample stands for all four, and of sixteen those in a quarter of the pixel for one.
    """
    if not multisample or oversample is Oversample.NONE:
        return np.where(covered, _ALL, 0)
    if oversample is Oversample.X4:
        return covered
    quarters = [(covered & quarter != 0).astype(np.int64) << sample for sample, quarter in enumerate(_QUARTERS)]
    return np.bitwise_or.reduce(quarters)


def sixteen(covered: np.ndarray, oversample: Oversample) -> np.ndarray:
    """Sixteen samples of pixels, for coverage: a single one stands for all, one of four for those in its quarter."""
    if oversample is Oversample.NONE:
        return np.where(covered, 0xFFFF, 0)
    if oversample is Oversample.X4:
        quarters = [np.where(covered >> sample & 1, quarter, 0) for sample, quarter in enumerate(_QUARTERS)]
        return np.bitwise_or.reduce(quarters)
    return covered


def early_z(z: np.ndarray, stored: np.ndarray, test: DepthTest, *, greater: bool) -> np.ndarray:
    """Which quads may pass the Z test: Z of their pixels, and of all samples of those in the tile buffer, [quad, ...].

    The hardware knows the farthest Z of each quad, in the direction that a frame has chosen; other tests pass.
    """
    if greater and test in (DepthTest.GREATER, DepthTest.GREATER_EQUAL):
        nearest, farthest = z.max(axis=1), stored.min(axis=1)
        return nearest > farthest if test is DepthTest.GREATER else nearest >= farthest
    if not greater and test in (DepthTest.LESS, DepthTest.LESS_EQUAL):
        nearest, farthest = z.min(axis=1), stored.max(axis=1)
        return nearest < farthest if test is DepthTest.LESS else nearest <= farthest
    return np.ones(len(z), bool)
