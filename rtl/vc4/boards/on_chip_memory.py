"""Memory in block RAMs."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue
from vc4.common.ram import BlockRam

__all__ = ["OnChipMemory"]

_DEPTH = 2


class OnChipMemory(wiring.Component):
    """`size` bytes of block RAM from address `base` on, one bus word a clock.

    Behaviour: requests are carried out one after the other. The first word of a read comes three clocks after its request, and
    the words of a write are taken from the clock after it on. Outside of the memory, reads give 0 and writes do nothing, both
    with `error`. What is written, and the address, are in registers in front of the block RAMs, which may be far apart.

    Parameters
    ----------
    size : bytes, a multiple of `BUS_BYTES`
    base : address of the first byte, a multiple of `BUS_BYTES`
    tag_bits : width of a tag

    Interface attributes
    --------------------
    bus : the requests
    ready : requests are taken; always
    error_stb, error_address : a response that is taken now is an error, and the address of the word
    """

    def __init__(self, size: int, base: int, tag_bits: int):
        if size <= 0 or size % BUS_BYTES or base % BUS_BYTES:
            raise ValueError(f"size {size!r} and base {base!r} must be multiples of {BUS_BYTES}")
        self.size, self.base = size, base
        port = MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)
        super().__init__({"bus": In(port), "ready": Out(1, init=1), "error_stb": Out(1), "error_address": Out(32)})

    def elaborate(self, platform):
        m = Module()
        bus = self.bus
        m.submodules.words = words = BlockRam(8 * BUS_BYTES, self.size // BUS_BYTES, granularity=8, exclusive=True)
        m.submodules.requests = requests = Queue(bus.signature.request_layout, _DEPTH)
        request = requests.o.payload
        about = data.StructLayout({"valid": 1, "address": 32, "tag": len(request.tag), "last": 1, "error": 1})
        access = Signal(about)  # of the word in the registers in front of the block RAM, if it has a response
        answer = Signal(about)  # what is offered as response; its data is in the register of the block RAM
        reads = Signal()
        strobes = Signal(BUS_BYTES)
        beat = Signal(8)
        address = Signal(32)
        offset = Signal(32)
        inside = Signal()
        last = Signal()
        answer_is_free = Signal()
        access_is_free = Signal()
        moves = Signal()
        m.d.comb += [
            requests.i.payload.eq(bus.requests.payload),
            requests.i.valid.eq(bus.requests.valid),
            bus.requests.ready.eq(requests.i.ready),
            address.eq(request.address + (beat << exact_log2(BUS_BYTES))),
            offset.eq(address - self.base),
            inside.eq(offset < self.size),
            last.eq(beat == request.beats),
            answer_is_free.eq(~answer.valid | bus.responses.ready),
            access_is_free.eq(~access.valid | answer_is_free),
            bus.writes.ready.eq(requests.o.valid & request.write & access_is_free),
            moves.eq(requests.o.valid & access_is_free & (bus.writes.valid | ~request.write)),
            requests.o.ready.eq(moves & last),
            words.read_enable.eq(reads & answer_is_free),
            # While it waits for its response, a word is written again and again.
            words.write_enable.eq(strobes),
        ]
        with m.If(access_is_free):
            m.d.sync += [
                access.valid.eq(moves & (last | ~request.write)),
                reads.eq(~request.write),
                strobes.eq(Mux(moves & request.write & inside, bus.writes.payload.strobes, 0)),
                words.write_data.eq(bus.writes.payload.data),
                *(port.eq(offset >> exact_log2(BUS_BYTES)) for port in (words.read_address, words.write_address)),
            ]
        with m.If(moves):
            m.d.sync += [
                beat.eq(Mux(last, 0, beat + 1)),
                access.address.eq(address),
                access.tag.eq(request.tag),
                access.last.eq(last),
                access.error.eq(~inside | (request.write & (beat != 0) & access.error)),
            ]
        with m.If(answer_is_free):
            m.d.sync += answer.eq(access)
        self._respond(m, answer, words.read_data)
        return m

    def _respond(self, m, answer, word):
        responses = self.bus.responses
        m.d.comb += [
            self.ready.eq(1),
            responses.valid.eq(answer.valid),
            responses.payload.tag.eq(answer.tag),
            responses.payload.data.eq(Mux(answer.error, 0, word)),
            responses.payload.last.eq(answer.last),
            responses.payload.error.eq(answer.error),
            self.error_stb.eq(answer.valid & responses.ready & answer.error),
            self.error_address.eq(answer.address),
        ]
