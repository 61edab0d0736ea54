"""Lines on their way into a cache."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import ceil_log2, exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue

__all__ = ["FILLS", "LINE_BUS", "LineFill", "LineFills", "LinePlace", "WORD_ADDRESS_BITS"]

#: Lines on their way at the most: one for each reader.
FILLS = 4
#: The port to memory of a cache of lines.
LINE_BUS = MemoryPort(word_bytes=BUS_BYTES, tag_bits=ceil_log2(FILLS))
#: Width of the address of a word of the bus.
WORD_ADDRESS_BITS = 32 - exact_log2(BUS_BYTES)


class LinePlace(data.StructLayout):
    """The address of a line of `words` words, and the way that it takes.

    Parameters
    ----------
    words, sets, ways : of the cache
    """

    def __init__(self, words: int, sets: int, ways: int):
        set_bits = exact_log2(sets)
        tag_bits = WORD_ADDRESS_BITS - exact_log2(words) - set_bits
        super().__init__({"set": set_bits, "tag": tag_bits, "way": ceil_log2(ways)})


class LineFill(data.StructLayout):
    """A line on its way: where it belongs, and how many of its words have arrived; of a cache as `LinePlace` has it."""

    def __init__(self, words: int, sets: int, ways: int):
        super().__init__({"set": exact_log2(sets), "way": ceil_log2(ways), "arrived": exact_log2(words)})


class LineFills(wiring.Component):
    """Fetches lines, up to four at a time and one of a set, and writes their words where they belong.

    Behaviour: a line is fetched if none of its set is on its way; `starts` says so in the same clock. One that is
    `wanted` goes first; one `ahead` of its use never takes the last free place. What is not fetched now is not remembered.
    The request is at the bus with the next clock; words are taken as they come.

    Parameters
    ----------
    words, sets, ways : words of a line, and sizes of the cache

    Interface attributes
    --------------------
    wanted_stb, wanted, ahead_stb, ahead : two lines to be fetched
    wants : the first one is
    starts, started : the line that is
    word_set, word_way, word, absent : whether this word is still on its way
    write_enable, write_address, write_data : a word with its error above it; it goes to the place {way, set, word}
    bus : the port to memory
    """

    def __init__(self, words: int, sets: int, ways: int):
        place = LinePlace(words, sets, ways)
        self._fill = LineFill(words, sets, ways)
        self._words = words
        super().__init__(
            {
                "wanted_stb": In(1),
                "wanted": In(place),
                "ahead_stb": In(1),
                "ahead": In(place),
                "wants": Out(1),
                "starts": Out(1),
                "started": Out(place),
                "word_set": In(exact_log2(sets)),
                "word_way": In(ceil_log2(ways)),
                "word": In(exact_log2(words)),
                "absent": Out(1),
                "write_enable": Out(1),
                "write_address": Out(range(words * sets * ways)),
                "write_data": Out(8 * BUS_BYTES + 1),
                "bus": Out(LINE_BUS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Queue(self.bus.signature.request_layout, FILLS)
        connect(m, requests.o, flipped(self.bus.requests))
        fills = [Signal(self._fill, name=f"fill_{number}") for number in range(FILLS)]
        filling = Signal(FILLS)  # which of them are on their way
        free = Signal(FILLS)
        more_free = Signal()  # there is a second free place
        follows = Signal()
        started = Signal(self.started.shape())

        def on_way(line_set):
            return Cat(busy & (fill.set == line_set) for busy, fill in zip(filling, fills, strict=True)).any()

        m.d.comb += [
            free.eq(~filling & -~filling),
            more_free.eq((~filling & ~free).any()),
            self.wants.eq(self.wanted_stb & ~on_way(self.wanted.set) & free.any()),
            follows.eq(self.ahead_stb & ~on_way(self.ahead.set) & more_free),
            self.starts.eq(self.wants | follows),
            started.eq(Mux(self.wants, self.wanted, self.ahead)),
            self.started.eq(started),
            requests.i.valid.eq(self.starts),
            requests.i.payload.address.eq(Cat(C(0, exact_log2(self._words * BUS_BYTES)), started.set, started.tag)),
            requests.i.payload.beats.eq(self._words - 1),
            # A way is named by the line that it holds or by the one that takes its place, so that neither is read too early.
            self.absent.eq(
                Cat(
                    busy & (fill.set == self.word_set) & (fill.way == self.word_way) & (fill.arrived <= self.word)
                    for busy, fill in zip(filling, fills, strict=True)
                ).any()
            ),
        ]
        for number, fill in enumerate(fills):
            with m.If(free[number]):
                m.d.comb += requests.i.payload.tag.eq(number)
            with m.If(self.starts & free[number]):
                m.d.sync += [
                    filling[number].eq(1),
                    fill.set.eq(started.set),
                    fill.way.eq(started.way),
                    fill.arrived.eq(0),
                ]
        self._arrive(m, fills, filling)
        m.d.sync += Assert(~self.starts | requests.i.ready, "a line has no place among the requests")
        return m

    def _arrive(self, m, fills, filling):
        """Words come."""
        response = self.bus.responses
        m.d.comb += [
            response.ready.eq(1),
            self.write_enable.eq(response.valid),
            self.write_data.eq(Cat(response.payload.data, response.payload.error)),
        ]
        with m.Switch(response.payload.tag):
            for number, fill in enumerate(fills):
                with m.Case(number):
                    m.d.comb += self.write_address.eq(Cat(fill.arrived, fill.set, fill.way))
                    with m.If(response.valid):
                        m.d.sync += [
                            fill.arrived.eq(fill.arrived + 1),
                            filling[number].eq(~response.payload.last),
                            Assert(filling[number], "a word comes that nobody has asked for"),
                            Assert(
                                response.payload.last == (fill.arrived == self._words - 1),
                                "a line ends at the wrong word",
                            ),
                        ]
