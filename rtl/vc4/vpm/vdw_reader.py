"""The reads of a DMA store."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.common.queue import Queue

from .dma_requests import PAGE_BITS
from .dma_units import next_place
from .structs import PLACE_BITS, DmaUnit, QuadAddress, VdwBurst, VdwQuad, Words, quad_address

__all__ = ["VdwReader"]

#: A quad that is read in one clock comes in the next and leaves the queue in the one after: three places let one be
#: read every clock, the fourth keeps the count a power of two.
_DEPTH = 4
#: Bursts whose quads are on their way: short ones may be a quad each.
_BURSTS = 8
_QUAD_BITS = 4  # of a place, within the quad


class VdwReader(wiring.Component):
    """Reads the quads of each unit from the VPM.

    Behaviour: the first quad of a unit is asked for one clock after the unit came, and is at the output two clocks
    after it was read. Asks for one quad a clock, also from unit to unit, while there is room at both outputs.

    Parameters
    ----------
    word_bytes : width of the bus in bytes

    Interface attributes
    --------------------
    i : stream of `DmaUnit`
    spread : elements lie 1 << spread times as far apart in the VPM as in memory; steady while a block is stored
    quads : stream of `VdwQuad`
    bursts : stream of `VdwBurst`, one for each unit
    reads : stream of `QuadAddress`, to the store
    read_data : the quad, one clock after its address moved
    finished : strobe: the last quad of the last unit of a block is being read
    """

    def __init__(self, *, word_bytes: int):
        self._lane_bits = exact_log2(word_bytes)
        super().__init__(
            {
                "i": In(stream.Signature(DmaUnit)),
                "spread": In(range(3)),
                "quads": Out(stream.Signature(VdwQuad)),
                "bursts": Out(stream.Signature(VdwBurst(self._lane_bits))),
                "reads": Out(stream.Signature(QuadAddress)),
                "read_data": In(Words),
                "finished": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.quads = quads = Queue(VdwQuad, _DEPTH)
        m.submodules.bursts = bursts = Queue(self.bursts.payload.shape(), _BURSTS)
        connect(m, quads.o, flipped(self.quads))
        connect(m, bursts.o, flipped(self.bursts))

        active = Signal()
        vertical = Signal()
        place = Signal(PLACE_BITS)  # of the quad
        left = Signal(6)  # quads - 1, from this one on
        final = Signal()
        unit = self.i.payload
        span = Signal(len(unit.length))  # bytes in the VPM - 1
        end = Signal(len(span) + 1)  # the last byte, from the start of the first quad on
        last = Signal()
        moves = Signal()
        takes = Signal()
        fetched = Signal(VdwQuad)  # what goes with the words that come
        fetched_valid = Signal()
        m.d.comb += [
            span.eq((unit.length << self.spread) | Cat(self.spread.any(), self.spread[1])),
            # Of a spread element the whole word counts.
            end.eq(Mux(self.spread.any(), unit.place[2:_QUAD_BITS] << 2, unit.place[:_QUAD_BITS]) + span),
            last.eq(left == 0),
            self.reads.valid.eq(active & (quads.level + fetched_valid < _DEPTH)),
            self.reads.payload.eq(quad_address(vertical, place)),
            moves.eq(self.reads.valid & self.reads.ready),
            self.finished.eq(moves & last & final),
            self.i.ready.eq((~active | (moves & last)) & bursts.i.ready),
            takes.eq(self.i.valid & self.i.ready),
            bursts.i.valid.eq(self.i.valid & (~active | (moves & last))),
        ]
        with m.If(moves):
            m.d.sync += [
                active.eq(~last),
                place.eq(next_place(vertical, place, C(1 << _QUAD_BITS, PLACE_BITS))),
                left.eq(left - 1),
            ]
        with m.If(takes):
            m.d.sync += [
                active.eq(1),
                vertical.eq(unit.vertical),
                place.eq(unit.place),
                left.eq(end >> _QUAD_BITS),
                final.eq(unit.final),
            ]

        m.d.sync += [
            fetched_valid.eq(moves),
            fetched.index.eq(place[_QUAD_BITS:]),
            fetched.last.eq(last),
        ]
        m.d.comb += [
            quads.i.valid.eq(fetched_valid),
            quads.i.payload.eq(fetched),
            quads.i.payload.words.eq(self.read_data),
        ]
        self._burst(m, bursts.i.payload)
        return m

    def _burst(self, m, burst):
        """What the packer has to know of a unit; the bytes of a spread one are counted as `VdwGather` packs them."""
        unit = self.i.payload
        first = Signal(_QUAD_BITS)
        last = Signal(len(unit.length) + 1)  # byte, from the start of the first word of the bus on
        with m.Switch(self.spread):
            with m.Case(0):
                m.d.comb += first.eq(unit.place)
            with m.Case(1):
                m.d.comb += first.eq(unit.place[2:] << 1)
            with m.Case(2):
                m.d.comb += first.eq(unit.place[2:])
        m.d.comb += [
            burst.first_lane.eq(unit.address),
            last.eq(unit.address[: self._lane_bits] + unit.length),
            burst.last_lane.eq(last),
            burst.words.eq(last >> self._lane_bits),
            burst.page_word.eq(unit.address[self._lane_bits : PAGE_BITS]),
            burst.start.eq(first - unit.address[: self._lane_bits]),
        ]
