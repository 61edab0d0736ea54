"""Primitives with the tiles that they touch."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.primitives import PrimitiveType

from .box_walk import BoxWalk
from .edge_set_up import EdgeSetUp
from .primitive_margin import PrimitiveMargin
from .structs import BinItem, BinKind, TileBody, TileItem, TileKind
from .tile_records import TileRecords
from .tile_sequencer import TileSequencer
from .tile_span import TileSpan

__all__ = ["TouchedTiles"]


class TouchedTiles(wiring.Component):
    """Finds the tiles of primitives, row by row, each from the left (guide, section 9; pipeline facts, 2.1; the model's
    `Ptb._tiles` and `TileGrid`).

    Behaviour: a record passes in a clock, after the tiles of the primitives before it. The first tile of a triangle comes 14
    clocks after it was there, and one each clock from there on; tiles in its rectangle that it does not touch take a clock, too,
    but those after the last one of a row. Small triangles take eight clocks each: a primitive is set up while the tiles of the
    one before are found. From the end of a large one to the next primitive it takes seven clocks.

    Interface attributes
    --------------------
    i : stream of `BinItem`
    o : stream of `TileItem`
    busy : something is under way
    """

    i: In(stream.Signature(BinItem))
    o: Out(stream.Signature(TileItem))
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.tile_records = records = TileRecords()
        m.submodules.primitive_margin = margin = PrimitiveMargin()
        m.submodules.tile_sequencer = sequencer = TileSequencer()
        m.submodules.tile_span = span = TileSpan()
        m.submodules.edge_set_up = edges = EdgeSetUp()
        m.submodules.box_walk = walk = BoxWalk()
        item = self.i.payload
        primitive = item.body.primitive
        full = Signal()  # a record is in front of the output
        walks = Signal()  # a primitive is, from when its tiles are next
        own_size = primitive.type == PrimitiveType.LINES
        m.d.comb += [
            records.record.eq(item.body.record),
            margin.type.eq(primitive.type),
            margin.size.eq(
                Mux(own_size, records.line_width, Mux(primitive.has_size, primitive.size, records.point_size))
            ),
            *(sequencer.type.eq(primitive.type), sequencer.points.eq(primitive.points)),
            sequencer.valid.eq(self.i.valid & (item.kind == BinKind.PRIMITIVE)),
            *(sequencer.x.eq(records.x), sequencer.y.eq(records.y), sequencer.boundary.eq(records.boundary)),
            sequencer.room.eq(~walks & ~full),
            *(span.run.eq(sequencer.run), span.point.eq(sequencer.point), span.reach.eq(margin.reach)),
            *(span.first.eq(sequencer.first), span.more.eq(sequencer.more), span.turns.eq(sequencer.turns)),
            *(span.window.eq(records.window), span.tiles.eq(records.tiles)),
            *(edges.run.eq(sequencer.run), edges.slot.eq(sequencer.slot)),
            *(edges.previous.eq(sequencer.previous), edges.point.eq(sequencer.point)),
            *(edges.margin.eq(margin.margin), edges.reach.eq(margin.reach)),
            *(edges.starts.eq(span.starts), edges.tiles.eq(records.tiles)),
            *(walk.edge.eq(edges.o), walk.tiles.eq(records.tiles), walk.found.eq(span.o)),
            self.busy.eq(~sequencer.rests | walks | full),
        ]
        self._walk(m, sequencer, span, edges, walk, records, full, walks)
        return m

    def _walk(self, m, sequencer, span, edges, walk, records, full, walks):
        """Records and primitives with their tiles to the output."""
        item, o = self.i.payload, self.o
        kept = Signal(TileBody)
        mine = kept.primitive
        is_record = self.i.valid & (item.kind == BinKind.RECORD) & sequencer.rests
        passes = Signal()
        told = Signal()  # that there is a primitive
        drops = Signal()
        starts = Signal()
        none = Signal()
        ends = Signal()
        is_line, is_triangle = mine.type == PrimitiveType.LINES, mine.type == PrimitiveType.TRIANGLES
        m.d.comb += [
            passes.eq(is_record & ~walks & (~full | o.ready)),
            self.i.ready.eq(passes | sequencer.ends),
            records.stb.eq(passes),
            none.eq(span.o.none | (is_triangle & edges.flat)),
            walk.starts.eq(starts & ~none),
            walk.counts.eq(Cat((is_line | is_triangle).replicate(2), is_triangle)),
            walk.takes.eq(told & o.ready),
            o.valid.eq(full | walk.touches | drops),
            o.payload.body.eq(kept),
            ends.eq(walk.ends | (starts & none)),
        ]
        with m.If(full):
            m.d.comb += o.payload.kind.eq(TileKind.RECORD)
        with m.Elif(drops):
            m.d.comb += o.payload.kind.eq(TileKind.DROP)
        with m.Elif(told):
            m.d.comb += [o.payload.kind.eq(TileKind.TILE), o.payload.body.tile.eq(walk.tile)]
        with m.Else():
            m.d.comb += o.payload.kind.eq(TileKind.PRIMITIVE)
        negative = Signal()
        m.d.comb += walk.negative.eq(negative)
        m.d.sync += starts.eq(edges.last & sequencer.run)
        with m.If(starts):
            m.d.sync += negative.eq(edges.clockwise & is_triangle)
        with m.If(passes | sequencer.begins):
            # Primitives begin alike.
            m.d.sync += Value.cast(kept).eq(Value.cast(item.body))
        with m.If(sequencer.begins):
            m.d.sync += told.eq(0)
        with m.Elif(walk.touches & o.ready):
            m.d.sync += told.eq(1)
        m.d.sync += full.eq(passes | (full & ~o.ready))
        # A line's last edges are made in the clock after.
        with m.If(sequencer.begins):
            m.d.sync += walks.eq(1)
        with m.Elif(ends):
            m.d.sync += [walks.eq(~told & mine.made.any()), drops.eq(~told & mine.made.any())]
        with m.Elif(drops & o.ready):
            m.d.sync += [walks.eq(0), drops.eq(0)]
