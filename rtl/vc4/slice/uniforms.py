"""The uniforms of one QPU."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.qpu.structs import Uniform, UniformMove

from .prefetch import Prefetch

__all__ = ["Uniforms"]


class Uniforms(wiring.Component):
    """Streams 32-bit words of consecutive addresses to a QPU, read ahead (guide, section 3, uniforms).

    Interface attributes
    --------------------
    move, move_stb : the stream goes on elsewhere; the low two bits of the address are dropped
    o : the uniforms
    bus : the port to memory, reads only
    """

    move: In(UniformMove)
    move_stb: In(1)
    o: Out(stream.Signature(Uniform))
    bus: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.prefetch = prefetch = Prefetch()
        connect(m, prefetch.bus, flipped(self.bus))
        address = Signal(32)  # of the next uniform
        target = Signal(32)
        high = address[2]
        m.d.comb += [
            target.eq((self.move.address + Mux(self.move.relative, address, 0)) & 0xFFFF_FFFC),
            prefetch.redirect.restart.eq(1),
            prefetch.redirect.target.eq(target & ~(BUS_BYTES - 1)),
            prefetch.redirect_stb.eq(self.move_stb),
            self.o.valid.eq(prefetch.o.valid),
            self.o.payload.value.eq(prefetch.o.payload.word.word_select(high, 32)),
            self.o.payload.error.eq(prefetch.o.payload.error),
            prefetch.o.ready.eq(self.o.ready & high),
        ]
        with m.If(self.move_stb):
            m.d.sync += address.eq(target)
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += address.eq(address + 4)
        return m
