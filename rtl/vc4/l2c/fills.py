"""Lines that come from memory into the L2C."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort

from .structs import Geometry, LineRequest

__all__ = ["Fills"]


class Fills(wiring.Component):
    """Writes the words of lines where they belong, and the tag of a line when it is complete.

    Behaviour: a word a clock is taken; a tag is written in the clock after the last word, or later if that place is
    `busy`. The tag of a line is not written if memory did not have all of its words, nor if since the request the cache
    was disabled or cleared.

    Parameters
    ----------
    geometry, slots : of the cache

    Interface attributes
    --------------------
    responses : words from memory, with slots as tags
    arriving, arrives, way, word, request : the slot of a word, whether the word is taken, and what `Slots` knows of it
    write_enable, write_address, write_data : the word with its error above it
    keeps : the cache is enabled and not being cleared
    fetches, fetched : memory is asked for a line, and for which slot
    busy : another tag is written
    tag_write, tag_request, tag_way : a tag is written
    filled_stb, filled : a line is complete, and its slot
    """

    def __init__(self, geometry: Geometry, slots: int):
        self._slots = slots
        number = exact_log2(slots)
        port = MemoryPort(word_bytes=geometry.word_bytes, tag_bits=number)
        super().__init__(
            {
                "responses": In(stream.Signature(port.response_layout)),
                "arriving": Out(number),
                "arrives": Out(1),
                "way": In(geometry.way_bits),
                "word": In(geometry.word_bits),
                "request": In(LineRequest(geometry)),
                "write_enable": Out(1),
                "write_address": Out(range(geometry.sets * geometry.ways * geometry.words)),
                "write_data": Out(8 * geometry.word_bytes + 1),
                "keeps": In(1),
                "fetches": In(1),
                "fetched": In(number),
                "busy": In(1),
                "tag_write": Out(1),
                "tag_request": Out(LineRequest(geometry)),
                "tag_way": Out(geometry.way_bits),
                "filled_stb": Out(1),
                "filled": Out(number),
            }
        )

    def elaborate(self, platform):
        m = Module()
        response = self.responses.payload
        kept = Signal(self._slots)  # lines to be kept
        complete = Signal()
        arrives = Signal()
        m.d.comb += [
            self.responses.ready.eq(~(complete & self.busy)),
            arrives.eq(self.responses.valid & self.responses.ready),
            self.arrives.eq(arrives),
            self.arriving.eq(response.tag),
            self.write_enable.eq(arrives),
            self.write_address.eq(Cat(self.word, self.request.set, self.way)),
            self.write_data.eq(Cat(response.data, response.error)),
            self.filled_stb.eq(complete & ~self.busy),
            self.tag_write.eq(self.filled_stb & kept.bit_select(self.filled, 1)),
        ]
        with m.If(~complete | ~self.busy):
            m.d.sync += [
                complete.eq(arrives & response.last),
                self.filled.eq(response.tag),
                self.tag_request.eq(self.request),
                self.tag_way.eq(self.way),
            ]
        for slot in range(self._slots):
            with m.If((arrives & response.error & (response.tag == slot)) | ~self.keeps):
                m.d.sync += kept[slot].eq(0)
            with m.Elif(self.fetches & (self.fetched == slot)):
                m.d.sync += kept[slot].eq(1)
        return m
