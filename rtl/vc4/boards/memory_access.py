"""Words between a buffer and memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MAX_BEATS, MemoryPort

from .structs import INDEX_BITS

__all__ = ["MemoryAccess"]

_BEAT_BITS = exact_log2(MAX_BEATS)
_ADDRESS_LOW = exact_log2(BUS_BYTES)
_WORD_ADDRESS_BITS = 32 - _ADDRESS_LOW


class MemoryAccess(wiring.Component):
    """Reads words of memory into a buffer, writes those of a buffer, or writes zeros; one request after the other, none of which
    crosses a multiple of `MAX_BEATS` words. A word of the buffer is written every other clock, all others move one a clock.

    Parameters
    ----------
    tag_bits : of the port

    Interface attributes
    --------------------
    start : begin; `write`, `clears`, `address`, a word's, and `words` stay until `done`
    write, clears : memory is written, with zeros
    word_index, read_word : a word of the buffer, which is there one clock after its index
    write_stb, write_word : it gets this one
    bus : the requests
    done : the last clock of it
    error : memory has answered with an error since `start`; counts from the clock after `done` on
    """

    def __init__(self, tag_bits: int):
        super().__init__(
            {
                "start": In(1),
                "write": In(1),
                "clears": In(1),
                "address": In(_WORD_ADDRESS_BITS),
                "words": In(_WORD_ADDRESS_BITS + 1),
                "word_index": Out(INDEX_BITS),
                "read_word": In(8 * BUS_BYTES),
                "write_stb": Out(1),
                "write_word": Out(8 * BUS_BYTES),
                "bus": Out(MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)),
                "done": Out(1),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bus = self.bus
        index = Signal(_WORD_ADDRESS_BITS + 1)  # of the next word
        address = Signal(_WORD_ADDRESS_BITS)
        left = Signal(_WORD_ADDRESS_BITS + 1)
        beats = Signal(_BEAT_BITS)
        most = Signal(_BEAT_BITS)
        beat = Signal(_BEAT_BITS)
        moves = Signal()
        m.d.comb += [
            address.eq(self.address + index),
            left.eq(self.words - index),
            most.eq(~address[:_BEAT_BITS]),
            self.word_index.eq(index),
            bus.requests.payload.address.eq(address << _ADDRESS_LOW),
            bus.requests.payload.write.eq(self.write),
            bus.requests.payload.beats.eq(Mux(left > most, most, left - 1)),
            bus.writes.payload.data.eq(Mux(self.clears, 0, self.read_word)),
            bus.writes.payload.strobes.eq((1 << BUS_BYTES) - 1),
            bus.writes.payload.last.eq(beat == beats),
            self.write_stb.eq(moves & ~self.write),
            self.write_word.eq(bus.responses.payload.data),
        ]
        with m.If(moves):
            m.d.sync += [index.eq(index + 1), beat.eq(beat + 1)]
        with m.FSM(name="access"):
            with m.State("IDLE"):
                m.d.sync += index.eq(0)
                with m.If(self.start):
                    m.d.sync += self.error.eq(0)
                    m.next = "REQUEST"
            with m.State("REQUEST"):
                m.d.comb += [self.done.eq(left == 0), bus.requests.valid.eq(left != 0)]
                m.d.sync += [beats.eq(bus.requests.payload.beats), beat.eq(0)]
                with m.If(self.done):
                    m.next = "IDLE"
                with m.Elif(bus.requests.ready & self.write):
                    m.next = "FETCH"
                with m.Elif(bus.requests.ready):
                    m.next = "READ"
            with m.State("FETCH"):
                m.next = "WRITE"
            with m.State("WRITE"):
                m.d.comb += [bus.writes.valid.eq(1), moves.eq(bus.writes.ready)]
                with m.If(moves & ~self.clears):
                    m.next = "FETCH"
                with m.If(moves & bus.writes.payload.last):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += bus.responses.ready.eq(1)
                with m.If(bus.responses.valid):
                    m.next = "REQUEST"
            with m.State("READ"):
                m.d.comb += [bus.responses.ready.eq(1), moves.eq(bus.responses.valid)]
                with m.If(bus.responses.valid & bus.responses.payload.last):
                    m.next = "REQUEST"
        with m.If(bus.responses.valid & bus.responses.ready & bus.responses.payload.error):
            m.d.sync += self.error.eq(1)
        return m
