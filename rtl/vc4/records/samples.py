"""Where samples lie in a pixel, in sixteenths of it from its left and lower edge, as positions of vertices are (pipeline facts, 4.2)."""

from .state import Oversample

__all__ = ["CENTRE", "PIXEL", "SAMPLES"]

#: Sixteenths of a pixel.
PIXEL = 16
#: The only sample without oversampling, and where everything is interpolated.
CENTRE = (8, 8)
SAMPLES = {
    Oversample.NONE: (CENTRE,),
    # A rotated grid: each sample has a quarter of the rows and of the columns for itself.
    Oversample.X4: ((6, 2), (14, 6), (2, 10), (10, 14)),
    # One in each of the sixteen squares, and each has its row and its column for itself. Number 4 r + c is in row r.
    Oversample.X16: tuple((4 * column + row, 4 * row + 3 - column) for row in range(4) for column in range(4)),
}
