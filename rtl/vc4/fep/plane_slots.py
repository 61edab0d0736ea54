"""Which coefficients are in use."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.pse.structs import MOST_PLANES

from .structs import PLANE_SLOTS, PLANES
from .vector_structs import SLOT_NUMBER_BITS

__all__ = ["PlaneSlots"]


class PlaneSlots(wiring.Component):
    """Gives slots in turn, and takes them back in their order when no quad needs them.

    Behaviour: `free` and `following` know of a slot that is taken two clocks later, `current` and `room` a clock later; `complete` is
    two clocks after. A slot is free again up to four clocks after its last quad was done, and a clock later for each one before it
    that is free as well; its places in the ring are a clock later. The newest slot that a QPU has got stays until another vector or
    `all_given` says that it has all of its quads.

    Parameters
    ----------
    threads : of all QPUs

    Interface attributes
    --------------------
    free : there is a free slot
    room : the ring of planes has a free place
    following : number of the slot that is taken next
    takes, count : strobe: it is taken, by so many planes
    wrote : strobe: a place of the ring is taken
    completes : strobe: the oldest slot that was not complete is
    current : number of the slot that was taken last
    complete : the number after the last complete one
    given, threads, slots, newest : strobe: a vector goes to a thread, a bit each, with the slots of its quads, and the number of
        the last one
    all_given : nobody has quads but the threads
    done : strobes: threads have no fragments any more
    """

    def __init__(self, threads: int):
        self._threads = threads
        number = SLOT_NUMBER_BITS
        super().__init__(
            {
                "free": Out(1, init=1),
                "room": Out(1, init=1),
                "following": Out(number),
                "takes": In(1),
                "count": In(range(MOST_PLANES)),
                "wrote": In(1),
                "completes": In(1),
                "current": Out(number),
                "complete": Out(number),
                "given": In(1),
                "threads": In(threads),
                "slots": In(PLANE_SLOTS),
                "newest": In(number),
                "all_given": In(1),
                "done": In(threads),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.counts = counts = LutRam(len(self.count), PLANE_SLOTS)
        following = self.following
        oldest = Signal(SLOT_NUMBER_BITS)
        given = Signal(SLOT_NUMBER_BITS)  # those before have gone to threads
        settled = Signal(SLOT_NUMBER_BITS)  # the same, when their threads are known
        held = Signal(PLANE_SLOTS)
        free_planes = Signal(range(PLANES + 1), init=PLANES)
        next_planes = Signal.like(free_planes)
        freed = Signal.like(self.count)  # of the slot that was freed in the clock before
        used = Signal(range(PLANE_SLOTS + 1))
        frees = Signal()
        took = Signal()
        completed = Signal()
        place = len(counts.read_address)
        m.d.comb += [
            frees.eq((oldest != settled) & ~held.bit_select(oldest[:place], 1)),
            counts.write_address.eq(following[:place]),
            counts.write_data.eq(self.count),
            counts.write_enable.eq(self.takes),
            counts.read_address.eq(oldest[:place]),
            next_planes.eq(free_planes + freed - self.wrote),
        ]
        m.d.sync += [
            *(took.eq(self.takes), completed.eq(self.completes)),
            following.eq(following + took),
            oldest.eq(oldest + frees),
            freed.eq(Mux(frees, counts.read_data, 0)),
            free_planes.eq(next_planes),
            self.room.eq(next_planes != 0),
            self.complete.eq(self.complete + completed),
            settled.eq(given),
            Assert(~self.takes | (self.free & ~took), "a slot is taken that is in use"),
            Assert(~self.wrote | (free_planes != 0), "a plane is overwritten"),
        ]
        with m.If(took & ~frees):
            m.d.sync += [used.eq(used + 1), self.free.eq(used != PLANE_SLOTS - 1)]
        with m.Elif(frees & ~took):
            m.d.sync += [used.eq(used - 1), self.free.eq(1)]
        with m.If(self.takes):
            m.d.sync += self.current.eq(following)
        with m.If(self.given):
            m.d.sync += given.eq(self.newest)
        with m.Elif(self.all_given):
            m.d.sync += given.eq(following)
        masks = Signal(data.ArrayLayout(PLANE_SLOTS, self._threads))
        for number, mask in enumerate(masks):
            with m.If(self.given & self.threads[number]):
                m.d.sync += mask.eq(self.slots)
            with m.Elif(self.done[number]):
                m.d.sync += mask.eq(0)
        m.d.sync += held.eq(reduce(or_, masks))
        return m
