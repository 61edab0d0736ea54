"""A screen that shows a picture in memory."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.ram import BlockRam

from .mode import VideoMode
from .picture import SIGN, PictureFormat
from .row_reads import MOST_WORDS
from .scanner import Scanner
from .timing import DviTiming
from .tmds_encoder import TmdsEncoder
from .tmds_serializer import TmdsSerializer

__all__ = ["CLOCK_WORD", "MISSED", "WIRES", "Dvi"]

#: Pairs of wires: blue, green, red, clock.
WIRES = 4
#: What goes over the pair of the clock in each pixel.
CLOCK_WORD = 0b0000011111
_RGB = data.StructLayout({"red": 8, "green": 8, "blue": 8})
#: Pixels of a row that memory has not brought in time.
MISSED = 0xFF00FF
#: Colours of the bars where there is no picture; there are as many bars, or some more.
_BARS = 8


class Dvi(wiring.Component):
    """Sends the picture that the end of memory describes (`picture`) over DVI, without sound or anything else of HDMI.

    Behaviour: it goes through the domains `pixel`, a pixel a clock, and `shift`, which has `SHIFT_CLOCKS` in one of `pixel`, from the
    same source. Rows are read from memory while the one before is shown. One that is late is shown in magenta, and counted. Beside the
    picture it is dark; without a picture there are bars of eight colours.

    Parameters
    ----------
    mode : of the screen
    memory_end : address after the last byte of memory, a multiple of 64
    tag_bits : of the port

    Interface attributes
    --------------------
    bus : memory
    bits : two bits for each pair of wires, in `shift`, the first one lowest
    """

    def __init__(self, mode: VideoMode, memory_end: int, *, tag_bits: int):
        self._mode, self._memory_end, self._tag_bits = mode, memory_end, tag_bits
        port = MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)
        super().__init__({"bus": Out(port), "bits": Out(2).array(WIRES)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.timing = timing = DviTiming(self._mode)
        m.submodules.scanner = scanner = Scanner(self._mode, self._memory_end, tag_bits=self._tag_bits)
        m.submodules.buffer = buffer = BlockRam(8 * BUS_BYTES, 2 * MOST_WORDS, read_domain="pixel")
        connect(m, scanner.bus, flipped(self.bus))
        m.d.comb += [
            buffer.write_enable.eq(scanner.write_stb),
            buffer.write_address.eq(scanner.write_address),
            buffer.write_data.eq(scanner.write_word),
            buffer.read_enable.eq(1),
        ]
        there = self._turns(m, timing, scanner)
        colour = self._colour(m, timing, scanner.picture, buffer, there)
        self._send(m, timing, colour)
        return m

    def _turns(self, m, timing, scanner):
        """At the end of each row the one after the next one is wanted. Returns whether the row that is shown is there."""
        there = Signal()
        complete = Signal()
        turn = Signal()  # changes for each row
        turned = Signal()
        before = Signal()
        wanted = Signal.like(timing.row)
        missed = Signal()
        m.submodules.complete = FFSynchronizer(scanner.complete, complete, o_domain="pixel")
        m.submodules.turn = FFSynchronizer(turn, turned, o_domain="sync")
        with m.If(timing.row_ends):
            last = timing.next_row == self._mode.rows.total - 1
            m.d.pixel += [
                *(there.eq(complete), missed.eq(~complete & (timing.next_row < self._mode.rows.shown))),
                *(wanted.eq(Mux(last, 0, timing.next_row + 1)), turn.eq(~turn)),
            ]
        m.d.sync += before.eq(turned)
        # What goes with a turn is still by then, and for a row.
        m.d.comb += [scanner.next_stb.eq(turned ^ before), scanner.next_row.eq(wanted), scanner.missed.eq(missed)]
        return there

    def _colour(self, m, timing, picture, buffer, there):
        """Of the pixel one clock before; what is said of the picture is still while rows show."""
        is_long = picture.pixels == PictureFormat.RGBA8888
        word = Signal(exact_log2(MOST_WORDS))
        column = Signal.like(timing.column)
        inside = Signal()
        colour = Signal(_RGB)
        m.d.comb += [
            word.eq(Mux(is_long, timing.column[1:], timing.column[2:])),
            buffer.read_address.eq(Cat(word, timing.row[0])),
        ]
        bars = Signal(range(_BARS))
        m.d.comb += bars.eq(column >> (self._mode.columns.shown // _BARS).bit_length() - 1)
        m.d.pixel += [
            column.eq(timing.column),
            inside.eq((timing.column < picture.width) & (timing.row < picture.height)),
        ]
        long = buffer.read_data.word_select(column[0], 32)
        short = buffer.read_data.word_select(column[:2], 16)
        with m.If(picture.sign != SIGN):
            m.d.comb += [colour[name].eq(bars[place].replicate(8)) for place, name in enumerate(_RGB.members)]
        with m.Elif(~there):
            m.d.comb += colour.eq(MISSED)
        with m.Elif(inside & is_long):
            m.d.comb += colour.eq(long)
        with m.Elif(inside):
            m.d.comb += [
                colour.blue.eq(Cat(short[2:5], short[0:5])),
                colour.green.eq(Cat(short[9:11], short[5:11])),
                colour.red.eq(Cat(short[13:16], short[11:16])),
            ]
        return colour

    def _send(self, m, timing, colour):
        """Encodes what is there one clock after the timing, and sends it."""
        shown = Signal()
        control = Signal(2)
        m.d.pixel += [shown.eq(timing.shown), control.eq(Cat(timing.hsync, timing.vsync))]
        words = []
        for number, name in enumerate(("blue", "green", "red")):
            m.submodules[name] = encoder = TmdsEncoder()
            m.d.comb += [
                encoder.shown.eq(shown),
                encoder.byte.eq(colour[name]),
                encoder.control.eq(0 if number else control),
            ]
            words.append(encoder.word)
        # A word is loaded two clocks of `shift` after it has changed, or three: it is still then.
        flips = Signal()
        seen = Signal(2)
        load = Signal()
        m.d.pixel += flips.eq(~flips)
        m.d.shift += seen.eq(Cat(flips, seen[0]))
        m.d.comb += load.eq(seen[0] ^ seen[1])
        for number, word in enumerate((*words, Const(CLOCK_WORD, len(words[0])))):
            m.submodules[f"wire_{number}"] = serializer = TmdsSerializer()
            m.d.comb += [serializer.load.eq(load), serializer.word.eq(word), self.bits[number].eq(serializer.bits)]
