"""Primitives from the lists of control records."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.control import RECORDS, ControlCode, Role

from .compressed_list import CompressedList
from .list_fetch import ByteWindow, show_to
from .primitive_count import PrimitiveCount
from .structs import FirstVertex, ListFormat, PipelineRecord, Primitive, SecondVertex, VertexStep
from .vertex_list import VertexList

__all__ = ["PrimitiveAssembly"]

_COMPRESSED = [record.code for record in RECORDS.values() if record.role is Role.COMPRESSED_LIST]
#: Bytes of the longest item of a compressed list, or of a VG primitive.
_ITEM_BYTES = 16


class PrimitiveAssembly(wiring.Component):
    """Makes primitives of a list of any kind (guide, section 9).

    Behaviour: its vertices stay where they are as long as primitives share them, and each clock writes one, see
    `VertexList` and `CompressedList`; a primitive is offered in the clock after its last vertex. So strips, fans and
    points come at one a clock, other triangles at one in three clocks, compressed ones at one in four clocks or less.

    Interface attributes
    --------------------
    begins : strobe: a list begins
    leaves : strobe: the list has no more primitives, also one that begins in this clock
    record : the record of the list, from `begins` until `ends`
    format : what it holds, as long
    window : of a `ListFetch`
    o : stream of primitives
    ends : high from the end of a list on until the next one begins, when all primitives have been taken
    advance : the control list goes on so many bytes further, if the list is a part of it, a clock after they were taken
    branches, blocks : strobe: it does so elsewhere, see `CompressedList`
    starves : more bytes are needed than are available
    fault : strobe: what follows is no vertex, or no item
    is_item : faults are those of an item, at the place where the control list is
    address : where the vertices are, if they are not in the control list
    ahead, enough : whether so many words ahead hold all that are left there
    primitives : primitives that the list still has, if it says so, up to 64 clocks ago
    """

    begins: In(1)
    leaves: In(1)
    record: In(PipelineRecord)
    format: In(ListFormat)
    window: In(ByteWindow())
    o: Out(stream.Signature(Primitive))
    ends: Out(1)
    advance: Out(range(_ITEM_BYTES + 1))
    branches: Out(1)
    blocks: Out(signed(16))
    starves: Out(1)
    fault: Out(1)
    is_item: Out(1)
    address: Out(32)
    ahead: In(8)
    enough: Out(1)
    primitives: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.submodules.vertex_list = plain = VertexList()
        m.submodules.compressed_list = compressed = CompressedList()
        m.submodules.count = count = PrimitiveCount()
        runs = Signal()
        goes = Signal()
        is_compressed = Signal()  # the list of the record
        compresses = Signal()  # and so is the one under way
        step = Signal(VertexStep)
        vertices = Signal.like(self.o.payload.vertices)
        for source in (plain, compressed):
            m.d.comb += [
                source.begins.eq(self.begins),
                source.goes.eq(goes),
            ]
        show_to(m, self.window, plain.window, compressed.window)
        m.d.comb += [
            is_compressed.eq(Cat(self.record.code == code for code in _COMPRESSED).any()),
            plain.runs.eq(runs & ~compresses),
            plain.record.eq(self.record),
            compressed.runs.eq(runs & compresses),
            compressed.format.eq(self.format),
            compressed.vertices.eq(vertices),
            goes.eq(~self.o.valid | self.o.ready),
            step.eq(Mux(compresses, compressed.step, plain.step)),
            self.starves.eq(plain.starves | compressed.starves),
            self.fault.eq(plain.fault | compressed.fault),
            self.is_item.eq(compresses),
            self.branches.eq(compressed.branches),
            self.blocks.eq(compressed.blocks),
            self.address.eq(plain.address),
            self.enough.eq(self.ends | (plain.words <= self.ahead)),
            count.vertices.eq(plain.left),
            count.step.eq(plain.divisor),
            self.primitives.eq(count.primitives),
        ]
        m.d.comb += self.ends.eq(~runs & ~self.o.valid)
        m.d.sync += compresses.eq(is_compressed)
        with m.If(self.leaves | plain.ends | compressed.ends | self.fault):
            m.d.sync += runs.eq(0)
        with m.Elif(self.begins):
            m.d.sync += runs.eq(1)
        self._assemble(m, step, vertices, is_compressed)
        self._advance(
            m,
            Mux(compresses, compressed.window.take, plain.used),
            Mux(compresses, compressed.moves, plain.moves),
        )
        return m

    def _assemble(self, m, step, vertices, is_compressed):
        """The primitive, in place."""
        primitive = self.o.payload
        clipped = Signal()
        m.d.comb += [
            primitive.type.eq(self.format.type),
            primitive.coordinates.eq(self.format.coordinates),
            primitive.vertices.eq(vertices),
            primitive.clipped.eq(clipped),
        ]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
            with m.If(self.o.valid):
                m.d.sync += clipped.eq(0)
        with m.If(step.complete):
            m.d.sync += self.o.valid.eq(1)
        for number, (kept, other) in enumerate(
            (
                (step.first == FirstVertex.KEPT, Mux(step.first == FirstVertex.SECOND, vertices[1], vertices[2])),
                (step.second == SecondVertex.KEPT, Mux(step.second == SecondVertex.FIRST, vertices[0], vertices[2])),
                (Const(1), step.value),
            )
        ):
            with m.If(step.targets[number] | ~kept):
                m.d.sync += vertices[number].eq(Mux(step.targets[number], step.value, other))
        with m.If(self.begins):
            m.d.sync += clipped.eq(self.record.code == ControlCode.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST)
            with m.If(is_compressed):
                m.d.sync += vertices.eq(0)
        with m.If(self.leaves):
            m.d.sync += self.o.valid.eq(0)

    def _advance(self, m, used, moves):
        """The bytes of an item."""
        took = Signal.like(self.window.take)
        moved = Signal()
        taken = Signal.like(self.advance)  # of one that has begun
        sum_ = Signal.like(self.advance)
        m.d.comb += [sum_.eq(taken + took), self.advance.eq(Mux(moved, sum_, 0))]
        m.d.sync += [
            took.eq(used),
            moved.eq(moves),
            taken.eq(Mux(moved | self.begins | self.branches, 0, sum_)),
        ]
