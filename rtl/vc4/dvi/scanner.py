"""Rows of a picture from memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort, connect_reads

from .mode import VideoMode
from .picture import PICTURE_BYTES, SIGN, Picture, PictureFormat, Shown
from .row_reads import MOST_WORDS, RowReads

__all__ = ["Scanner"]

#: Sizes in memory.
_LOOKED_UP, _TOLD = (layout.as_shape().size // 8 for layout in (Picture, Shown))


class Scanner(wiring.Component):
    """Brings the next row of a picture from memory while another one is shown; asks what the picture is once a frame, and
    tells what was shown.

    Behaviour: a row that is wanted is `complete` when all of it is there, until the next one is wanted. One that memory has not
    brought by then never is, nor is one that memory answers with an error; the next one is read when memory has brought what was
    asked for before. Rows below the picture, and all if there is none, need nothing. After the rows that show, the picture is
    looked up, and holds for the next frame.

    Parameters
    ----------
    mode : of the screen
    memory_end : address after the last byte of memory, a multiple of 64
    tag_bits : of the port

    Interface attributes
    --------------------
    bus : memory
    next_stb, next_row : this row is wanted
    missed : counts with `next_stb`: a row that shows was not complete when it was to be shown
    complete : the row that is wanted is there
    write_stb, write_address, write_word : to the line buffer, of which odd rows have the upper half
    picture : what is shown in this frame; there is none if its `sign` is wrong
    """

    def __init__(self, mode: VideoMode, memory_end: int, *, tag_bits: int):
        if memory_end % 64:
            raise ValueError(f"memory ends at a multiple of 64, not at {memory_end:#x}")
        self._mode, self._about, self._tag_bits = mode, memory_end - PICTURE_BYTES, tag_bits
        super().__init__(
            {
                "bus": Out(MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)),
                "next_stb": In(1),
                "next_row": In(range(mode.rows.total)),
                "missed": In(1),
                "complete": Out(1),
                "write_stb": Out(1),
                "write_address": Out(1 + exact_log2(MOST_WORDS)),
                "write_word": Out(8 * BUS_BYTES),
                "picture": Out(Picture),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.reads = reads = RowReads(tag_bits=self._tag_bits)
        connect_reads(m, reads.bus, self.bus)
        row = Signal.like(self.next_row)  # the one that was wanted last
        address = Signal(32)  # of its first pixel
        wanted = Signal()  # and it has not begun
        odd = Signal()  # the row that is read is
        looks_up = Signal()  # the picture is read, not a row
        wants_picture = Signal()
        wants_report = Signal()
        shown = Signal(Shown)
        row_words = self._measure(m, row)
        m.d.comb += [
            self.write_stb.eq(reads.write_stb & ~looks_up),
            self.write_address.eq(Cat(reads.write_index, odd)),
            self.write_word.eq(reads.write_word),
            reads.address.eq(Mux(wanted, address, self._about)),
            reads.words.eq(Mux(wanted, row_words, _LOOKED_UP // BUS_BYTES)),
        ]
        with m.If(reads.write_stb & looks_up):
            m.d.sync += self.picture.as_value().word_select(reads.write_index, 8 * BUS_BYTES).eq(reads.write_word)
        with m.FSM(name="scan"):
            with m.State("IDLE"):
                with m.If(wanted):
                    m.d.comb += reads.start.eq(row_words != 0)
                    m.d.sync += [wanted.eq(0), odd.eq(row[0]), looks_up.eq(0), self.complete.eq(row_words == 0)]
                with m.Elif(wants_picture):
                    m.d.comb += reads.start.eq(1)
                    m.d.sync += [wants_picture.eq(0), looks_up.eq(1)]
                with m.Elif(wants_report):
                    m.d.sync += wants_report.eq(0)
                    m.next = "REPORT"
                with m.If(reads.start):
                    m.next = "READ"
            with m.State("READ"):
                with m.If(reads.done):
                    m.d.sync += self.complete.eq(~looks_up & ~wanted & ~reads.failed)
                    m.next = "IDLE"
            self._report(m, shown)
        with m.If(self.next_stb):
            first = self.next_row == 0
            shows = self.next_row < self._mode.rows.shown
            ends = self.next_row == self._mode.rows.shown
            m.d.sync += [
                row.eq(self.next_row),
                address.eq(Mux(first, self.picture.address, address + self.picture.pitch)),
                *(wanted.eq(shows), self.complete.eq(0)),
                *(shown.missed.eq(shown.missed + self.missed), shown.frames.eq(shown.frames + ends)),
                *(wants_picture.eq(wants_picture | ends), wants_report.eq(wants_report | ends)),
            ]
        return m

    def _measure(self, m, row):
        """Words of a row of the picture; none if the row is not in it."""
        picture, columns = self.picture, self._mode.columns.shown
        width = Signal(range(columns + 1))
        words = Signal(range(MOST_WORDS + 1))
        m.d.comb += width.eq(Mux(picture.width < columns, picture.width, columns))
        with m.If((picture.sign == SIGN) & (row < picture.height)):
            with m.Switch(picture.pixels):
                with m.Case(PictureFormat.RGBA8888):
                    m.d.comb += words.eq((width + 1) >> 1)
                with m.Case(PictureFormat.BGR565):
                    m.d.comb += words.eq((width + 3) >> 2)
        return words

    def _report(self, m, shown):
        """Writes what was shown, a word."""
        bus = self.bus
        with m.State("REPORT"):
            m.d.comb += [
                bus.requests.valid.eq(1),
                bus.requests.payload.address.eq(self._about + _LOOKED_UP),
                bus.requests.payload.write.eq(1),
                bus.requests.payload.beats.eq(_TOLD // BUS_BYTES - 1),
            ]
            with m.If(bus.requests.ready):
                m.next = "WORD"
        with m.State("WORD"):
            m.d.comb += [
                bus.writes.valid.eq(1),
                bus.writes.payload.data.eq(shown),
                bus.writes.payload.strobes.eq(~0),
                bus.writes.payload.last.eq(1),
            ]
            with m.If(bus.writes.ready):
                m.next = "ANSWER"
        with m.State("ANSWER"):
            with m.If(bus.responses.valid):
                m.next = "IDLE"
