"""A queue between two blocks, for wide items."""

from amaranth import *
from amaranth.hdl import Assert

from .queue import Queue
from .ram import BlockRam

__all__ = ["BlockQueue"]


class BlockQueue(Queue):
    """A first-in first-out queue of typed items, in block RAM.

    Behaviour: an item that enters in one clock is at the output two clocks later, or later, one after the other. One item a
    clock goes in and out at any level between empty and full; a full queue takes none in the clock that frees a place.
    `i.ready` and `o.valid` come from registers. Each place is a row of block RAM, so a depth below that of a block costs
    nothing.

    Parameters
    ----------
    shape : shape of an item
    depth : places, at least 2

    Interface attributes
    --------------------
    i, o : streams of items
    level : number of items in the queue
    """

    def __init__(self, shape, depth: int):
        if depth < 2:
            raise ValueError(f"a queue in block RAM has at least two places, not {depth!r}")
        super().__init__(shape, depth)

    def elaborate(self, platform):
        m = Module()
        m.submodules.places = places = BlockRam(self._width, self._depth, exclusive=True)
        full = Signal()
        push = Signal()
        pop = Signal()
        fetch = Signal()  # the next item goes from its place to the output
        waiting = Signal(range(self._depth + 1))  # items that are in their place and not at the output
        m.d.comb += [
            self.i.ready.eq(~full),
            push.eq(self.i.valid & ~full),
            pop.eq(self.o.valid & self.o.ready),
            fetch.eq((waiting != 0) & (~self.o.valid | self.o.ready)),
            places.write_enable.eq(push),
            places.write_data.eq(self.i.payload),
            places.read_enable.eq(fetch),
            Value.cast(self.o.payload).eq(places.read_data),
        ]
        # As in `Queue`, whoever is late to push or pop passes no carries.
        with m.If(push & ~pop):
            m.d.sync += [self.level.eq(self.level + 1), full.eq(self.level == self._depth - 1)]
        with m.Elif(pop & ~push):
            m.d.sync += [self.level.eq(self.level - 1), full.eq(0)]
        with m.If(push & ~fetch):
            m.d.sync += waiting.eq(waiting + 1)
        with m.Elif(fetch & ~push):
            m.d.sync += waiting.eq(waiting - 1)
        m.d.sync += [
            self.o.valid.eq(fetch | (self.o.valid & ~self.o.ready)),
            Assert(full == (self.level == self._depth), "a queue is wrong about being full"),
            Assert(self.level == waiting + self.o.valid, "a queue has lost or doubled an item"),
        ]
        for address, moves in (places.write_address, push), (places.read_address, fetch):
            place = Signal.like(address)
            m.d.comb += address.eq(place)
            with m.If(moves):
                m.d.sync += place.eq(Mux(place == self._depth - 1, 0, place + 1))
        return m
