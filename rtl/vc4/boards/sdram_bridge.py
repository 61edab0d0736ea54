"""From the port of memory to a controller of SDRAM."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue

__all__ = ["SdramBridge"]

#: Requests and commands that wait: two places pass one a clock, and keep the ready of both sides apart.
_DEPTH = 2
#: Words of reads under way, and answers that wait.
_WORDS = 16


class SdramBridge(wiring.Component):
    """Asks a controller of SDRAM, whose words are narrower than the bus, for what comes through a `MemoryPort`.

    Behaviour: requests are carried out one after the other, a command of the controller each clock, and answered in their
    order. The controller does them in the order in which it gets them, and answers reads in it, too. It takes the data of a write
    when it likes, but later than the command. The answer to a write comes when the controller has its commands or will get them
    before all later ones. After the end of memory, reads give 0 and writes do nothing, both with `error`.

    Parameters
    ----------
    size : bytes of memory, a power of two of 4 KiB or more, from address 0 on
    word_bytes : bytes of a word of the controller, at most `BUS_BYTES`
    tag_bits : width of a tag

    Interface attributes
    --------------------
    bus : the requests
    enable : commands are given
    commands : to the controller: `write`, and the number of a word
    words : to the controller: `data` and `strobes`, one bit a byte, of the writes in their order; one is there when it is wanted
    reads : from the controller: words; none may wait
    error_stb, error_address : a response that is taken now is an error, and the address of its request
    """

    def __init__(self, size: int, *, word_bytes: int, tag_bits: int):
        self._parts = BUS_BYTES // word_bytes
        self._size_bits = exact_log2(size)
        self._word_layout = data.StructLayout({"data": 8 * word_bytes, "strobes": word_bytes})
        word_bits = self._size_bits - exact_log2(word_bytes)
        self._command_layout = data.StructLayout({"write": 1, "word": word_bits})
        super().__init__(
            {
                "bus": In(MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)),
                "enable": In(1),
                "commands": Out(stream.Signature(self._command_layout)),
                "words": Out(stream.Signature(self._word_layout)),
                "reads": In(stream.Signature(8 * word_bytes, always_ready=True)),
                "error_stb": Out(1),
                "error_address": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bus = self.bus
        layout = bus.signature.request_layout
        about = {"write": 1, "error": 1, "last": 1, "tag": bus.signature.tag_bits, "address": 32}
        m.submodules.requests = requests = Queue(layout, _DEPTH)
        m.submodules.commands = commands = Queue(self._command_layout, _DEPTH)
        m.submodules.words = words = Queue(self._word_layout, _WORDS)
        m.submodules.answers = answers = Queue(data.StructLayout(about), _WORDS)
        m.submodules.found = found = Queue(8 * BUS_BYTES, _WORDS)
        connect(m, flipped(bus.requests), requests.i)
        connect(m, words.o, flipped(self.words))
        m.d.comb += [
            self.commands.payload.eq(commands.o.payload),
            self.commands.valid.eq(commands.o.valid & self.enable),
            commands.o.ready.eq(self.commands.ready & self.enable),
        ]
        under_way = Signal(range(_WORDS + 1))  # words of reads that are asked for and not answered
        self._ask(m, requests.o, (commands.i, words.i, answers.i), under_way)
        self._gather(m, found)
        taken = self._answer(m, answers.o, found.o)
        starts = Signal()
        first = commands.i.payload.word[: self._part_bits] == 0
        m.d.comb += starts.eq(commands.i.valid & ~commands.i.payload.write & first)
        m.d.sync += under_way.eq(under_way + starts - taken)
        m.d.sync += Assert(~self.words.ready | self.words.valid, "SDRAM wants a word that is not there")
        return m

    @property
    def _part_bits(self) -> int:
        return exact_log2(self._parts)

    def _ask(self, m, request, places, under_way):
        """The next command: a part of a word of the request that is first."""
        commands, words, answers = places
        writes = self.bus.writes
        asked = request.payload
        beat = Signal(8)
        part = Signal(range(self._parts))
        address = Signal(32)
        outside = Signal()
        comes = Signal()
        goes = Signal()
        ends = Signal()
        last = Signal()
        m.d.comb += [
            address.eq(asked.address + (beat << exact_log2(BUS_BYTES))),
            outside.eq(address[self._size_bits :] != 0),
            last.eq(beat == asked.beats),
            # All that it may need has room.
            comes.eq(request.valid & commands.ready & answers.ready & words.ready),
            goes.eq(comes & Mux(asked.write, writes.valid, (part != 0) | (under_way != _WORDS))),
            ends.eq(goes & (outside | (part == self._parts - 1))),
            commands.valid.eq(goes & ~outside),
            commands.payload.write.eq(asked.write),
            commands.payload.word.eq(Cat(part[: self._part_bits], address[exact_log2(BUS_BYTES) : self._size_bits])),
            words.valid.eq(goes & asked.write & ~outside),
            words.payload.data.eq(writes.payload.data.word_select(part, len(words.payload.data))),
            words.payload.strobes.eq(writes.payload.strobes.word_select(part, len(words.payload.strobes))),
            writes.ready.eq(ends & asked.write),
            answers.valid.eq(ends & (last | ~asked.write)),
            *(getattr(answers.payload, name).eq(getattr(asked, name)) for name in ("write", "tag", "address")),
            *(answers.payload.error.eq(outside), answers.payload.last.eq(last)),
            request.ready.eq(ends & last),
        ]
        with m.If(goes):
            m.d.sync += part.eq(Mux(ends, 0, part + 1))
        with m.If(ends):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))

    def _gather(self, m, found):
        """Parts that were read become words of the bus."""
        part = Signal(range(self._parts))
        width = len(self.reads.payload)
        before = Signal(8 * BUS_BYTES - width)  # the parts that are there, the last one highest
        word = Cat(before, self.reads.payload)
        m.d.comb += [found.i.payload.eq(word), found.i.valid.eq(self.reads.valid & (part == self._parts - 1))]
        with m.If(self.reads.valid):
            m.d.sync += [before.eq(word[width:]), part.eq(Mux(part == self._parts - 1, 0, part + 1))]
        m.d.sync += Assert(~found.i.valid | found.i.ready, "SDRAM has read what nobody has asked for")

    def _answer(self, m, answers, found):
        """Responses, in the order of requests; returns that a word of a read is taken."""
        responses = self.bus.responses
        answer = answers.payload
        reads = Signal()
        taken = Signal()
        m.d.comb += [
            reads.eq(~answer.write & ~answer.error),
            responses.valid.eq(answers.valid & (found.valid | ~reads)),
            answers.ready.eq(responses.ready & (found.valid | ~reads)),
            found.ready.eq(answers.valid & responses.ready & reads),
            taken.eq(found.valid & found.ready),
            responses.payload.tag.eq(answer.tag),
            responses.payload.data.eq(Mux(reads, found.payload, 0)),
            responses.payload.last.eq(answer.last),
            responses.payload.error.eq(answer.error),
            self.error_stb.eq(responses.valid & responses.ready & answer.error),
            self.error_address.eq(answer.address),
        ]
        return taken
