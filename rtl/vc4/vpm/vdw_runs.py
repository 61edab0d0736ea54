"""The addresses of a DMA store."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort
from vc4.common.queue import Queue

from .structs import VdwRun, VdwStore

__all__ = ["VdwRuns"]

_WORD_BITS = 2  # of an address, below the word
_PAGE_BITS = 12  # no request crosses 4 KiB
#: Runs that memory knows of before their words come: four rows hide 32 clocks of latency on a bus of 8 bytes.
_DEPTH = 4


class VdwRuns(wiring.Component):
    """Cuts a DMA store into runs: a unit that does not cross 4 KiB in memory is one, another is two.

    Behaviour: takes the next store when the last run of the one before is made. The first run and its request are there
    two clocks later, and one of each comes every clock; either stream may be up to four runs ahead of the other.

    Implements section 8.6 of the fact sheet. Choices where it is silent: the low two bits of the address are dropped;
    those of STRIDE count in the sum, but each unit starts at the word that its address lies in. The words of a unit
    that is longer than the rest of its row go on in the next row. Row 127 is followed by row 0.

    Parameters
    ----------
    word_bytes : width of the bus in bytes
    tag_bits : width of a tag

    Interface attributes
    --------------------
    i : stream of `VdwStore`
    o : stream of `VdwRun`
    requests : stream of the requests of a `MemoryPort`, one for each run
    """

    def __init__(self, *, word_bytes: int, tag_bits: int):
        self._lane_bits = exact_log2(word_bytes) - _WORD_BITS
        request = MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits).request_layout
        super().__init__(
            {
                "i": In(stream.Signature(VdwStore)),
                "o": Out(stream.Signature(VdwRun)),
                "requests": Out(stream.Signature(request)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        depth = Signal(7)  # words of a unit - 1
        stride = Signal(16)
        column = Signal(4)  # of the first word of a unit
        row = Signal(7)  # of the first word of the unit
        units = Signal(7)  # units - 1, from this one on
        length = Signal(7)  # words - 1, from this one on
        place = Signal(11)  # of the next word in the VPM
        address = Signal(32)  # of the next word in memory
        active = Signal()

        m.submodules.runs = runs = Queue(VdwRun, _DEPTH)
        m.submodules.requests = requests = Queue(self.requests.payload.shape(), _DEPTH)
        run = runs.i.payload
        left_in_page = Signal(_PAGE_BITS - _WORD_BITS)  # words - 1
        cut = Signal()
        moves = Signal()
        m.d.comb += [
            left_in_page.eq(~address[_WORD_BITS:_PAGE_BITS]),
            cut.eq(length > left_in_page),
            run.column.eq(place[:4]),
            run.row.eq(place[4:]),
            run.lane.eq(address[_WORD_BITS:]),
            run.length.eq(Mux(cut, left_in_page, length)),
            run.final.eq(~cut & (units == 0)),
            self.i.ready.eq(~active),
            moves.eq(active & runs.i.ready & requests.i.ready),
            runs.i.valid.eq(moves),
            requests.i.valid.eq(moves),
        ]
        self._request(m, requests.i.payload, address, run.length)
        connect(m, runs.o, flipped(self.o))
        connect(m, requests.o, flipped(self.requests))

        store = self.i.payload
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [
                active.eq(1),
                depth.eq(store.basic.depth - 1),
                length.eq(store.basic.depth - 1),
                units.eq(store.basic.units - 1),
                stride.eq(store.stride.stride),
                Cat(column, row).eq(Cat(store.basic.column, store.basic.row)),
                place.eq(Cat(store.basic.column, store.basic.row)),
                address.eq(Cat(C(0, _WORD_BITS), store.address[_WORD_BITS:])),
            ]
        with m.If(moves):
            m.d.sync += address.eq(address + ((run.length + 1) << _WORD_BITS) + Mux(cut, 0, stride))
            with m.If(cut):
                m.d.sync += [length.eq(length - run.length - 1), place.eq(place + run.length + 1)]
            with m.Else():
                m.d.sync += [
                    length.eq(depth),
                    units.eq(units - 1),
                    row.eq(row + 1),
                    place.eq(Cat(column, (row + 1)[: len(row)])),
                    active.eq(~run.final),
                ]
        return m

    def _request(self, m, request, address, length):
        """The words of the bus that hold `length` + 1 words from `address` on."""
        above = _WORD_BITS + self._lane_bits
        lane = address[_WORD_BITS:above]
        m.d.comb += [
            request.address.eq(Cat(C(0, above), address[above:])),
            request.write.eq(1),
            request.beats.eq((lane + length) >> self._lane_bits),
        ]
