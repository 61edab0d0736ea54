"""The uniforms of one QPU."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.qpu.structs import THREADS, UNIFORM_LENGTH_BITS, Uniform, UniformMove
from vc4.regs.scheduler import UNLIMITED_UNIFORMS

from .fetch import Fetch
from .line_cache import CachePort

__all__ = ["UniformPort", "UniformReader", "UniformStream"]


class UniformStream(data.Struct):
    """Where the uniform stream of a thread begins, and how long it is."""

    thread: unsigned(1)
    address: unsigned(32)
    length: unsigned(UNIFORM_LENGTH_BITS)  # uniforms; 0 and from 1024 on: no limit; address 0: there are none


class UniformPort(wiring.Signature):
    """The uniform stream of a QPU, seen from the QPU.

    Interface attributes
    --------------------
    start, start_stb : where the stream of a thread begins
    enter, enter_stb : the stream of that thread goes on, which is another one, or begins in the same clock
    move, move_stb : the stream goes on elsewhere
    uniforms : the uniforms
    """

    def __init__(self):
        super().__init__(
            {
                "start": Out(UniformStream),
                "start_stb": Out(1),
                "enter": Out(1),
                "enter_stb": Out(1),
                "move": Out(UniformMove),
                "move_stb": Out(1),
                "uniforms": In(stream.Signature(Uniform)),
            }
        )


class UniformReader(wiring.Component):
    """Streams 32-bit words of consecutive addresses to a QPU, for one of its threads at a time (guide, section 3,
    uniforms).

    Behaviour: two uniforms come every four clocks. The first one after a start or a move is offered four to seven clocks
    later if it is in the cache, as with `Fetch`. After the end of a stream of limited length comes an error, as from where
    there is no memory, and nothing is fetched; so for a stream from address 0, of no uniforms (guide, table 66). A move leaves the stream that the limit was given for, so it ends the limit.

    Interface attributes
    --------------------
    qpu : the stream
    cache : the way to the cache
    """

    qpu: In(UniformPort())
    cache: Out(CachePort())

    def elaborate(self, platform):
        m = Module()
        m.submodules.fetch = fetch = Fetch()
        connect(m, fetch.cache, flipped(self.cache))
        qpu = self.qpu
        uniform = qpu.uniforms
        # Of each thread, in uniforms: the address of the next one, that of the last one, whether there is a last one, and
        # whether it has been taken.
        addresses = [Signal(30, name=f"address_{number}") for number in range(THREADS)]
        lasts = [Signal(30, name=f"last_{number}") for number in range(THREADS)]
        limits = Signal(THREADS)
        ends = Signal(THREADS, init=(1 << THREADS) - 1)
        thread = Signal()
        address = Signal(30)
        last = Signal(30)
        ended = Signal()
        target = Signal(30)
        entered = Signal(30)
        takes = Signal()
        m.d.comb += [
            address.eq(Mux(thread, addresses[1], addresses[0])),
            last.eq(Mux(thread, lasts[1], lasts[0])),
            ended.eq(ends.bit_select(thread, 1)),
            target.eq(Mux(qpu.move.relative, address + qpu.move.address, qpu.move.address[2:])),
            entered.eq(Mux(qpu.enter, addresses[1], addresses[0])),
            fetch.redirect.restart.eq(1),
            fetch.redirect.target.eq(Mux(qpu.enter_stb, entered, target)[1:] << 3),
            fetch.redirect_stb.eq(qpu.move_stb | qpu.enter_stb),
            fetch.limited.eq(limits.bit_select(thread, 1)),
            fetch.last.eq(last[1:]),
            fetch.holds.eq(ended),
            uniform.valid.eq(fetch.o.valid | ended),
            uniform.payload.value.eq(Mux(ended, 0, fetch.o.payload.word.word_select(address[0], 32))),
            uniform.payload.error.eq(fetch.o.payload.error | ended),
            fetch.o.ready.eq(uniform.ready & address[0]),
            takes.eq(uniform.valid & uniform.ready & ~ended),
        ]
        with m.If(qpu.start_stb & (qpu.start.thread == qpu.enter)):
            m.d.comb += entered.eq(qpu.start.address[2:])
        with m.If(qpu.enter_stb):
            m.d.sync += thread.eq(qpu.enter)
        with m.If(takes):
            m.d.sync += ends.bit_select(thread, 1).eq(limits.bit_select(thread, 1) & (address == last))
        with m.If(qpu.move_stb):
            m.d.sync += [limits.bit_select(thread, 1).eq(0), ends.bit_select(thread, 1).eq(0)]
        self._advance(m, thread, takes, Mux(qpu.move_stb, target, address + 1), addresses)
        self._begin(m, lasts, limits, ends)
        return m

    def _advance(self, m, thread, takes, following, addresses):
        """A stream begins, or that of the thread goes on."""
        qpu = self.qpu
        for number, address in enumerate(addresses):
            begins = qpu.start_stb & (qpu.start.thread == number)
            moves = (thread == number) & (qpu.move_stb | takes)
            with m.If(begins | moves):
                m.d.sync += address.eq(Mux(begins, qpu.start.address[2:], following))
        begins = qpu.start_stb & (qpu.start.thread == qpu.enter)
        m.d.sync += Assert(
            ~qpu.enter_stb | (qpu.enter != thread) | begins | ~(qpu.move_stb | takes), "a thread enters while it runs"
        )

    def _begin(self, m, lasts, limits, ends):
        """The limit of a stream that begins; one from address 0 has ended already."""
        start, stb = self.qpu.start, self.qpu.start_stb
        for number, last in enumerate(lasts):
            with m.If(stb & (start.thread == number)):
                m.d.sync += [
                    last.eq(start.address[2:] + start.length - 1),
                    limits[number].eq((start.length != 0) & (start.length < UNLIMITED_UNIFORMS)),
                    ends[number].eq(start.address[2:] == 0),
                ]
