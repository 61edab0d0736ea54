"""The back of the 3D pipeline: from shaded vertices to pixels in memory."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES, connect_memory, connect_reads
from vc4.cle.cle import PipelinePort
from vc4.common.queue import Queue
from vc4.config import V3DConfig
from vc4.fep.debug_structs import DEBUG_REGISTERS
from vc4.fep.front_end import FrontEnd
from vc4.pse import Pse
from vc4.pse.primitive_reader import PrimitiveReader
from vc4.pse.structs import DrawItem
from vc4.qpu.structs import ProgramStart
from vc4.slice.fragment_bus import FragmentBus
from vc4.tlb.port import TlbPort
from vc4.tlb.tlb import Tlb
from vc4.vcm.structs import VcmItem
from vc4.vpm.structs import QuadAddress, Words

__all__ = ["PixelPipe", "connect_pixels"]

#: Between reader and front end: primitives wait there while they are set up.
_ITEMS = 8


class PixelPipe(wiring.Component):
    """Set-up, front end and tile buffer; see `PrimitiveReader`, `Pse`, `FrontEnd` and `Tlb` for what is what.

    A reset comes to its end when the record that the tile buffer carries out is done, all of it in memory, and all fragments
    that QPUs have. Until then nothing else begins; then everything is forgotten, in one clock.

    Parameters
    ----------
    config : of the GPU

    Interface attributes
    --------------------
    renderer : what is drawn
    reads, words : vertices in the VPM
    programs, starts, places : fragment shaders for the scheduler, and where they begin
    fragments : quads and coefficients for all slices
    tlb : the way of each QPU to the tile buffer
    dropped : strobe: a primitive without an area, or with a face that is not drawn
    fep_events, tlb_events : what is counted
    status, lacks_vertex : debug registers of the front end; the set-up waits for a vertex that is not in memory
    bus : the way into memory
    """

    def __init__(self, config: V3DConfig):
        self._qpus = config.qpus
        self.reader = PrimitiveReader()
        self.pse = Pse()
        self.front_end = FrontEnd(config.qpus, config.lanes, early=config.early_z, errata=config.faults)
        self.tlb_block = Tlb(config.qpus)
        self._hub = Hub(2, word_bytes=BUS_BYTES)
        super().__init__(
            {
                "renderer": In(PipelinePort(VcmItem)),
                "reads": Out(stream.Signature(QuadAddress)),
                "words": In(Words),
                "programs": Out(stream.Signature(ProgramStart)),
                "starts": In(config.qpus),
                "places": In(config.qpus),
                "fragments": Out(FragmentBus(config.qpus)),
                "tlb": In(TlbPort()).array(config.qpus),
                "dropped": Out(1),
                "fep_events": Out(self.front_end.signature.members["events"].shape),
                "tlb_events": Out(self.tlb_block.signature.members["events"].shape),
                "status": Out(self.front_end.signature.members["status"].shape),
                "lacks_vertex": Out(1),
                "bus": Out(self._hub.bus.signature),
            }
        )

    def elaborate(self, platform):
        m = Module()
        reader, pse, front_end, tiles = self.reader, self.pse, self.front_end, self.tlb_block
        items = Queue(DrawItem, _ITEMS)
        resetting = self._reset(m, items)
        m.submodules.hub = hub = self._hub
        connect_reads(m, reader.port, hub.clients[0])
        connect_memory(m, tiles.port, hub.clients[1])
        for one, other in (
            (hub.bus, flipped(self.bus)),
            (reader.reads, flipped(self.reads)),
            (reader.requests, pse.i),
            (reader.words, pse.words),
            (reader.items, items.i),
            (items.o, front_end.items),
            (pse.o, front_end.primitives),
            (pse.planes, front_end.planes),
            (front_end.scoreboard, tiles.quads),
            (front_end.coverage, tiles.coverage),
            (front_end.tiles, tiles.records),
        ):
            connect(m, one, other)
        for own, port in zip(self.tlb, tiles.ports, strict=True):
            connect(m, flipped(own), port)
        _pass(m, ~resetting, self.renderer.items, reader.i)
        _pass(m, ~resetting, front_end.programs, self.programs)
        bus = self.fragments
        m.d.comb += [
            reader.quad.eq(self.words),
            reader.piece.eq(pse.piece),
            reader.piece_stb.eq(pse.piece_stb),
            front_end.starts.eq(self.starts),
            front_end.places.eq(self.places),
            front_end.done.eq(Cat(port.done for port in self.tlb)),
            front_end.form.eq(tiles.form),
            front_end.buffer.eq(tiles.buffer),
            *(front_end.farthest.eq(tiles.farthest), front_end.farthest_stb.eq(tiles.farthest_stb)),
            front_end.rested.eq(tiles.rests),
            *(getattr(bus, name).eq(getattr(front_end, name)) for name in bus.signature.members),
            self.dropped.eq(pse.dropped),
            self.fep_events.eq(front_end.events),
            self.tlb_events.eq(tiles.events),
            *(self.status.eq(front_end.status), self.lacks_vertex.eq(reader.failed)),
            self.renderer.busy.eq(resetting | reader.busy | items.o.valid | front_end.busy | tiles.busy),
            self.renderer.stalled.eq(reader.failed),
            self.renderer.finished.eq(tiles.finished & ~resetting),
        ]
        return m

    def _reset(self, m, items):
        """Puts the blocks in; returns whether a reset is under way.

        What QPUs have goes on to its end, as the scoreboard and the slots of coefficients know of it, and so does what the tile
        buffer has begun in memory.
        """
        reader, front_end, tiles = self.reader, self.front_end, self.tlb_block
        resetting = Signal()
        forgets = Signal()
        forgets_vertices = Signal()
        m.d.comb += [
            # The item that it reads has gone, so it stops as soon as memory owes it nothing.
            forgets_vertices.eq(resetting & ~reader.fetching & ~reader.port.requests.valid),
            forgets.eq(forgets_vertices & ~front_end.there & ~tiles.moves),
            tiles.stops.eq(resetting),
        ]
        m.d.sync += resetting.eq(self.renderer.reset | (resetting & ~forgets))
        m.submodules.reader = ResetInserter(forgets_vertices)(reader)
        for name, block in (("pse", self.pse), ("front_end", front_end), ("tlb", tiles), ("items", items)):
            m.submodules[name] = ResetInserter(forgets)(block)
        return resetting


def _pass(m, passes, one, other):
    """From one to the other, or nothing."""
    m.d.comb += [
        other.valid.eq(one.valid & passes),
        other.payload.eq(one.payload),
        one.ready.eq(other.ready & passes),
    ]


def connect_pixels(m, v3d, registers, scheduler, client):
    """The pipe within the GPU: control lists, vertices, QPUs, memory."""
    m.submodules.pixel_pipe = pipe = v3d.pixel_pipe
    connect(m, v3d.vertex_pipe.renderer, pipe.renderer)
    connect(m, pipe.reads, v3d.vpm.vertex_reads[-1])
    connect(m, pipe.programs, scheduler.fragments)
    connect_memory(m, pipe.bus, client)
    bus = pipe.fragments
    for name, layout in DEBUG_REGISTERS.members.items():
        m.d.comb += [getattr(registers.live, name)[field].eq(pipe.status[name][field]) for field in layout.members]
    m.d.comb += [
        registers.live.DBGE.VR1_A.eq(pipe.lacks_vertex),
        pipe.words.eq(v3d.vpm.vertex_words),
        pipe.starts.eq(Cat(port.valid for port in scheduler.starts)),
        pipe.places.eq(scheduler.places),
    ]
    per_slice = len(v3d.slices[0].qpus)
    for number, one in enumerate(v3d.slices):
        for name in bus.signature.members:
            value = getattr(bus, name)
            if name == "quad_stb":
                value = value.word_select(number, per_slice)
            m.d.comb += getattr(one.fragments, name).eq(value)
        for place, port in enumerate(one.tlb):
            connect(m, port, pipe.tlb[number * per_slice + place])
