"""Where a screen is."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from .mode import VideoMode

__all__ = ["DviTiming"]


class DviTiming(wiring.Component):
    """Goes through the pixels of a frame, one a clock, row by row from the top, with those that do not show after the others; it
    begins after the last row that shows.

    Parameters
    ----------
    mode : of the screen

    Interface attributes
    --------------------
    column, row : the place
    shown : it is one that shows
    hsync, vsync : levels of the signals of synchronisation
    row_ends : the first place of a row that does not show
    next_row : the row after this one, or the first one
    """

    def __init__(self, mode: VideoMode):
        self._mode = mode
        super().__init__(
            {
                "column": Out(range(mode.columns.total)),
                "row": Out(range(mode.rows.total), init=mode.rows.shown),
                **{name: Out(1) for name in ("shown", "hsync", "vsync", "row_ends")},
                "next_row": Out(range(mode.rows.total)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        columns, rows = self._mode.columns, self._mode.rows
        line_ends = Signal()
        m.d.comb += [
            line_ends.eq(self.column == columns.total - 1),
            self.next_row.eq(Mux(self.row == rows.total - 1, 0, self.row + 1)),
            self.shown.eq((self.column < columns.shown) & (self.row < rows.shown)),
            self.row_ends.eq(self.column == columns.shown),
            self.hsync.eq(self._level(self.column, columns)),
            self.vsync.eq(self._level(self.row, rows)),
        ]
        m.d.pixel += self.column.eq(Mux(line_ends, 0, self.column + 1))
        with m.If(line_ends):
            m.d.pixel += self.row.eq(self.next_row)
        return m

    def _level(self, place, axis):
        first = axis.shown + axis.front
        pulse = (place >= first) & (place < first + axis.pulse)
        return pulse if self._mode.pulse_level else ~pulse
