"""The order of fragments of a place."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam

from .structs import WORDS, fragment_quad

__all__ = ["Scoreboard"]

#: Vectors of a thread after which it may wait for an old one in vain, as long as a new one has not ended.
_NUMBER_BITS = 10


class _Owner(data.Struct):
    """Who drew a quad last: which vector of which thread."""

    number: unsigned(_NUMBER_BITS)
    thread: unsigned(6)


class Scoreboard(wiring.Component):
    """Lets fragments of a place into the tile buffer in the order in which they were handed out, others as they come (guide,
    section 5; pipeline facts, 4.7).

    A memory knows the last vector that has each quad. A new vector waits for those that have its quads before it; as none of
    these has gone before its own turn, it waits for all that are older. Nobody waits for a younger one, so somebody can always
    go on.

    Behaviour: takes a quad a clock, and one of the place of the quad right before it a clock later. What a thread waits for
    is known three clocks after its last quad; until then it waits. A vector goes in the clock in which it is let go and need
    not wait; a clock later nobody waits for it.

    Parameters
    ----------
    threads : of all QPUs, up to 64

    Interface attributes
    --------------------
    i : stream of `fragment_quad`, vectors in their order; of a thread whose vector before has gone
    waits : threads that may not access the tile buffer yet
    lets_go : strobes: threads that are done with it, by `sbdone` or at their end; some time, once or more for each vector
    there : threads whose vector has not gone
    """

    def __init__(self, threads: int):
        if not 1 <= threads <= 64:
            raise ValueError(f"there are 1 to 64 threads, not {threads!r}")
        self._threads = threads
        super().__init__(
            {
                "i": In(stream.Signature(fragment_quad(threads))),
                "waits": Out(threads),
                "lets_go": In(threads),
                "there": Out(threads),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.owners = owners = BlockRam(Shape.cast(_Owner).width, WORDS, exclusive=True)
        quad = self.i.payload
        taken = Signal.like(quad)  # its owner is read
        looks = Signal()
        known = Signal.like(quad)  # that is there
        knows = Signal()
        owner = Signal(_Owner)
        new = Signal(_Owner)
        place = Signal(range(WORDS))
        numbers = Signal(data.ArrayLayout(_NUMBER_BITS, self._threads))
        ahead = Signal(
            data.ArrayLayout(self._threads, self._threads)
        )  # of a thread: those that go first; itself: quads come
        ending = Signal(self._threads)
        goes = Signal(self._threads)
        began = Signal(self._threads)  # in the clock before
        m.d.comb += [
            # Two tile buffers have half the rows.
            place.eq(Cat(quad.place.x, quad.place.y | Cat(Const(0, 4), quad.place.buffer))),
            self.i.ready.eq(~looks | (place != owners.write_address)),
            owners.read_address.eq(place),
            owners.read_enable.eq(self.i.valid & self.i.ready),
            new.thread.eq(taken.thread),
            new.number.eq(numbers[taken.thread]),
            owners.write_data.eq(new),
            owners.write_enable.eq(looks),
            self.waits.eq(Cat(threads.any() for threads in ahead)),
            goes.eq(self.there & (self.lets_go | ending) & ~self.waits),
        ]
        m.d.sync += [
            looks.eq(owners.read_enable),
            knows.eq(looks),
            taken.eq(quad),
            known.eq(taken),
            owner.as_value().eq(owners.read_data),
            owners.write_address.eq(place),
            ending.eq((ending | (self.lets_go & self.there)) & ~goes),
            Assert(
                ~(owners.read_enable & quad.first & self.there.bit_select(quad.thread, 1)), "a thread has two vectors"
            ),
        ]
        for number, threads in enumerate(ahead):
            starts = owners.read_enable & quad.first & (quad.thread == number)
            finds = knows & (known.thread == number)
            m.d.sync += self.there[number].eq(starts | (self.there[number] & ~goes[number]))
            m.d.sync += began[number].eq(starts)
            with m.If(starts):
                m.d.sync += numbers[number].eq(numbers[number] + 1)
            for other, waits in enumerate(threads):
                if other == number:
                    m.d.sync += waits.eq(starts | (waits & ~(finds & known.last)))
                else:
                    # Numbers come again, and in front of a reset there were others; but who began after the quad is younger.
                    is_it = (owner.thread == other) & (owner.number == numbers[other]) & ~began[other]
                    found = finds & is_it
                    m.d.sync += waits.eq((waits | found) & self.there[other] & ~goes[other])
        return m
