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

__all__ = ["FragmentDepths", "FragmentPlace", "FragmentQuads", "FragmentWork", "QuadNumber"]


class QuadNumber(data.Struct):
    """Of a quad of a QPU."""

    quad: range(QUADS)
    thread: range(THREADS)


class FragmentPlace(data.Struct):
    """Where pixel 0 of a quad is."""

    x: unsigned(PIXEL_BITS)
    y: unsigned(PIXEL_BITS)


class FragmentDepths(data.Struct):
    """What programs have in registers of a quad."""

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
    seen_of : a quad of which programs see something in the same clock
    place, place_stb : where it is; 0 without the strobe
    depths, depths_stb : W and Z, the same
    work_of, work : what the tile buffer has to know of a quad, in the same clock
    """

    quad: In(FragmentQuad)
    quad_stb: In(1)
    leaves: In(THREADS)
    there: Out(THREADS)
    seen_of: In(QuadNumber)
    place: Out(FragmentPlace)
    place_stb: In(1)
    depths: Out(FragmentDepths)
    depths_stb: In(1)
    work_of: In(QuadNumber)
    work: Out(FragmentWork)

    def elaborate(self, platform):
        m = Module()
        quad = self.quad
        number = Cat(quad.quad, quad.thread)
        places = QUADS * THREADS
        for name, address in (
            # Nothing is written to the upper half, so that a read there gives zeros, and costs no LUTs after the memory.
            ("place", Cat(self.seen_of, ~self.place_stb)),
            ("depths", Cat(self.seen_of, ~self.depths_stb)),
            ("work", self.work_of),
        ):
            seen = getattr(self, name)
            m.submodules[f"{name}_memory"] = ram = LutRam(
                len(Value.cast(seen)), places if name == "work" else 2 * places
            )
            written = Signal.like(seen, name=f"{name}_written")
            m.d.comb += [
                *(getattr(written, field).eq(getattr(quad, field)) for field, _ in data.Layout.cast(seen.shape())),
                ram.write_address.eq(number),
                ram.write_data.eq(written),
                ram.write_enable.eq(self.quad_stb),
                ram.read_address.eq(address),
                Value.cast(seen).eq(ram.read_data),
            ]
        whole = self.quad_stb & (quad.quad == QUADS - 1)
        m.d.sync += self.there.eq((self.there & ~self.leaves) | Mux(whole, 1 << quad.thread, 0))
        return m
