"""Carries out what has been decided about requests."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort
from vc4.common.queue import Queue

from .structs import Command, Geometry

__all__ = ["COMMANDS", "RESPONSES", "Answers"]

#: Commands that wait while the words of another one are sent.
COMMANDS = 4
#: Two words between block RAM and client, and as many again to take up its pauses.
RESPONSES = 4


class Answers(wiring.Component):
    """Does one command after the other: reads the words of a request and sends them, or asks memory for a line.

    The order is that of the decisions, so every word of a line has been read before memory is asked for the one that
    takes its place.

    Behaviour: a word a clock is read, sent two clocks later, and the next command follows without a gap.

    Parameters
    ----------
    geometry, slots : of the cache

    Interface attributes
    --------------------
    commands : what to do
    read_enable, read_address, read_data : the words, one clock after `read_enable`, each with its error above it
    bus_requests : to memory
    responses : to the clients
    """

    def __init__(self, geometry: Geometry, slots: int):
        self._geometry = geometry
        self._command = Command(geometry, slots)
        client = MemoryPort(word_bytes=geometry.word_bytes, tag_bits=geometry.client_tag_bits)
        self._response = client.response_layout
        bus = MemoryPort(word_bytes=geometry.word_bytes, tag_bits=exact_log2(slots))
        super().__init__(
            {
                "commands": In(stream.Signature(self._command)),
                "read_enable": Out(1),
                "read_address": Out(range(geometry.sets * geometry.ways * geometry.words)),
                "read_data": In(8 * geometry.word_bytes + 1),
                "bus_requests": Out(stream.Signature(bus.request_layout)),
                "responses": Out(stream.Signature(self._response)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        m.submodules.commands = commands = Queue(self._command, COMMANDS)
        m.submodules.responses = responses = Queue(self._response, RESPONSES)
        connect(m, flipped(self.commands), commands.i)
        connect(m, responses.o, flipped(self.responses))
        command, asks = commands.o.payload, self.bus_requests
        request = command.request
        beat = Signal(geometry.word_bits)
        sends = Signal()  # a word is on its way out of the RAM
        last = Signal()
        sent_last = Signal()
        sent_tag = Signal.like(request.tag)
        m.d.comb += [
            last.eq(beat == request.beats),
            # Of the places in the queue, the word on its way takes one.
            self.read_enable.eq(commands.o.valid & ~command.fetches & (responses.level + sends < RESPONSES)),
            self.read_address.eq(Cat((request.word + beat)[: geometry.word_bits], request.set, command.way)),
            asks.valid.eq(commands.o.valid & command.fetches),
            asks.payload.address.eq(
                Cat(C(0, exact_log2(geometry.word_bytes) + geometry.word_bits), request.set, request.line_tag)
            ),
            asks.payload.beats.eq(geometry.words - 1),
            asks.payload.tag.eq(command.slot),
            commands.o.ready.eq((asks.valid & asks.ready) | (self.read_enable & last)),
            responses.i.valid.eq(sends),
            responses.i.payload.data.eq(self.read_data[:-1]),
            responses.i.payload.error.eq(self.read_data[-1]),
            responses.i.payload.last.eq(sent_last),
            responses.i.payload.tag.eq(sent_tag),
        ]
        m.d.sync += [sends.eq(self.read_enable), sent_last.eq(last), sent_tag.eq(request.tag)]
        with m.If(self.read_enable):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))
        return m
