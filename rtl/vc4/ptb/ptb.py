"""The primitive tile binner."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort, connect_memory
from vc4.cle.cle import PipelinePort
from vc4.common.queue import Queue
from vc4.errata import Erratum
from vc4.vcm.structs import VcmItem
from vc4.vpm.structs import QuadAddress, Words

from .clipper import Clipper
from .coordinate_reader import CoordinateReader
from .structs import TileItem
from .tile_lists import GIVEN, TOLD, TileLists
from .touched_tiles import TouchedTiles

__all__ = ["Ptb", "connect_binner"]

#: Between what finds tiles and what writes their lists: tiles are found while memory answers.
_ITEMS = 8
_MOST_ANSWERS = 255
#: Strobes of `TileLists`, as it has them.
_RAISED = ("raises_out_of_memory", "raises_spill_use")


class Ptb(wiring.Component):
    """Shaded primitives into the lists of the tiles that they touch; see `CoordinateReader`, `Clipper`, `TouchedTiles` and `TileLists`
    for what is what (guide, sections 8 and 9).

    Behaviour: all items go through in the order of the list. A reset comes to its end when memory has answered everything; then all
    is forgotten, in one clock.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    binner : what is binned
    reads, words : vertices in the VPM
    clipping : primitives are clipped at all
    overspill_address, overspill_size, overspill_size_stb : BPOA, and a write of BPOS
    pool_address, pool_size, overspill_left : BPCA, BPCS, BPOS
    out_of_memory : it waits for memory for tile lists
    raises_out_of_memory, raises_spill_use : strobes for the interrupts
    outside, clipped : strobes: a primitive is outside, or cut
    bus : the way into memory
    """

    binner: In(PipelinePort(VcmItem))
    reads: Out(stream.Signature(QuadAddress))
    words: In(Words)
    clipping: In(1)
    overspill_address: In(32)
    overspill_size: In(32)
    overspill_size_stb: In(1)
    pool_address: Out(32)
    pool_size: Out(32)
    overspill_left: Out(32)
    out_of_memory: Out(1)
    raises_out_of_memory: Out(1)
    raises_spill_use: Out(1)
    outside: Out(1)
    clipped: Out(1)
    bus: Out(MemoryPort(word_bytes=BUS_BYTES))

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        reader, clipper, touched, lists = CoordinateReader(), Clipper(), TouchedTiles(), TileLists(self._errata)
        items = Queue(TileItem, _ITEMS)
        resetting = Signal()
        forgets = Signal()
        for name, part in (
            *(("coordinate_reader", reader), ("clipper", clipper), ("touched_tiles", touched)),
            *(("items", items), ("tile_lists", lists)),
        ):
            m.submodules[name] = ResetInserter(forgets)(part)
        for one, other in (
            *((reader.reads, flipped(self.reads)), (reader.o, clipper.i), (clipper.o, touched.i)),
            *((touched.o, items.i), (items.o, lists.i), (clipper.words, lists.words)),
        ):
            connect(m, one, other)
        m.d.comb += [
            reader.i.valid.eq(self.binner.items.valid & ~resetting),
            reader.i.payload.eq(self.binner.items.payload),
            self.binner.items.ready.eq(reader.i.ready & ~resetting),
            *(reader.quad.eq(self.words), reader.clipping.eq(self.clipping)),
            *(clipper.word.eq(reader.word), clipper.word_stb.eq(reader.word_stb)),
            *(self.outside.eq(clipper.outside), self.clipped.eq(clipper.clipped)),
            *(getattr(lists, name).eq(getattr(self, name)) for name in GIVEN),
            *(getattr(self, name).eq(getattr(lists, name)) for name in (*TOLD, *_RAISED)),
            self.binner.busy.eq(resetting | reader.busy | clipper.busy | touched.busy | items.o.valid | lists.busy),
            self.binner.stalled.eq(lists.failed | lists.out_of_memory),
            self.binner.finished.eq(lists.flushed & ~resetting),
        ]
        self._reset(m, lists.port, resetting, forgets)
        return m

    def _reset(self, m, port, resetting, forgets):
        """Memory hears of nothing new; when it owes no answer everything is forgotten."""
        passes = Signal()
        offered = Signal()  # a request that was not taken stays
        owed = Signal(range(_MOST_ANSWERS + 1))
        asks = Signal()
        answers = Signal()
        asked, bus = port.requests, self.bus.requests
        connect_memory(m, port, flipped(self.bus))
        m.d.comb += [
            passes.eq((~resetting | offered) & (owed != _MOST_ANSWERS)),
            bus.valid.eq(asked.valid & passes),
            asked.ready.eq(bus.ready & passes),
            asks.eq(bus.valid & bus.ready),
            answers.eq(self.bus.responses.valid & self.bus.responses.ready & self.bus.responses.payload.last),
            forgets.eq(resetting & ~offered & (owed == 0)),
        ]
        m.d.sync += [
            offered.eq(bus.valid & ~bus.ready),
            owed.eq(owed + asks - answers),
            resetting.eq(self.binner.reset | (resetting & ~forgets)),
        ]


def connect_binner(m, v3d, registers, client):
    """The binner within the GPU: control lists, vertices, registers, memory."""
    m.submodules.ptb = ptb = v3d.ptb
    connect(m, v3d.vertex_pipe.binner, ptb.binner)
    connect(m, ptb.reads, v3d.vpm.vertex_reads[0])
    connect_memory(m, ptb.bus, client)
    m.d.comb += [
        v3d.bins.eq(ptb.binner.busy & ~ptb.binner.stalled),
        ptb.words.eq(v3d.vpm.vertex_words),
        ptb.clipping.eq(~registers.values.BXCF.CLIPDISA),
        ptb.overspill_address.eq(registers.values.BPOA.BMPOA),
        ptb.overspill_size.eq(registers.written.BPOS.BMPOS),
        ptb.overspill_size_stb.eq(registers.written.BPOS.stb),
        registers.live.BPCA.BMPCA.eq(ptb.pool_address),
        registers.live.BPCS.BMPRS.eq(ptb.pool_size),
        registers.live.BPOS.BMPOS.eq(ptb.overspill_left),
        registers.raised.INT_OUTOMEM.eq(ptb.raises_out_of_memory),
        registers.raised.INT_SPILLUSE.eq(ptb.raises_spill_use),
        v3d.vertex_pipe.out_of_memory.eq(ptb.out_of_memory),
    ]
