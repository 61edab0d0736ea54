"""Words that lie one after another in memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort

__all__ = ["MOST_WORDS", "RowReads"]

#: Words of a row at the most.
MOST_WORDS = 512
#: Words of a request at the most, which is for a block of so many: others have a turn after each, so fewer would be too few for a row
#: while they want all that they can have, and more would have them wait longer.
_BLOCK = 32
#: Words under way at the most.
_UNDER_WAY = 2 * _BLOCK
_LOW_BITS = exact_log2(BUS_BYTES)


class RowReads(wiring.Component):
    """Reads words, with up to two requests of 256 bytes under way.

    Parameters
    ----------
    tag_bits : of the port; all tags are 0

    Interface attributes
    --------------------
    start, address, words : read so many from there on, at least one; not before what was started is `done`
    write_stb, write_index, write_word : a word of them has come
    done : all have come, and nothing is under way
    failed : memory has answered with an error since `start`; counts with `done`
    bus : memory, which is only read
    """

    def __init__(self, *, tag_bits: int):
        super().__init__(
            {
                "start": In(1),
                "address": In(32),
                "words": In(range(MOST_WORDS + 1)),
                "write_stb": Out(1),
                "write_index": Out(range(MOST_WORDS)),
                "write_word": Out(8 * BUS_BYTES),
                "done": Out(1),
                "failed": Out(1),
                "bus": Out(MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        requests, responses = self.bus.requests, self.bus.responses
        place = Signal(32 - _LOW_BITS)  # the next word to ask for
        left = Signal(range(MOST_WORDS + 1))
        under_way = Signal(range(_UNDER_WAY + 1))
        room = Signal(range(_BLOCK + 1))  # words up to the end of a block
        count = Signal(range(_BLOCK + 1))
        asks = Signal()
        active = Signal()
        m.d.comb += [
            room.eq(_BLOCK - place[: exact_log2(_BLOCK)]),
            count.eq(Mux(left < room, left, room)),
            requests.payload.address.eq(place << _LOW_BITS),
            requests.payload.beats.eq(count - 1),
            requests.valid.eq((left != 0) & (under_way <= _UNDER_WAY - _BLOCK)),
            asks.eq(requests.valid & requests.ready),
            responses.ready.eq(1),
            self.write_stb.eq(active & responses.valid),
            self.write_word.eq(responses.payload.data),
            self.done.eq(active & (left == 0) & (under_way == 0)),
        ]
        m.d.sync += under_way.eq(under_way + Mux(asks, count, 0) - self.write_stb)
        with m.If(asks):
            m.d.sync += [place.eq(place + count), left.eq(left - count)]
        with m.If(self.write_stb):
            m.d.sync += [
                self.write_index.eq(self.write_index + 1),
                self.failed.eq(self.failed | responses.payload.error),
            ]
        with m.If(self.done):
            m.d.sync += active.eq(0)
        with m.If(self.start):
            m.d.sync += [
                *(place.eq(self.address >> _LOW_BITS), left.eq(self.words), active.eq(1)),
                *(self.write_index.eq(0), self.failed.eq(0)),
            ]
        return m
