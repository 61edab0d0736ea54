"""The front end: which samples a primitive covers, quads, Z, early Z (guide, sections 1 and 6; pipeline facts, 4.2 to 4.6).

Quads come in rows from the lowest up, each row from the left. Pixel n of a quad is in its column n % 2, row n // 2.
"""

from typing import NamedTuple

import numpy as np

from vc4.records.samples import CENTRE, PIXEL
from vc4.records.state import CoverageUpdate, DepthTest, Oversample

from ..compiled import Buffers, Entry, kernel
from ..pse.pse import Z_FRACTION, Z_GAIN_FRACTION, Z_MAX, PrimitiveState, SetUp
from ..tlb.compare import GREATER, passes
from ..tlb.tlb import MS_SAMPLES, SAMPLES, TileBuffer, TileState, accumulate, pixel_of
from .samples import COUNTS, FIRSTS, SAMPLE_X, SAMPLE_Y

__all__ = [
    "COVERED",
    "QUAD",
    "QUAD_NUMBERS",
    "QUAD_X",
    "QUAD_Y",
    "QUAD_Z",
    "ZS",
    "FrontEnd",
    "Limits",
    "Quads",
    "Window",
    "early_test",
    "flags_of",
    "sixteen",
]

#: Pixels of a quad.
QUAD = 4
#: Numbers of a quad: x and y of pixel 0; of each pixel a bit for each sample that is covered; Z, 24 bits, at its centre.
QUAD_X, QUAD_Y, COVERED = range(3)
QUAD_Z = COVERED + QUAD
QUAD_NUMBERS = QUAD_Z + QUAD
#: The range of Z.
ZS = (0, Z_MAX)
_ALL = (1 << MS_SAMPLES) - 1
#: Samples of sixteen that stand for one of four.
_QUARTERS = (0x0033, 0x00CC, 0x3300, 0xCC00)
_NONE, _X4 = Oversample.NONE.value, Oversample.X4.value
_CENTRE_X, _CENTRE_Y = CENTRE
#: Pixels of the largest tile in each direction, and its quads.
_MOST_PIXELS = 64
_MOST = _MOST_PIXELS**2 // QUAD
_SIDE = 2 * PIXEL
_WORD, _SIGN = 0xFFFF_FFFF, 1 << 31
_HALF = 16
#: Numbers of `PrimitiveState.place`.
_LEFT, _LOW, _RIGHT, _HIGH, _X, _Y, _, _Z, _Z_X_HIGH, _Z_X_LOW, _Z_Y_HIGH, _Z_Y_LOW = range(12)
assert Z_GAIN_FRACTION - Z_FRACTION == _HALF


class Window(NamedTuple):
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


class Limits(NamedTuple):
    """What quads are kept: those with a pixel whose Z is within `planes`, and that pass the early test (see `early_test`)."""

    planes: tuple[int, int] = ZS
    early: int = 0


class Quads(NamedTuple):
    """How many quads of a primitive there are: with a sample covered, between the planes, after the early test."""

    found: int = 0
    between: int = 0
    kept: int = 0


@kernel
def _covered(edges, count: int, x: int, y: int, oversample: int) -> int:
    """The samples of a pixel that are inside of all edges."""
    bits, first = 0, FIRSTS[oversample]
    for sample in range(COUNTS[oversample]):
        sample_x, sample_y = PIXEL * x + SAMPLE_X[first + sample], PIXEL * y + SAMPLE_Y[first + sample]
        inside = True
        for edge in range(0, count, 3):
            if edges[edge] * sample_x + edges[edge + 1] * sample_y + edges[edge + 2] < 0:
                inside = False
        if inside:
            bits |= 1 << sample
    return bits


@kernel
def _side(edges, count: int, x: int, y: int) -> int:
    """Where a whole quad is: 1 inside of all edges, -1 outside of one, 0 if that is not clear."""
    side = 1
    for edge in range(0, count, 3):
        a, b = edges[edge], edges[edge + 1]
        value = a * PIXEL * x + b * PIXEL * y + edges[edge + 2]
        if value + _SIDE * (max(a, 0) + max(b, 0)) < 0:
            return -1
        if value + _SIDE * (min(a, 0) + min(b, 0)) < 0:
            side = 0
    return side


@kernel
def _z(place, x: int, y: int) -> int:
    """Z at the centre of a pixel: a sum modulo 2^64, cut off and limited to 24 bits."""
    dx, dy = PIXEL * x + _CENTRE_X - place[_X], PIXEL * y + _CENTRE_Y - place[_Y]
    low = place[_Z_X_LOW] * dx + place[_Z_Y_LOW] * dy
    high = place[_Z_X_HIGH] * dx + place[_Z_Y_HIGH] * dy + (low >> 32)
    high = (high + _SIGN & _WORD) - _SIGN
    total = (high << 32 - _HALF) + ((low & _WORD) >> _HALF)
    return min(max(total + place[_Z] >> Z_FRACTION, 0), Z_MAX)


@kernel
def _early_z(quads: np.ndarray, quad: int, zs: np.ndarray, about: np.ndarray, test: int) -> bool:
    """Whether a quad may pass the Z test: the nearest Z of its pixels, against the farthest in the tile buffer."""
    sign, samples = -1 if test & GREATER else 1, about[SAMPLES]
    nearest, farthest = Z_MAX, -Z_MAX
    for pixel in range(QUAD):
        nearest = min(nearest, sign * quads[quad, QUAD_Z + pixel])
        place = pixel_of(about, quads[quad, QUAD_X] + pixel % 2, quads[quad, QUAD_Y] + pixel // 2) * samples
        for sample in range(place, place + samples):
            farthest = max(farthest, sign * (zs[sample] >> 8))
    return passes(test, sign * nearest, sign * farthest)


@kernel
def _cover(edges: np.ndarray, quads: np.ndarray, quad: int, window: np.ndarray, oversample: int) -> bool:
    """Fill in what edges leave of a quad, within the window; returns whether that is anything."""
    count, any_covered = len(edges), 0
    x, y = quads[quad, QUAD_X], quads[quad, QUAD_Y]
    side = _side(edges, count, x, y)
    if side < 0:
        return False
    for pixel in range(QUAD):
        column, row, covered = x + pixel % 2, y + pixel // 2, 0
        if window[0] <= column < window[1] and window[2] <= row < window[3]:
            whole = (1 << COUNTS[oversample]) - 1
            covered = whole if side else _covered(edges, count, column, row, oversample)
        quads[quad, COVERED + pixel] = covered
        any_covered |= covered
    return any_covered != 0


@kernel
def _between(quads: np.ndarray, quad: int, nearest: int, farthest: int) -> bool:
    """Whether a quad has a pixel between the planes; pixels whose Z is not have no sample covered any more."""
    any_covered = 0
    for pixel in range(QUAD):
        if not nearest <= quads[quad, QUAD_Z + pixel] <= farthest:
            quads[quad, COVERED + pixel] = 0
        any_covered |= quads[quad, COVERED + pixel]
    return any_covered != 0


@kernel
def _rasterise(
    primitive: PrimitiveState,
    quads: np.ndarray,
    tile: TileState,
    window: np.ndarray,
    oversample: int,
    nearest: int,
    farthest: int,
    early: int,
) -> tuple[int, int, int]:
    """The quads of a primitive in a window; returns the numbers of `Quads`."""
    edges, place = primitive.edges, primitive.place
    window[0] = max(window[0], place[_LEFT] // PIXEL)
    window[1] = min(window[1], place[_RIGHT] // PIXEL + 1)
    window[2] = max(window[2], place[_LOW] // PIXEL)
    window[3] = min(window[3], place[_HIGH] // PIXEL + 1)
    found, between, kept = 0, 0, 0
    for y in range(window[2] - window[2] % 2, window[3], 2):
        for x in range(window[0] - window[0] % 2, window[1], 2):
            quads[kept, QUAD_X] = x
            quads[kept, QUAD_Y] = y
            if _cover(edges, quads, kept, window, oversample):
                found += 1
                for pixel in range(QUAD):
                    quads[kept, QUAD_Z + pixel] = _z(place, x + pixel % 2, y + pixel // 2)
                if _between(quads, kept, nearest, farthest):
                    between += 1
                    if early == 0 or _early_z(quads, kept, tile.zs, tile.about, early):
                        kept += 1
    return found, between, kept


@kernel
def flags_of(covered: int, oversample: int, multisample: bool) -> int:
    """The four flags of a pixel. Without multisampling it has all of them if any sample is covered.

    With it, a single sample stands for all four, and of sixteen those in a quarter of the pixel for one.
    """
    if not multisample or oversample == _NONE:
        return _ALL if covered else 0
    if oversample == _X4:
        return covered
    flags = 0
    for sample in range(MS_SAMPLES):
        flags |= 1 << sample if covered & _QUARTERS[sample] else 0
    return flags


@kernel
def sixteen(covered: int, oversample: int) -> int:
    """Sixteen samples of a pixel, for coverage: a single one stands for all, one of four for those in its quarter."""
    if oversample == _NONE:
        return 0xFFFF if covered else 0
    if oversample != _X4:
        return covered
    flags = 0
    for sample in range(MS_SAMPLES):
        flags |= _QUARTERS[sample] if covered >> sample & 1 else 0
    return flags


@kernel
def _accumulate(quads: np.ndarray, tile: TileState, count: int, oversample: int, mode: int, turns: int) -> None:
    """Coverage of the pixels of quads."""
    for quad in range(count):
        for pixel in range(QUAD):
            x, y = quads[quad, QUAD_X] + pixel % 2, quads[quad, QUAD_Y] + pixel // 2
            accumulate(tile, x, y, mode, turns, sixteen(quads[quad, COVERED + pixel], oversample))


_rasterise_window = Entry(_rasterise)
_accumulate_quads = Entry(_accumulate)


def early_test(test: DepthTest, *, greater: bool) -> int:
    """The early test that goes with a Z test, its code; 0: there is none.

    The hardware knows the farthest Z of each quad, in the direction that a frame has chosen; with other tests all pass.
    """
    directed = (DepthTest.GREATER, DepthTest.GREATER_EQUAL) if greater else (DepthTest.LESS, DepthTest.LESS_EQUAL)
    return test.value if test in directed else 0


class FrontEnd:
    """Makes quads of primitives, one primitive at a time.

    quads : of the last primitive, with those first that are kept: [quad, number]
    """

    def __init__(self, tile: TileBuffer):
        self.quads = Buffers(np.zeros((_MOST + 1, QUAD_NUMBERS), np.int64))
        self._tile = tile.state

    def rasterise(
        self,
        primitive: SetUp,
        window: Window,
        oversample: Oversample,
        limits: Limits = Limits(),
    ) -> Quads:
        """The quads of a primitive in a window, which is no larger than a tile.

        An edge's value has 37 bits with the sign, that of a line or point two or three more.
        """
        assert max(window.right - (window.left & ~1), window.high - (window.low & ~1)) <= _MOST_PIXELS
        edges = Buffers(np.array([window.left, window.right, window.low, window.high], np.int64))
        codes = oversample.value, *limits.planes, limits.early
        return Quads(*_rasterise_window(primitive.state, self.quads, self._tile, edges, *codes))

    def accumulate(self, quads: Quads, oversample: Oversample, mode: CoverageUpdate, turns: int) -> None:
        """Coverage of the pixels in the tile that the last primitive covers; see `cap.updated`."""
        _accumulate_quads(self.quads, self._tile, quads.kept, oversample.value, mode.value, turns)
