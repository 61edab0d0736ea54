"""Streams whose ends know nothing of each other in the same clock."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Slack"]


class Slack(wiring.Component):
    """Takes items whether or not the one after it is ready: `ready` comes from a register.

    Behaviour: at the full rate an item passes in the same clock, or is kept if it cannot go on, and nothing is taken then. Otherwise
    it is in a register for a clock at least, and an item every two clocks passes: that needs no multiplexer.

    Parameters
    ----------
    shape : shape of an item
    full_rate : an item can pass every clock

    Interface attributes
    --------------------
    i, o : streams of items
    """

    def __init__(self, shape, *, full_rate: bool):
        self._full_rate = full_rate
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        held = Signal()
        kept = Signal(Value.cast(self.i.payload).shape())
        taken, given = Value.cast(self.i.payload), Value.cast(self.o.payload)
        m.d.comb += self.i.ready.eq(~held)
        if self._full_rate:
            m.d.comb += [self.o.valid.eq(self.i.valid | held), given.eq(Mux(held, kept, taken))]
            m.d.sync += held.eq(self.o.valid & ~self.o.ready)
        else:
            m.d.comb += [self.o.valid.eq(held), given.eq(kept)]
            m.d.sync += held.eq(Mux(held, ~self.o.ready, self.i.valid))
        with m.If(~held):
            m.d.sync += kept.eq(taken)
        return m
