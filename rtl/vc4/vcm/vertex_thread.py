"""The vertices of one thread."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import ItemKind, ListItem, fields_of
from vc4.common.block_queue import BlockQueue
from vc4.common.ram import BlockRam
from vc4.records.control import RECORDS, ControlCode, Threads
from vc4.records.primitives import INDEX_BITS
from vc4.records.state import GlShaderState, NvShaderState
from vc4.vpm.window import Space

from .batch_ring import BatchRing
from .structs import (
    BATCH,
    BATCHES,
    MOST_PRIMITIVES,
    Batch,
    PlacedBatch,
    ShaderHeader,
    ShaderRequest,
    VcmItem,
    VcmKind,
    VertexFormat,
)
from .vertex_cache import VertexCache

__all__ = ["VertexThread"]

#: Items between collecting and use: more than the primitives of the batch that is collected, for which they wait.
_ITEMS = 256
assert _ITEMS > MOST_PRIMITIVES
_LISTS = [record.code for record in RECORDS.values() if record.role.is_list]


class _State(enum.Enum, shape=unsigned(2)):
    """What is done with the items that come."""

    TAKE = 0
    ASK = 1  # a list needs a shader record
    WAIT = 2  # it is on its way
    HANG = 3  # it is not in memory


class VertexThread(wiring.Component):
    """Brings together primitives and their shaded vertices, between the executor and a pipeline (guide, section 8).

    Behaviour: a record takes a clock, a primitive one for each of its vertices; see `VertexCache`. With the first list
    after a shader state the shader record is read, as soon as all batches before have been shaded; a record that is not in
    memory hangs the thread, and so does a batch whose vertices are not. What comes out is in the order of the lists. A
    primitive is offered when its batch is shaded, and its vertices stay in the VPM until it is taken.

    After a reset nothing is taken until what was under way has come to its end.

    Parameters
    ----------
    threads : which one it is

    Interface attributes
    --------------------
    i : stream of `ListItem`
    o : stream of `VcmItem`
    resets : strobe: everything is forgotten
    abandons : this goes on: batches need not be shaded
    busy, stalled : something is under way; and will never end
    waits : a primitive, or the end of a list, waits for a batch to be given back
    request, header, fault, format, forgets : see `ShaderRecords`
    batches, ended, ended_stb, space : see `BatchRing`
    slot, column, step, index : a vertex of a batch, and its index after the clock of `step`
    """

    def __init__(self, threads: Threads):
        self._number = 0 if threads is Threads.BINNING else 1
        super().__init__(
            {
                "i": In(stream.Signature(ListItem)),
                "o": Out(stream.Signature(VcmItem)),
                "resets": In(1),
                "abandons": Out(1),
                "busy": Out(1),
                "stalled": Out(1),
                "waits": Out(1),
                "request": Out(stream.Signature(ShaderRequest)),
                "header": In(stream.Signature(ShaderHeader)),
                "fault": In(1),
                "format": In(VertexFormat),
                "forgets": Out(1),
                "batches": Out(stream.Signature(Batch)),
                "ended": In(PlacedBatch),
                "ended_stb": In(1),
                "space": Out(stream.Signature(Space)),
                "slot": In(range(BATCHES)),
                "column": In(range(BATCH)),
                "step": In(1),
                "index": Out(INDEX_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.vertex_cache = cache = VertexCache()
        m.submodules.items = items = BlockQueue(VcmItem, _ITEMS)
        m.submodules.indices = indices = BlockRam(INDEX_BITS, BATCHES * BATCH, exclusive=True)
        m.submodules.batch_ring = ring = BatchRing(self._number)
        connect(m, ring.o, flipped(self.batches))
        connect(m, ring.space, flipped(self.space))
        state = Signal(_State)
        m.d.comb += [
            ring.ended.eq(self.ended),
            ring.ended_stb.eq(self.ended_stb),
            ring.last.eq(cache.last),
            indices.write_address.eq(Cat(cache.writes.column, ring.collected)),
            indices.write_data.eq(cache.writes.index),
            indices.write_enable.eq(cache.writes.valid),
            indices.read_address.eq(Cat(self.column, self.slot)),
            indices.read_enable.eq(self.step),
            self.index.eq(indices.read_data),
        ]
        takes_record = Signal()
        lacks = self._read(m, state, takes_record, ring)
        self._take(m, state, lacks, takes_record, cache, items, ring)
        waits = self._give(m, items, ring)
        under_way = Signal()
        m.d.comb += [
            under_way.eq(cache.looks_up | (items.level != 0) | ring.any | (state != _State.TAKE)),
            self.busy.eq(under_way | cache.any | self.abandons),
            self.stalled.eq((state == _State.HANG) | (waits & ring.bad)),
            self.forgets.eq(self.abandons),
        ]
        with m.If(self.resets):
            m.d.sync += self.abandons.eq(1)
        with m.Elif(~under_way):
            m.d.sync += self.abandons.eq(0)
        return m

    def _read(self, m, state, takes, ring):
        """Shader records; returns whether a list lacks one."""
        record = self.i.payload.body.record
        gl, nv = fields_of(record, GlShaderState), fields_of(record, NvShaderState)
        is_record = self.i.valid & (self.i.payload.kind == ItemKind.RECORD)
        stale = Signal()
        is_list = Signal()
        lacks = Signal()
        wanted = self.request.payload
        m.d.comb += [
            is_list.eq(Cat(record.code == code for code in _LISTS).any()),
            lacks.eq(is_record & is_list & stale),
            self.request.valid.eq((state == _State.ASK) & ~ring.unshaded & ~self.abandons),
        ]
        with m.If(takes), m.Switch(record.code):
            with m.Case(ControlCode.GL_SHADER_STATE):
                m.d.sync += [
                    stale.eq(1),
                    wanted.address.eq(gl.shader_record_address),
                    wanted.vertices.eq(1),
                    wanted.shades.eq(1),
                    wanted.arrays.eq(Mux(gl.extended_shader_record, ~0, gl.number_of_attribute_arrays - 1)),
                    wanted.extended.eq(gl.extended_shader_record),
                ]
            with m.Case(ControlCode.NV_SHADER_STATE, ControlCode.VG_SHADER_STATE):
                has_vertices = record.code == ControlCode.NV_SHADER_STATE
                m.d.sync += [
                    # Binning has no use for one without vertices.
                    stale.eq(has_vertices if self._number == 0 else 1),
                    wanted.address.eq(nv.shader_record_address[4:]),
                    wanted.vertices.eq(has_vertices),
                    wanted.shades.eq(0),
                    wanted.extended.eq(0),
                ]
            with m.Case(ControlCode.VG_INLINE_SHADER_RECORD):
                m.d.sync += stale.eq(0)
        with m.If(self.header.valid & self.header.ready | self.resets):
            m.d.sync += stale.eq(0)
        return lacks

    def _take(self, m, state, lacks, takes_record, cache, items, ring):
        """What comes, into the queue; primitives by way of the cache."""
        kind, primitive, out = self.i.payload.kind, self.i.payload.body.primitive, items.i.payload
        takes = Signal()
        is_empty = Signal()  # the cache, so what comes may go on
        goes_on = Signal()
        is_cached = Signal()
        is_lost = Signal()  # without a shader record
        ends = Signal()  # there are no more primitives for the batch
        m.d.comb += [
            is_empty.eq(~cache.looks_up & ~cache.o.valid),
            is_cached.eq((kind == ItemKind.PRIMITIVE) & ~primitive.coordinates),
            is_lost.eq(is_cached & ~self.format.known),
            ends.eq(takes & (kind == ItemKind.END) & is_empty & cache.any),
            goes_on.eq(takes & ~is_cached & is_empty & ~ends),
            takes_record.eq(goes_on & (kind == ItemKind.RECORD) & items.i.ready),
            cache.i.valid.eq(takes & is_cached & ~is_lost),
            cache.i.payload.type.eq(primitive.type),
            cache.i.payload.clipped.eq(primitive.clipped),
            *(index.eq(vertex) for index, vertex in zip(cache.i.payload.indices, primitive.vertices, strict=True)),
            self.i.ready.eq((goes_on & items.i.ready) | (takes & is_cached & (cache.i.ready | is_lost))),
            cache.forgets.eq(self.resets | self.abandons),
            cache.closes.eq(ring.closes),
            cache.o.ready.eq(items.i.ready),
            ring.closes.eq((cache.full | ends) & ring.room & ~cache.forgets),
            self.waits.eq((cache.full | ends) & ~ring.room),
            items.i.valid.eq(goes_on | cache.o.valid),
            out.kind.eq(kind),
            Value.cast(out.body).eq(self.i.payload.body.as_value()),
        ]
        with m.If(cache.o.valid):
            self._place(m, cache.o.payload, out)
        with m.Switch(state):
            with m.Case(_State.TAKE):
                m.d.comb += takes.eq(self.i.valid & ~lacks & ~cache.forgets)
                with m.If(lacks & ~self.abandons):
                    m.d.sync += state.eq(_State.ASK)
            with m.Case(_State.ASK):
                with m.If(self.abandons):
                    m.d.sync += state.eq(_State.TAKE)
                with m.Elif(self.request.valid & self.request.ready):
                    m.d.sync += state.eq(_State.WAIT)
            with m.Case(_State.WAIT):
                m.d.comb += [
                    out.kind.eq(VcmKind.SHADER),
                    out.body.shader.eq(self.header.payload),
                    items.i.valid.eq(self.header.valid & ~self.fault & ~self.abandons),
                    self.header.ready.eq(items.i.ready | self.abandons),
                ]
                with m.If(self.header.valid & self.header.ready):
                    m.d.sync += state.eq(Mux(self.fault & ~self.abandons, _State.HANG, _State.TAKE))
            with m.Case(_State.HANG):
                with m.If(self.abandons):
                    m.d.sync += state.eq(_State.TAKE)

    def _place(self, m, cached, out):
        """A primitive whose vertices have columns; their rows are not known yet."""
        primitive = out.body.primitive
        m.d.comb += [
            out.kind.eq(VcmKind.PRIMITIVE),
            primitive.type.eq(cached.type),
            primitive.coordinates.eq(0),
            primitive.clipped.eq(cached.clipped),
            primitive.opens.eq(cached.opens),
        ]
        for vertex, column, index in zip(primitive.vertices, cached.columns, cached.indices, strict=True):
            m.d.comb += vertex.place.column.eq(column)
            if self._number == 0:  # which tile lists have
                m.d.comb += vertex.place.index.eq(index)

    def _give(self, m, items, ring):
        """Items of the queue; returns whether a primitive waits for its batch."""
        item = items.o.payload
        primitive, given = item.body.primitive, self.o.payload.body.primitive
        uses = Signal()  # primitives of the first batch have come
        opened = Signal()  # the primitive is of this one
        has_vertices = Signal()
        opens = Signal()
        ends = Signal()
        waits = Signal()
        m.d.comb += [
            has_vertices.eq(items.o.valid & (item.kind == VcmKind.PRIMITIVE) & ~primitive.coordinates),
            opens.eq(has_vertices & primitive.opens & ~opened),
            ends.eq(items.o.valid & (item.kind == VcmKind.END) & uses),
            waits.eq(has_vertices & ~opens & ~ring.shaded),
            ring.leaves.eq(Mux(self.abandons, ring.shaded | ring.bad, (opens & uses) | ends)),
            self.o.valid.eq(items.o.valid & ~opens & ~ends & ~waits & ~self.abandons),
            self.o.payload.eq(item),
            items.o.ready.eq((self.o.valid & self.o.ready) | self.abandons),
        ]
        with m.If(has_vertices):
            m.d.comb += [vertex.place.row.eq(ring.row) for vertex in given.vertices]
        with m.If(ring.leaves & ring.space.ready):
            m.d.sync += uses.eq(0)
        with m.Elif(opens & ~uses):
            m.d.sync += [uses.eq(1), opened.eq(1)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += opened.eq(0)
        with m.If(self.abandons):
            m.d.sync += [uses.eq(0), opened.eq(0)]
        return waits
