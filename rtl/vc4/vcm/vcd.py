"""The DMA of vertices."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue
from vc4.records.primitives import INDEX_BITS
from vc4.records.shaders import ATTRIBUTE_ARRAYS
from vc4.vpm.structs import QuadWrite
from vc4.vpm.vertex_loads import VertexLoads

from .structs import BATCH, BATCHES, THREADS, PlacedBatch, VertexArray, VertexFormat
from .vertex_units import VertexUnits

__all__ = ["Vcd"]

#: Batches that are asked for before the first one has come: a second one hides the latency of memory.
_BATCHES = 2


class Vcd(wiring.Component):
    """Fetches what the vertices of a batch have in memory into their columns of the VPM (guide, section 9).

    Behaviour: a word of the bus is taken every clock, as long as quads are. It asks for up to 16 vertices of an array, or of
    two batches, before the first one has come. A batch comes out when all of it is in the VPM; `bad` if memory has answered
    with an error.

    Interface attributes
    --------------------
    i, o : streams of `PlacedBatch`
    formats : what the batches of each thread have
    thread, number, array : one of their arrays, see `ShaderRecords`
    slot, vertex, step, indices : a vertex of a batch, and its index in each thread after the clock of `step`
    writes : stream of `QuadWrite`
    stalled : a quad waits for the VPM
    port : the way into memory, which is only read
    """

    i: In(stream.Signature(PlacedBatch))
    o: Out(stream.Signature(PlacedBatch))
    formats: In(data.ArrayLayout(VertexFormat, THREADS))
    thread: Out(range(THREADS))
    number: Out(range(ATTRIBUTE_ARRAYS))
    array: In(VertexArray)
    slot: Out(range(BATCHES))
    vertex: Out(range(BATCH))
    step: Out(1)
    indices: In(data.ArrayLayout(INDEX_BITS, THREADS))
    writes: Out(stream.Signature(QuadWrite))
    stalled: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.vertex_units = units = VertexUnits()
        m.submodules.landing = landing = Queue(PlacedBatch, _BATCHES)  # batches whose words come
        placed = self.i.payload
        format_ = Signal(VertexFormat)
        index_thread = Signal(range(THREADS))
        fetches = Signal()
        landing_now = Signal()  # the batch is in `landing`
        room = Signal()
        m.d.comb += [
            format_.eq(self.formats[placed.batch.thread]),
            fetches.eq(_has_any(format_, placed)),
            room.eq(landing_now | landing.i.ready),
            units.i.payload.eq(placed.batch),
            units.i.valid.eq(self.i.valid & room & fetches),
            units.arrays.eq(format_.arrays),
            units.array.eq(self.array),
            units.index.eq(self.indices[index_thread]),
            landing.i.payload.eq(placed),
            landing.i.valid.eq(self.i.valid & ~landing_now),
            self.i.ready.eq(room & (units.i.ready | ~fetches)),
            self.thread.eq(placed.batch.thread),
            self.slot.eq(placed.batch.slot),
            self.number.eq(units.number),
            self.vertex.eq(units.vertex),
            self.step.eq(units.step),
        ]
        m.d.sync += landing_now.eq(self.i.valid & room & ~self.i.ready)
        with m.If(units.step):
            m.d.sync += index_thread.eq(placed.batch.thread)
        self._land(m, units, landing.o)
        return m

    def _land(self, m, units, landing):
        """What comes belongs to the batch whose turn it is."""
        m.submodules.vertex_loads = loads = VertexLoads()
        connect(m, units.o, loads.units)
        connect(m, loads.writes, flipped(self.writes))
        connect(m, loads.port, flipped(self.port))
        placed = landing.payload
        format_ = Signal(VertexFormat, name="landing_format")
        m.d.comb += [
            format_.eq(self.formats[placed.batch.thread]),
            loads.space.eq(Mux(format_.shades, placed.attributes, placed.results)),
            self.stalled.eq(loads.stalled),
            self.o.valid.eq(landing.valid & (loads.done | ~_has_any(format_, placed))),
            self.o.payload.eq(placed),
            landing.ready.eq(self.o.valid & self.o.ready),
            loads.noticed.eq(landing.ready),
        ]
        with m.If(loads.done & loads.failed):
            m.d.comb += self.o.payload.bad.eq(1)


def _has_any(format_, placed):
    """Whether there is anything in memory that somebody wants of a batch."""
    return format_.arrays.any() & ~placed.bad & ~placed.dropped
