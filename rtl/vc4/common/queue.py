"""The queue between two blocks."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .ram import LutRam

__all__ = ["Queue"]


class Queue(wiring.Component):
    """A first-in first-out queue of typed items.

    Behaviour: an item that enters in one clock is at the output in the next. One item a clock goes in and out at any
    level between empty and full; a full queue takes none in the clock that frees a place, so a queue of one passes an
    item every other clock. `i.ready` and `o.valid` come from registers: no path leads through the queue from one side
    to the other.

    Parameters
    ----------
    shape : shape of an item
    depth : places, at least 1

    Interface attributes
    --------------------
    i, o : streams of items
    level : number of items in the queue
    """

    def __init__(self, shape, depth: int):
        if depth < 1:
            raise ValueError(f"a queue has at least one place, not {depth!r}")
        self._width = Shape.cast(shape).width
        self._depth = depth
        super().__init__(
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "level": Out(range(depth + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        full = Signal()
        push = Signal()
        pop = Signal()
        grows = Signal()
        shrinks = Signal()

        m.d.comb += [
            self.i.ready.eq(~full),
            push.eq(self.i.valid & ~full),
            pop.eq(self.o.valid & self.o.ready),
            *(grows.eq(push & ~pop), shrinks.eq(pop & ~push)),
        ]
        # Both flags are made beside the counter: whoever is late to push or pop passes no carries.
        with m.If(grows):
            m.d.sync += [self.level.eq(self.level + 1), full.eq(self.level == self._depth - 1), self.o.valid.eq(1)]
        with m.Elif(shrinks):
            m.d.sync += [self.level.eq(self.level - 1), full.eq(0), self.o.valid.eq(self.level != 1)]
        if self._depth == 1:
            # Tools warn of a memory of one word.
            item = Signal(self._width, reset_less=True)
            m.d.comb += Value.cast(self.o.payload).eq(item)
            with m.If(push):
                m.d.sync += item.eq(self.i.payload)
        else:
            self._store(m, push, pop)

        m.d.sync += [
            Assert(self.level <= self._depth, "a queue holds more than it has room for"),
            Assert(full == (self.level == self._depth), "a queue is wrong about being full"),
            Assert(self.o.valid == (self.level != 0), "a queue is wrong about being empty"),
        ]
        return m

    def _store(self, m: Module, push: Value, pop: Value) -> None:
        """The places, from which the one that is next is seen."""
        m.submodules.places = places = LutRam(self._width, self._depth)
        m.d.comb += [
            places.write_enable.eq(push),
            places.write_data.eq(self.i.payload),
            Value.cast(self.o.payload).eq(places.read_data),
        ]
        for address, moves in (places.write_address, push), (places.read_address, pop):
            place = Signal.like(address)
            m.d.comb += address.eq(place)
            with m.If(moves):
                m.d.sync += place.eq(Mux(place == self._depth - 1, 0, place + 1))
