"""Where samples lie in a pixel, in sixteenths of it from its left and lower edge, as positions of vertices are (pipeline facts, 4.2)."""

from vc4.records.state import Oversample

__all__ = ["CENTRE", "COUNTS", "FIRSTS", "PIXEL", "SAMPLES_16X", "SAMPLES_4X", "SAMPLE_X", "SAMPLE_Y", "positions"]

#: Sixteenths of a pixel.
PIXEL = 16
#: The only sample without oversampling, and where everything is interpolated.
CENTRE = (8, 8)
#: A rotated grid: each sample has a quarter of the rows and of the columns for itself.
SAMPLES_4X = ((6, 2), (14, 6), (2, 10), (10, 14))
#: One sample in each of the sixteen squares, and each has its row and its column for itself. Number 4 r + c is in row r.
SAMPLES_16X = tuple((4 * column + row, 4 * row + 3 - column) for row in range(4) for column in range(4))

_MODES = (Oversample.NONE, (CENTRE,)), (Oversample.X4, SAMPLES_4X), (Oversample.X16, SAMPLES_16X)
#: Samples of all modes, in the order of their codes; where each mode has its first one, and how many it has.
SAMPLE_X = tuple(x for _, places in _MODES for x, _ in places)
SAMPLE_Y = tuple(y for _, places in _MODES for _, y in places)
COUNTS = tuple(len(places) for _, places in _MODES)
FIRSTS = tuple(sum(COUNTS[:number]) for number in range(len(COUNTS)))


def positions(mode: Oversample) -> tuple[tuple[int, int], ...]:
    """The samples of a pixel: x and y of each."""
    return dict(_MODES)[mode]
