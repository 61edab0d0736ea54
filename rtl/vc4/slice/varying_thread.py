"""How far the varyings of a thread are."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.fep.structs import PlaneSlot

from .varying_structs import HELD

__all__ = ["VaryingThread"]

_COUNT = Shape.cast(PlaneSlot.as_shape()["count"].shape)


class VaryingThread(wiring.Component):
    """Counts the varyings of a vector: those that are begun, kept, taken.

    Interface attributes
    --------------------
    begins, count : strobe: there is a vector, with so many varyings
    ended : strobe: there is none
    ready : a varying can begin: `number`, to be kept in place `held`
    loads : strobe: it does
    completes : strobe: the next one of these is kept
    there : a varying can be taken, or zeros after the last one
    takes_first, takes_last : strobes: its first quad is taken, its last one
    kept : where it is
    zero : from the clock of `takes_first` on: it is behind the last one
    """

    begins: In(1)
    count: In(_COUNT)
    ended: In(1)
    ready: Out(1)
    number: Out(_COUNT)
    held: Out(range(HELD))
    loads: In(1)
    completes: In(1)
    there: Out(1)
    takes_first: In(1)
    takes_last: In(1)
    kept: Out(range(HELD))
    zero: Out(1)

    def elaborate(self, platform):
        m = Module()
        here = Signal()  # a vector
        count = Signal.like(self.count)
        taken = Signal.like(self.count)
        places = Signal(range(HELD + 1))  # that are not free
        complete = Signal(range(HELD + 1))
        is_over = Signal()
        was_over = Signal()
        m.d.comb += [
            is_over.eq(taken == count),
            self.zero.eq(Mux(self.takes_first, is_over, was_over)),
            self.ready.eq(here & (self.number != count) & (places != HELD)),
            self.there.eq(here & (is_over | (complete != 0))),
        ]
        frees = self.takes_last & ~self.zero
        begun = self.takes_first & ~self.zero
        m.d.sync += [
            places.eq(places + self.loads - frees),
            complete.eq(complete + self.completes - begun),
            taken.eq(taken + begun),
            Assert(~begun | (complete != 0), "a varying is taken that is not there"),
        ]
        with m.If(self.takes_first):
            m.d.sync += was_over.eq(is_over)
        with m.If(self.loads):
            m.d.sync += [self.number.eq(self.number + 1), self.held.eq(self.held + 1)]
        with m.If(frees):
            m.d.sync += self.kept.eq(self.kept + 1)
        with m.If(self.begins):
            m.d.sync += [here.eq(1), count.eq(self.count), taken.eq(0), self.number.eq(0)]
        with m.If(self.begins | self.ended):
            m.d.sync += [places.eq(0), complete.eq(0), self.held.eq(0), self.kept.eq(0)]
        with m.If(self.ended):
            m.d.sync += here.eq(0)
        return m
