"""Which samples of the fragments of a QPU are drawn, and which side of them is seen."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.errata import Erratum
from vc4.fep.structs import FragmentQuad
from vc4.isa.registers import QUADS
from vc4.tlb.structs import QuadFlags

from .fragment_quads import QuadNumber
from .structs import LANES, THREADS

__all__ = ["FlagsWrite", "FragmentFlags"]


class FlagsWrite(data.Struct):
    """New flags for pixels of a quad."""

    of: QuadNumber
    mask: unsigned(LANES)
    flags: QuadFlags


class FragmentFlags(wiring.Component):
    """Keeps MS_FLAGS and REV_FLAG of both threads.

    Behaviour: takes one write a clock, first that of a quad that comes; what is written is there from the next clock on.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    quad, quad_stb : a quad comes
    write, write_stb, write_ready : other writes
    reverses, reverse, thread : strobe: a side for all quads of a thread
    reads, flags : flags of quads, in the same clock: for the tile buffer, and for the program
    back : the side of each of these quads
    """

    quad: In(FragmentQuad)
    quad_stb: In(1)
    write: In(FlagsWrite)
    write_stb: In(1)
    write_ready: Out(1)
    reverses: In(1)
    reverse: In(1)
    thread: In(range(THREADS))
    reads: In(data.ArrayLayout(QuadNumber, 2))
    flags: Out(data.ArrayLayout(QuadFlags, 2))
    back: Out(2)

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        quad, write = self.quad, self.write
        backs = Signal(data.ArrayLayout(QUADS, THREADS))
        address = Signal(QuadNumber)
        flags = Signal(QuadFlags)
        enable = Signal(LANES)
        m.d.comb += [
            self.write_ready.eq(~self.quad_stb),
            address.eq(write.of),
            flags.eq(write.flags),
            enable.eq(Mux(self.write_stb, write.mask, 0)),
        ]
        with m.If(self.quad_stb):
            m.d.comb += [
                address.thread.eq(quad.thread),
                address.quad.eq(quad.quad),
                flags.eq(quad.flags),
                enable.eq((1 << LANES) - 1),
            ]
        width = len(Value.cast(flags))
        m.submodules.store = store = LutRam(width, QUADS * THREADS, granularity=width // LANES, reads=2)
        m.d.comb += [store.write_address.eq(address), store.write_data.eq(flags), store.write_enable.eq(enable)]
        for number, (read, seen) in enumerate(zip(self.reads, self.flags, strict=True)):
            m.d.comb += [
                store.read_address[number].eq(read),
                Value.cast(seen).eq(store.read_data[number]),
                self.back[number].eq(Value.cast(backs).bit_select(Value.cast(read), 1)),
            ]
        if Erratum.HW_2924 in self._errata:
            # Places that are left in a vector have the side of its last quad.
            m.d.comb += self.back[0].eq(backs[self.reads[0].thread][QUADS - 1])
        for thread, own in enumerate(backs):
            with m.If(self.reverses & (self.thread == thread)):
                m.d.sync += own.eq(self.reverse.replicate(QUADS))
            with m.If(self.quad_stb & (quad.thread == thread)):
                m.d.sync += own.bit_select(quad.quad, 1).eq(quad.reverse)
        return m
