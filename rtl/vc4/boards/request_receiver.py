"""Requests from a stream of bytes."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.crc import Processor
from amaranth.lib.wiring import In, Out

from .protocol import COMMANDS, MOST_WORDS, REQUEST_START, WORD_BYTES, Request
from .structs import CHECK_BYTES, CRC

__all__ = ["RequestReceiver"]

_HEADER_BYTES = Request.as_shape().size // 8


class _Part(enum.Enum):
    """The part of a frame that comes next."""

    START = 0
    HEADER = 1
    WORDS = 2
    CHECK = 3


class RequestReceiver(wiring.Component):
    """Finds requests in a stream of bytes, and tells those that are whole and undamaged.

    Behaviour: a frame begins with `REQUEST_START`. It is dropped if its check is wrong, if it says that it has too many words,
    if a byte is not followed by the next one within `gap_clocks`, or if nobody listens; then the next one may begin with the
    next byte. Its words are written to a buffer as they come. An undamaged request is told in the clock after its last byte.

    Parameters
    ----------
    gap_clocks : clocks from one byte of a frame to the next one at the most

    Interface attributes
    --------------------
    i : the bytes
    listen : else all are ignored
    word_stb, word_index, word_byte, byte : a byte of the words, of which word, and which one of that
    request, request_stb : header of a request, and that it is one now; it stays until the next frame begins
    """

    def __init__(self, gap_clocks: int):
        self._gap_clocks = gap_clocks
        super().__init__(
            {
                "i": In(stream.Signature(8, always_ready=True)),
                "listen": In(1),
                "word_stb": Out(1),
                "word_index": Out(range(MOST_WORDS)),
                "word_byte": Out(range(WORD_BYTES)),
                "byte": Out(8),
                "request": Out(Request),
                "request_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = Processor(CRC)
        part = Signal(_Part)
        place = Signal(range(WORD_BYTES * MOST_WORDS))  # of the next byte in its part
        ends = Signal()
        comes = Signal()
        complete = Signal()
        header = Signal(Request)
        last = Signal.like(place)
        m.d.comb += [
            comes.eq(self.i.valid & self.listen),
            ends.eq(comes & (place == last)),
            crc.start.eq(part == _Part.START),
            crc.data.eq(self.i.payload),
            crc.valid.eq(comes & (part != _Part.START)),
            self.request.eq(header),
            self.request_stb.eq(complete & crc.match_detected),
            self.word_stb.eq(comes & (part == _Part.WORDS)),
            Cat(self.word_byte, self.word_index).eq(place),
            self.byte.eq(self.i.payload),
        ]
        m.d.sync += complete.eq(ends & (part == _Part.CHECK))
        with m.If(comes):
            m.d.sync += place.eq(Mux(ends, 0, place + 1))
        with m.Switch(part):
            with m.Case(_Part.START):
                m.d.sync += place.eq(0)
                with m.If(comes & (self.i.payload == REQUEST_START)):
                    m.d.sync += part.eq(_Part.HEADER)
            with m.Case(_Part.HEADER):
                m.d.comb += last.eq(_HEADER_BYTES - 1)
                with m.If(comes):
                    m.d.sync += header.as_value().word_select(place, 8).eq(self.i.payload)
                with m.If(ends):
                    m.d.sync += part.eq(self._behind(m, header))
            with m.Case(_Part.WORDS):
                m.d.comb += last.eq(header.words * WORD_BYTES - 1)
                with m.If(ends):
                    m.d.sync += part.eq(_Part.CHECK)
            with m.Case(_Part.CHECK):
                m.d.comb += last.eq(CHECK_BYTES - 1)
                with m.If(ends):
                    m.d.sync += part.eq(_Part.START)
        self._pauses(m, part, comes)
        return m

    def _behind(self, m, header):
        """The part after a header: all but its last byte, which is of the address, are there."""
        behind = Signal(_Part)
        carries = Signal()
        carrying = [command for command, form in COMMANDS.items() if form.carries]
        with m.Switch(header.command):
            with m.Case(*carrying):
                m.d.comb += carries.eq(header.words != 0)
        m.d.comb += behind.eq(Mux(carries, _Part.WORDS, _Part.CHECK))
        with m.If(header.words > MOST_WORDS):
            m.d.comb += behind.eq(_Part.START)
        return behind

    def _pauses(self, m, part, comes):
        """A frame that does not go on is none."""
        pause = Signal(range(self._gap_clocks + 1))
        m.d.sync += pause.eq(pause + 1)
        with m.If(comes | (part == _Part.START)):
            m.d.sync += pause.eq(0)
        with m.If(~self.listen | (pause == self._gap_clocks)):
            m.d.sync += [part.eq(_Part.START), pause.eq(0)]
