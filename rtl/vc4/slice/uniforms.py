"""The uniforms of one QPU."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.qpu.structs import THREADS, Uniform, UniformMove, UniformStart

from .prefetch import Prefetch

__all__ = ["Uniforms"]


class Uniforms(wiring.Component):
    """Streams 32-bit words of consecutive addresses to a QPU, read ahead, for one of its threads at a time (guide,
    section 3, uniforms).

    Interface attributes
    --------------------
    start, start_stb : where the stream of a thread begins
    enter, enter_stb : the stream of that thread goes on; it may begin in the same clock
    move, move_stb : the stream goes on elsewhere; the low two bits of an address are dropped
    o : the uniforms
    bus : the port to memory, reads only
    """

    start: In(UniformStart)
    start_stb: In(1)
    enter: In(1)
    enter_stb: In(1)
    move: In(UniformMove)
    move_stb: In(1)
    o: Out(stream.Signature(Uniform))
    bus: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.prefetch = prefetch = Prefetch()
        connect(m, prefetch.bus, flipped(self.bus))
        thread = Signal()
        addresses = [Signal(32, name=f"address_{number}") for number in range(THREADS)]
        after = [Signal(32, name=f"address_{number}_after") for number in range(THREADS)]
        address = Signal(32)
        target = Signal(32)
        high = address[2]
        takes = self.o.valid & self.o.ready
        m.d.comb += [
            address.eq(Mux(thread, addresses[1], addresses[0])),  # of the next uniform
            target.eq((self.move.address + Mux(self.move.relative, address, 0)) & 0xFFFF_FFFC),
            prefetch.redirect.restart.eq(1),
            prefetch.redirect.target.eq(
                Mux(self.enter_stb, Mux(self.enter, after[1], after[0]), target) & ~(BUS_BYTES - 1)
            ),
            prefetch.redirect_stb.eq(self.move_stb | self.enter_stb),
            self.o.valid.eq(prefetch.o.valid),
            self.o.payload.value.eq(prefetch.o.payload.word.word_select(high, 32)),
            self.o.payload.error.eq(prefetch.o.payload.error),
            prefetch.o.ready.eq(self.o.ready & high),
        ]
        for number in range(THREADS):
            m.d.comb += after[number].eq(addresses[number])
            with m.If(self.start_stb & (self.start.thread == number)):
                m.d.comb += after[number].eq(self.start.address & 0xFFFF_FFFC)
            with m.Elif(thread == number):
                m.d.comb += after[number].eq(Mux(self.move_stb, target, address + (takes << 2)))
            m.d.sync += addresses[number].eq(after[number])
        with m.If(self.enter_stb):
            m.d.sync += thread.eq(self.enter)
        return m
