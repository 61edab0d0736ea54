"""The rows that a shader of vertices writes."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.vpm import VpmSize

from .allocation import RESERVATION_ROWS
from .port import QUAD_WORDS
from .structs import ROW_WORDS
from .vectors import VectorWrite
from .window import ShaderWindow

__all__ = ["ResultRows"]

_LAST_QUAD = ROW_WORDS // QUAD_WORDS - 1


class ResultRows(wiring.Component):
    """Sees to it that what a shader of vertices does not write of its results is 0, and not what was there before
    (docs/reference/rendering.md).

    Behaviour: whole rows that come in their order pass without delay. Rows in front of one become 0 first, a quad a clock; and
    all that are left do before anything else passes, and when the program is over.

    Interface attributes
    --------------------
    window : what the program reaches
    i : stream of `VectorWrite`, whose rows count from the beginning of the window
    o : the same, and zeros
    filled : all rows have been written
    """

    window: In(ShaderWindow)
    i: In(stream.Signature(VectorWrite))
    o: Out(stream.Signature(VectorWrite))
    filled: Out(1)

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(RESERVATION_ROWS << len(self.window.results.count)))
        row = Signal.like(count)  # the first one that was not written
        quad = Signal(range(_LAST_QUAD + 1))  # of this one
        address, form = self.i.payload.address, self.i.payload.form
        is_next = Signal()
        clears = Signal()
        m.d.comb += [
            count.eq(Mux(self.window.shades, self.window.results.count * RESERVATION_ROWS, 0)),
            self.filled.eq(row == count),
            is_next.eq(~address.vertical & (form.size == VpmSize.WORD) & (address.row == row)),
            # Whether there is an item at all comes later, and nobody needs it for this.
            clears.eq(~self.filled & (self.window.over | ~is_next)),
            self.o.payload.eq(self.i.payload),
            self.o.valid.eq(self.i.valid | (~self.filled & self.window.over)),
            self.i.ready.eq(self.o.ready & ~clears),
        ]
        with m.If(clears):
            m.d.comb += [
                self.o.payload.address.eq(Cat(Const(0, 2), quad, row[: len(address.row)])),
                self.o.payload.form.size.eq(VpmSize.WORD),
                self.o.payload.zeros.eq(1),
            ]
        with m.If(~self.window.shades):
            m.d.sync += [row.eq(0), quad.eq(0)]
        with m.Elif(self.o.valid & self.o.ready & ~self.filled):
            m.d.sync += quad.eq(quad + 1)
            with m.If(quad == _LAST_QUAD):
                m.d.sync += row.eq(row + 1)
        return m
