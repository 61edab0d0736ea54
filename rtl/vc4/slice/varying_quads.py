"""Quads of vectors, as the varyings interpolator knows them."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.fep.structs import PIXEL_BITS, PLANE_SLOTS, FragmentQuad, PlaneSlot
from vc4.isa.registers import QUADS
from vc4.qpu.structs import THREADS
from vc4.records.samples import CENTRE, PIXEL

from .varying_structs import QuadPlane

__all__ = ["VaryingQuads"]


class VaryingQuads(wiring.Component):
    """Finds for each quad that comes the planes of its primitive, and how far it is from its reference vertex.

    Behaviour: a quad a clock; it can be read two clocks after it came.

    Parameters
    ----------
    qpus : of the slice

    Interface attributes
    --------------------
    slot_write, slot, slot_write_stb : strobe: what is known of a primitive; before its first quad comes
    quad, quad_stb : strobes: a quad comes for a QPU
    thread, count, begins : strobe: the last quad of a vector can be read from the next clock on; its thread of all of the slice,
        and its varyings
    read_thread, read_quad, o : a quad of a vector, in the same clock
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        threads = range(qpus * THREADS)
        super().__init__(
            {
                "slot_write": In(PlaneSlot),
                "slot": In(range(PLANE_SLOTS)),
                "slot_write_stb": In(1),
                "quad": In(FragmentQuad),
                "quad_stb": In(qpus),
                "thread": Out(threads),
                "count": Out(PlaneSlot.as_shape()["count"].shape),
                "begins": Out(1),
                "read_thread": In(threads),
                "read_quad": In(range(QUADS)),
                "o": Out(QuadPlane),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.slots = slots = LutRam(Shape.cast(PlaneSlot).width, PLANE_SLOTS)
        m.submodules.quads = quads = LutRam(Shape.cast(QuadPlane).width, self._qpus * THREADS * QUADS)
        valid = Signal()
        quad = Signal(range(QUADS))
        slot = Signal(PlaneSlot)
        x = Signal(PIXEL_BITS)
        y = Signal(PIXEL_BITS)
        written = Signal(QuadPlane)
        qpu = Signal(range(self._qpus))
        for number in range(self._qpus):
            with m.If(self.quad_stb[number]):
                m.d.comb += qpu.eq(number)
        m.d.sync += [
            *(valid.eq(self.quad_stb.any()), quad.eq(self.quad.quad), x.eq(self.quad.x), y.eq(self.quad.y)),
            self.thread.eq(Cat(self.quad.thread, qpu)),
            slot.eq(data.View(PlaneSlot, slots.read_data)),
        ]
        m.d.comb += [
            *(slots.write_address.eq(self.slot), slots.write_data.eq(self.slot_write)),
            *(slots.write_enable.eq(self.slot_write_stb), slots.read_address.eq(self.quad.slot)),
            written.base.eq(slot.base),
            written.dx.eq(PIXEL * x + CENTRE[0] - slot.x),
            written.dy.eq(PIXEL * y + CENTRE[1] - slot.y),
            *(quads.write_address.eq(Cat(quad, self.thread)), quads.write_data.eq(written)),
            quads.write_enable.eq(valid),
            *(self.count.eq(slot.count), self.begins.eq(valid & (quad == QUADS - 1))),
            quads.read_address.eq(Cat(self.read_quad, self.read_thread)),
            Value.cast(self.o).eq(quads.read_data),
        ]
        return m
