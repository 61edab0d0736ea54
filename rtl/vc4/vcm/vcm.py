"""The vertex cache manager."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.cle import PipelinePort
from vc4.common.merge import Merge
from vc4.common.queue import Queue
from vc4.config import V3DConfig
from vc4.records.control import Threads
from vc4.vpm.allocation import VpmAllocation
from vc4.vpm.structs import QuadWrite

from .row_clear import RowClear
from .shader_records import ShaderRecords
from .shading import Shading, ShadingPort
from .structs import THREADS, VCM_ERRORS, FreedSpace, PlacedBatch, VcmItem, VcmStalls
from .vcd import Vcd
from .vertex_thread import VertexThread
from .vpm_allocator import VpmAllocator

__all__ = ["Vcm"]


class Vcm(wiring.Component):
    """Primitives of both threads with shaded vertices (guide, section 8; pipeline facts, 3).

    Parameters
    ----------
    config : of the GPU

    Interface attributes
    --------------------
    division : how the VPM is divided
    binner_items, renderer_items : from the executor, its pipelines
    binner, renderer : what these get: items of `VcmItem`; a primitive stays until its vertices have been read
    fills : stream of `QuadWrite` for the VPM
    qpus : programs for QPUs
    stalls, errors : what waits, and what goes wrong
    ports : the ways into memory, which are only read: of shader records, and of vertices
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        super().__init__(
            {
                "division": In(VpmAllocation),
                "binner_items": In(PipelinePort()),
                "renderer_items": In(PipelinePort()),
                "binner": Out(PipelinePort(VcmItem)),
                "renderer": Out(PipelinePort(VcmItem)),
                "fills": Out(stream.Signature(QuadWrite)),
                "qpus": Out(ShadingPort(config.qpus)),
                "stalls": Out(VcmStalls),
                "errors": Out(VCM_ERRORS),
                "ports": Out(MemoryPort(word_bytes=BUS_BYTES)).array(2),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.binning = binning = VertexThread(Threads.BINNING)
        m.submodules.rendering = rendering = VertexThread(Threads.RENDERING)
        m.submodules.shader_records = records = ShaderRecords()
        m.submodules.vcd = vcd = Vcd()
        connect(m, records.port, flipped(self.ports[0]))
        connect(m, vcd.port, flipped(self.ports[1]))
        threads = (binning, rendering)
        pipelines = ((self.binner_items, self.binner), (self.renderer_items, self.renderer))
        for number, (thread, (source, pipeline)) in enumerate(zip(threads, pipelines, strict=True)):
            self._thread(m, thread, source, pipeline)
            connect(m, thread.request, records.requests[number])
            connect(m, records.headers[number], thread.header)
            m.d.comb += [
                thread.fault.eq(records.fault),
                thread.format.eq(records.formats[number]),
                records.forgets[number].eq(thread.forgets),
                thread.slot.eq(vcd.slot),
                thread.column.eq(vcd.vertex),
                thread.step.eq(vcd.step & (vcd.thread == number)),
                vcd.indices[number].eq(thread.index),
            ]
        m.d.comb += [
            records.thread.eq(vcd.thread),
            records.number.eq(vcd.number),
            vcd.array.eq(records.array),
            vcd.formats.eq(records.formats),
            self.stalls.binning_batches.eq(binning.waits),
            self.stalls.rendering_batches.eq(rendering.waits),
            self.stalls.loads.eq(vcd.stalled),
            self.stalls.coordinates.eq(self.qpus.coordinates.valid & ~self.qpus.coordinates.ready),
            self.stalls.vertices.eq(self.qpus.vertices.valid & ~self.qpus.vertices.ready),
        ]
        self._batches(m, threads, records, vcd)
        return m

    def _thread(self, m, thread, source, pipeline):
        """A thread, between executor and pipeline."""
        connect(m, flipped(source.items), thread.i)
        connect(m, thread.o, flipped(pipeline.items))
        m.d.comb += [
            thread.resets.eq(source.reset),
            pipeline.reset.eq(source.reset),
            source.busy.eq(thread.busy | pipeline.busy),
            source.stalled.eq(thread.stalled | pipeline.stalled),
            source.finished.eq(pipeline.finished),
        ]

    def _batches(self, m, threads, records, vcd):
        """The way of a batch: it gets rows, which are cleared and filled, and a program; then it gives rows back."""
        m.submodules.vpm_allocator = allocator = VpmAllocator(self._config.vpm_rows)
        m.submodules.row_clear = clear = RowClear()
        m.submodules.shading = shading = Shading(self._config.qpus)
        m.submodules.fill_merge = fills = Merge(QuadWrite, 2)
        m.submodules.placed = placed = Queue(PlacedBatch, 1)
        m.submodules.cleared = cleared = Queue(PlacedBatch, 2)  # a batch is cleared while another one is asked for
        abandons = Cat(thread.abandons for thread in threads)
        for number, thread in enumerate(threads):
            connect(m, thread.batches, allocator.i[number])
        connect(m, allocator.o, placed.i)
        connect(m, placed.o, clear.i)
        connect(m, clear.o, cleared.i)
        connect(m, cleared.o, vcd.i)
        connect(m, vcd.o, shading.i)
        connect(m, vcd.writes, fills.i[0])
        m.d.comb += [
            fills.i[1].valid.eq(clear.writes.valid),
            fills.i[1].payload.eq(clear.writes.payload),
            fills.i[1].payload.data.eq(vcd.writes.payload.data),  # as it has none, there is nothing to choose
            clear.writes.ready.eq(fills.i[1].ready),
        ]
        connect(m, fills.o, flipped(self.fills))
        connect(m, shading.qpus, flipped(self.qpus))
        m.d.comb += [
            allocator.division.eq(self.division),
            allocator.formats.eq(records.formats),
            allocator.abandons.eq(abandons),
            self.stalls.rows.eq(allocator.waits),
            self.errors.VPAERGS.eq(allocator.too_big),
            *(self.errors.VPAEBRGL.eq(allocator.too_many[0]), self.errors.VPAERRGL.eq(allocator.too_many[1])),
            *(self.errors.VCMBE.eq(threads[0].stalled), self.errors.VCMRE.eq(threads[1].stalled)),
            clear.formats.eq(records.formats),
            shading.formats.eq(records.formats),
            shading.abandons.eq(abandons),
        ]
        self._give_back(m, threads, shading.o, allocator.freed)

    def _give_back(self, m, threads, ended, freed):
        """Attributes when a batch has ended, results when all of its primitives have gone."""
        m.submodules.freed = spaces = Merge(FreedSpace, 1 + THREADS)
        connect(m, spaces.o, freed)
        attributes = spaces.i[0]
        m.d.comb += [
            attributes.valid.eq(ended.valid),
            attributes.payload.thread.eq(ended.payload.batch.thread),
            attributes.payload.space.eq(ended.payload.attributes),
            ended.ready.eq(attributes.ready),
        ]
        for number, thread in enumerate(threads):
            space = spaces.i[1 + number]
            m.d.comb += [
                thread.ended.eq(ended.payload),
                thread.ended_stb.eq(ended.valid & ended.ready & (ended.payload.batch.thread == number)),
                space.valid.eq(thread.space.valid),
                space.payload.thread.eq(number),
                space.payload.space.eq(thread.space.payload),
                thread.space.ready.eq(space.ready),
            ]
