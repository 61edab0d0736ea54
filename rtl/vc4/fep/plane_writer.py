"""Coefficients on their way to the slices."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.pse.structs import MOST_PLANES, PlaneCoefficients

from .debug_structs import PARTS
from .structs import PLANES, PlaneSlot, PlaneWrite
from .vector_structs import PlaneJob

__all__ = ["PlaneWriter"]


class PlaneWriter(wiring.Component):
    """Keeps the plane of 1/W of a piece, and writes those of its varyings into the memories of the slices, in a ring.

    Behaviour: a job is taken together with its first plane; then a plane a clock. A job that is not kept has its planes thrown
    away.

    Interface attributes
    --------------------
    jobs : stream of `PlaneJob`
    planes : stream of `PlaneCoefficients`
    stands : the plane of 1/W must not change
    free : there is a free slot
    room : the ring has room for a plane
    plane : that of 1/W, of the last job that was kept
    keeps, count : strobe: the free slot is taken, by so many varyings
    slot, slot_stb : strobe: what slices know of it
    write, write_stb : strobe: a plane of a varying
    completes : strobe: the slot that was taken last has all planes from the next clock on
    busy : planes are missing
    debug : see `DebugStatus`
    """

    jobs: In(stream.Signature(PlaneJob))
    planes: In(stream.Signature(PlaneCoefficients))
    stands: In(1)
    free: In(1)
    room: In(1)
    plane: Out(PlaneCoefficients)
    keeps: Out(1)
    count: Out(range(MOST_PLANES))
    slot: Out(PlaneSlot)
    slot_stb: Out(1)
    write: Out(PlaneWrite)
    write_stb: Out(1)
    completes: Out(1)
    busy: Out(1)
    debug: Out(PARTS["plane_writer"])

    def elaborate(self, platform):
        m = Module()
        job = self.jobs.payload
        left = Signal(range(MOST_PLANES))  # planes that are missing
        kept = Signal()
        number = Signal(range(PLANES))
        takes = Signal()
        m.d.comb += [
            self.busy.eq(left != 0),
            takes.eq(~self.busy & self.planes.valid & (~job.keeps | (self.free & ~self.stands))),
            self.jobs.ready.eq(takes),
            self.planes.ready.eq(Mux(self.busy, self.room | ~kept, self.jobs.valid & takes)),
            self.keeps.eq(self.jobs.valid & takes & job.keeps),
            self.count.eq(job.planes - 1),
            *(self.slot_stb.eq(self.keeps), self.slot.base.eq(number), self.slot.count.eq(self.count)),
            *(self.slot.x.eq(job.x), self.slot.y.eq(job.y)),
            self.write_stb.eq(self.busy & kept & self.planes.valid & self.room),
            *(self.write.number.eq(number), self.write.plane.eq(self.planes.payload)),
            self.debug.ZRWPE_STALL.eq(self.planes.valid & ~self.planes.ready),
            self.debug.ZRWPE_READY.eq(self.planes.ready),
            self.debug.WCOEFF_FIFO_READY.eq(self.free & ~self.stands),
            self.debug.WCOEFF_FIFO_FULL.eq(self.stands),
            self.completes.eq(Mux(self.busy, self.write_stb & (left == 1), self.keeps & (self.count == 0))),
        ]
        with m.If(self.jobs.valid & takes):
            m.d.sync += [left.eq(self.count), kept.eq(job.keeps)]
        with m.Elif(self.busy & self.planes.valid & self.planes.ready):
            m.d.sync += left.eq(left - 1)
        with m.If(self.keeps):
            m.d.sync += self.plane.eq(self.planes.payload)
        with m.If(self.write_stb):
            m.d.sync += number.eq(number + 1)
        return m
