"""A memory that is itself hardware, so that it runs in every simulator at full speed."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort
from vc4.common.queue import Queue

from .random_numbers import next_random

__all__ = ["BenchMemory", "chance_of", "seed_of"]

_PAGE = 4096  # bytes that a request must not cross
_CHANCE_BITS = 8
_MAX_LATENCY = 1024


def chance_of(gap: float) -> int:
    """The chance of a pause in steps of 1/256."""
    return round(gap * (1 << _CHANCE_BITS))


def seed_of(seed: int) -> int:
    """The first state of the generator of pauses: spread over all bits, and never 0."""
    return (seed * 0x9E3779B9 & 0xFFFFFFFF) or 1


class BenchMemory(wiring.Component):
    """`size` bytes of memory from address `base` on, which answer a `MemoryPort` with delays and gaps.

    Behaviour: requests are carried out one after the other. The first word of a read comes `latency` clocks after its
    request, and the first word of a write is taken then, or later if an earlier request is not done; then a word moves
    every clock. A write is answered in the clock after its last word. Each channel takes random gaps on top; an item
    that is offered stays. A request that breaks the rules of `MemoryPort` fails an assertion.

    Outside of the memory, reads give 0 and writes do nothing, both with `error`.

    Parameters
    ----------
    size : bytes, a multiple of `word_bytes`
    base : address of the first byte, a multiple of `word_bytes`
    word_bytes, tag_bits : of the `MemoryPort`
    latency : clocks from a request to its first word, 1 to 1024
    gap : chance of a pause, in each clock on each channel, 0 to below 1, in steps of 1/256
    seed : of the pauses
    init : the first bytes; the others are 0
    in_flight : requests that are taken before the first of them is done

    Interface attributes
    --------------------
    bus : the memory port
    fault, fault_address, fault_write : an access was outside of the memory, and the word and direction of the first one
    written_stb, written_address, written_data, written_strobes : each word of a write, in the clock in which it moves
    """

    def __init__(self, size, *, base=0, word_bytes=8, tag_bits=1, latency=1, gap=0.0, seed=1, init=b"", in_flight=4):
        if size % word_bytes or base % word_bytes:
            raise ValueError(f"size {size!r} and base {base!r} must be multiples of {word_bytes}")
        if not 1 <= latency <= _MAX_LATENCY:
            raise ValueError(f"latency must be 1 to {_MAX_LATENCY}, not {latency!r}")
        if not 0 <= gap < 1:
            raise ValueError(f"gap must be at least 0 and below 1, not {gap!r}")
        if len(init) > size:
            raise ValueError(f"{len(init)} bytes do not fit {size} bytes of memory")
        self._size = size
        self._base = base
        self._word_bytes = word_bytes
        self._tag_bits = tag_bits
        self._latency = latency
        self._chance = chance_of(gap)
        self._seed = seed_of(seed)
        self._in_flight = in_flight
        words = [int.from_bytes(init[at : at + word_bytes], "little") for at in range(0, len(init), word_bytes)]
        self.words = memory.MemoryData(shape=unsigned(8 * word_bytes), depth=size // word_bytes, init=words)
        super().__init__(
            {
                "bus": In(MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)),
                "fault": Out(1),
                "fault_address": Out(32),
                "fault_write": Out(1),
                "written_stb": Out(1),
                "written_address": Out(32),
                "written_data": Out(8 * word_bytes),
                "written_strobes": Out(word_bytes),
            }
        )

    async def contents(self, ctx) -> bytes:
        """All bytes of the memory, from a testbench of Amaranth's simulator."""
        return b"".join(ctx.get(word).to_bytes(self._word_bytes, "little") for word in self.words)

    def elaborate(self, platform):
        m = Module()
        m.submodules.contents = contents = memory.Memory(self.words)
        m.submodules.requests = requests = Queue(self.bus.signature.request_layout, self._in_flight)
        m.submodules.answers = answers = Queue(_Answer(self._tag_bits), self._in_flight)
        read = contents.read_port(domain="comb")
        write = contents.write_port(granularity=8)
        bus = self.bus
        head = requests.o.payload
        ripe = Signal()  # the oldest request has waited long enough
        inside = Signal()
        error = Signal()  # an earlier word of this write was outside
        beat = Signal(8)
        moves = Signal()
        last = Signal()
        address = Signal(32)
        offset = Signal(32)
        pauses = self._pauses(m)

        m.d.comb += [
            address.eq(head.address + (beat << exact_log2(self._word_bytes))),
            offset.eq(address - self._base),
            inside.eq(offset < self._size),
            last.eq(beat == head.beats),
            requests.i.payload.eq(bus.requests.payload),
            requests.i.valid.eq(bus.requests.valid & ~pauses.requests),
            bus.requests.ready.eq(requests.i.ready & ~pauses.requests),
            requests.o.ready.eq(moves & last),
            read.addr.eq(offset >> exact_log2(self._word_bytes)),
            write.addr.eq(offset >> exact_log2(self._word_bytes)),
            write.data.eq(bus.writes.payload.data),
            write.en.eq(Mux(self.written_stb & inside, bus.writes.payload.strobes, 0)),
            bus.writes.ready.eq(ripe & head.write & answers.i.ready & ~pauses.writes),
            moves.eq(self.written_stb | (bus.responses.valid & bus.responses.ready & ~answers.o.valid)),
            answers.i.payload.tag.eq(head.tag),
            answers.i.payload.error.eq(error | ~inside),
            answers.i.valid.eq(self.written_stb & last),
        ]
        with m.If(moves):
            m.d.sync += [beat.eq(Mux(last, 0, beat + 1)), error.eq(head.write & ~last & (error | ~inside))]
        with m.If(moves & ~inside & ~self.fault):
            m.d.sync += [self.fault.eq(1), self.fault_address.eq(address), self.fault_write.eq(head.write)]
        self._age(m, requests, ripe)
        self._respond(m, answers.o, head, ripe & ~head.write, last, Mux(inside, read.data, 0), inside, pauses)
        self._show_writes(m, address)
        self._check(m, last)
        return m

    def _age(self, m, requests, ripe):
        """Counts the requests that have waited for the latency."""
        waited = Signal(range(self._in_flight + 1))
        come = Signal()
        history = Signal(self._latency)  # of the clocks in which a request came, this one first
        m.d.comb += [
            come.eq(requests.i.valid & requests.i.ready),
            history[0].eq(come),
            ripe.eq(waited != 0),
        ]
        if self._latency > 1:
            past = Signal(self._latency - 1)
            m.d.sync += past.eq(history)
            m.d.comb += history[1:].eq(past)
        m.d.sync += waited.eq(waited + history[-1] - (requests.o.valid & requests.o.ready))

    def _respond(self, m, answers, head, reads, last, word, inside, pauses):
        """Answers of writes go first: the read that may wait after them came later."""
        response = self.bus.responses.payload
        m.d.comb += self.bus.responses.valid.eq((answers.valid | reads) & ~pauses.responses)
        with m.If(answers.valid):
            m.d.comb += [
                response.tag.eq(answers.payload.tag),
                response.error.eq(answers.payload.error),
                response.last.eq(1),
                answers.ready.eq(self.bus.responses.valid & self.bus.responses.ready),
            ]
        with m.Else():
            m.d.comb += [
                response.tag.eq(head.tag),
                response.data.eq(word),
                response.error.eq(~inside),
                response.last.eq(last),
            ]

    def _pauses(self, m):
        """Draws the pauses of the three channels; the one of the responses does not take back what is offered."""
        pauses = Signal(data.StructLayout({"requests": 1, "writes": 1, "responses": 1}))
        state = Signal(32, init=self._seed)
        m.d.sync += state.eq(next_random(m, state))
        draws = [state.word_select(channel, _CHANCE_BITS) < self._chance for channel in range(3)]
        m.d.sync += [pauses.requests.eq(draws[0]), pauses.writes.eq(draws[1])]
        with m.If(~self.bus.responses.valid | self.bus.responses.ready):
            m.d.sync += pauses.responses.eq(draws[2])
        return pauses

    def _show_writes(self, m, address):
        writes = self.bus.writes
        m.d.comb += [
            self.written_stb.eq(writes.valid & writes.ready),
            self.written_address.eq(address),
            self.written_data.eq(writes.payload.data),
            self.written_strobes.eq(writes.payload.strobes),
        ]

    def _check(self, m, last):
        requests = self.bus.requests
        size = (requests.payload.beats + 1) * self._word_bytes
        m.d.sync += [
            Assert(~requests.valid | (requests.payload.address % self._word_bytes == 0), "an address is not aligned"),
            Assert(~requests.valid | (requests.payload.address % _PAGE + size <= _PAGE), "a request crosses 4 KiB"),
            Assert(~self.written_stb | (self.bus.writes.payload.last == last), "a write ends at the wrong word"),
        ]


class _Answer(data.StructLayout):
    """What is still to be said about a write that is done."""

    def __init__(self, tag_bits):
        super().__init__({"tag": unsigned(tag_bits), "error": unsigned(1)})
