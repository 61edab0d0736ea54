"""The vectors of fragments of a QPU."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.fep.structs import PIXEL_BITS, FragmentModes, FragmentQuad
from vc4.isa.registers import QUADS
from vc4.records.quads import DEPTH_BITS
from vc4.tlb.structs import QuadPlace

from .structs import LANES, THREADS, LaneWords

__all__ = ["FragmentPixels", "FragmentQuads", "FragmentWork", "QuadNumber"]


class QuadNumber(data.Struct):
    """Of a quad of a QPU."""

    quad: range(QUADS)
    thread: range(THREADS)


class FragmentPixels(data.Struct):
    """What programs see of a quad; x and y of pixel 0."""

    x: unsigned(PIXEL_BITS)
    y: unsigned(PIXEL_BITS)
    z: data.ArrayLayout(unsigned(DEPTH_BITS), LANES)
    w: LaneWords


class FragmentWork(data.Struct):
    """What the tile buffer has to know of a quad."""

    place: QuadPlace
    real: unsigned(1)
    modes: FragmentModes


class FragmentQuads(wiring.Component):
    """Keeps what does not change of the quads of both threads.

    Behaviour: a quad that comes is there from the next clock on.

    Interface attributes
    --------------------
    quad, quad_stb : a quad comes, of a thread whose vector before has gone; quad 0 first
    leaves : strobes: the vector of a thread has gone
    there : threads with a whole vector
    pixels_of, pixels : what programs see of a quad, in the same clock
    work_of, work : what the tile buffer has to know, the same
    """

    quad: In(FragmentQuad)
    quad_stb: In(1)
    leaves: In(THREADS)
    there: Out(THREADS)
    pixels_of: In(QuadNumber)
    pixels: Out(FragmentPixels)
    work_of: In(QuadNumber)
    work: Out(FragmentWork)

    def elaborate(self, platform):
        m = Module()
        quad = self.quad
        number = Cat(quad.quad, quad.thread)
        for name in ("pixels", "work"):
            seen = getattr(self, name)
            m.submodules[name] = ram = LutRam(len(Value.cast(seen)), QUADS * THREADS)
            written = Signal.like(seen, name=f"{name}_written")
            m.d.comb += [
                *(getattr(written, field).eq(getattr(quad, field)) for field, _ in data.Layout.cast(seen.shape())),
                ram.write_address.eq(number),
                ram.write_data.eq(written),
                ram.write_enable.eq(self.quad_stb),
                ram.read_address.eq(getattr(self, f"{name}_of")),
                Value.cast(seen).eq(ram.read_data),
            ]
        whole = self.quad_stb & (quad.quad == QUADS - 1)
        m.d.sync += self.there.eq((self.there & ~self.leaves) | Mux(whole, 1 << quad.thread, 0))
        return m
