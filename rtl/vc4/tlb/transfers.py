"""Tiles between the tile buffer and memory."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.structs import PipelineRecord

from .bus_bursts import BusBursts
from .bus_words import BusWords
from .structs import TileClear, TileForm
from .tile_addresses import TileAddresses
from .tile_loads import TileLoads
from .tile_port import TilePort
from .tile_reads import TileReads
from .tile_walk import TileWalk
from .transfer_records import TransferRecords

__all__ = ["TlbTransfers"]


class TlbTransfers(wiring.Component):
    """Carries out the records of the tile buffer: stores and loads of tiles, clears (guide, section 5; pipeline facts, 5.4 to 5.7;
    docs/reference/rendering.md, tile buffer in memory).

    Behaviour: a record is taken when everything is done, and all of it is in memory. Two pixels a clock are stored or loaded,
    or one sample of a pixel or of a quad whose mean is stored; with multisampling a load takes a clock for each sample. Rows and
    columns of microtiles that the frame does not have take no time. Nobody else uses the memories meanwhile, unless it is a store
    `beside` what is drawn in the other tile buffer.

    Interface attributes
    --------------------
    records : stream of `PipelineRecord`; others than those of the tile buffer do nothing
    form : how the tile buffer is divided
    tile : its memories
    clears : stream of `TileClear`
    finished : strobe: the last store of a frame has ended
    port : the way into memory
    buffer : which tile buffer is drawn, if there are two
    beside : a store goes on, whose record has been taken
    """

    records: In(stream.Signature(PipelineRecord))
    form: Out(TileForm)
    tile: Out(TilePort())
    clears: Out(stream.Signature(TileClear))
    finished: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))
    buffer: Out(1)
    beside: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.control = control = TransferRecords()
        m.submodules.walk = walk = TileWalk()
        m.submodules.addresses = addresses = TileAddresses()
        m.submodules.reads = reads = TileReads()
        m.submodules.loads = loads = TileLoads()
        m.submodules.words = words = BusWords()
        m.submodules.bursts = bursts = BusBursts()
        transfer, tile = control.transfer, self.tile
        connect(m, flipped(self.records), control.records)
        connect(m, control.clears, flipped(self.clears))
        connect(m, walk.o, addresses.i)
        connect(m, words.o, bursts.i)
        connect(m, bursts.requests, flipped(self.port.requests))
        connect(m, bursts.writes, flipped(self.port.writes))
        for name in ("colour_reads", "mask_reads"):
            connect(m, getattr(reads, name), flipped(getattr(tile, name)))
        for name in ("colours", "masks"):
            connect(m, flipped(getattr(tile, name)), getattr(reads, name))
        for name in ("colour_writes", "mask_writes"):
            connect(m, getattr(loads, name), flipped(getattr(tile, name)))
        _share(m, transfer.loads, loads.i, reads.i, addresses.o)
        _choose(m, transfer.loads, loads.chunks, reads.o, words.i)
        _choose(m, transfer.loads, loads.depth_writes, reads.depth_writes, tile.depth_writes)
        # Chunks of loads have no data, reads of Z no words.
        m.d.comb += [
            words.i.payload.data.eq(reads.o.payload.data),
            tile.depth_writes.payload.words.eq(loads.depth_writes.payload.words),
        ]
        answers, responses = tile.depth_answers, self.port.responses
        m.d.comb += [
            self.form.eq(control.form),
            self.finished.eq(control.finished),
            self.buffer.eq(control.buffer),
            self.beside.eq(control.beside),
            *(part.transfer.eq(transfer) for part in (walk, addresses, reads, loads)),
            walk.starts.eq(control.starts),
            addresses.starts.eq(control.starts),
            *(part.area.eq(control.area) for part in (walk, addresses)),
            bursts.loads.eq(transfer.loads),
            bursts.clear.eq(control.starts),
            loads.fresh.eq(words.fresh),
            reads.depth_answers.valid.eq(answers.valid & ~transfer.loads),
            reads.depth_answers.payload.eq(answers.payload),
            answers.ready.eq(transfer.loads | reads.depth_answers.ready),
            loads.answered.eq(answers.valid & transfer.loads),
            loads.responses.valid.eq(responses.valid & transfer.loads),
            loads.responses.payload.eq(responses.payload),
            responses.ready.eq(~transfer.loads | loads.responses.ready),
            bursts.answered.eq(responses.valid & responses.ready & (~transfer.loads | responses.payload.last)),
            control.ends.eq(bursts.done & ~loads.busy),
        ]
        return m


def _share(m, which, first, second, source):
    """What comes goes to the first one, or to the second one."""
    m.d.comb += [
        first.payload.eq(source.payload),
        second.payload.eq(source.payload),
        first.valid.eq(source.valid & which),
        second.valid.eq(source.valid & ~which),
        source.ready.eq(Mux(which, first.ready, second.ready)),
    ]


def _choose(m, which, first, second, to):
    """What goes on comes from the first one, or from the second one."""
    m.d.comb += [
        to.payload.eq(Mux(which, first.payload, second.payload)),
        to.valid.eq(Mux(which, first.valid, second.valid)),
        first.ready.eq(to.ready & which),
        second.ready.eq(to.ready & ~which),
    ]
