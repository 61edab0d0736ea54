"""What the blocks that draw do in each clock, for those who watch a simulation."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from vc4.cle.structs import fields_of
from vc4.records.control import ControlCode
from vc4.records.tile_buffer import TileCoordinates
from vc4.vcm.structs import VcmKind

__all__ = ["STAGES", "Activity", "BlockActivity", "QuadMark", "TileMark"]

#: The stages, in the order in which a frame goes through them. QPUs tell what they do in their trace ports.
STAGES = (
    *("list", "vertices", "vertex_memory", "binner", "reader", "set_up", "front_end", "varyings", "textures"),
    *("tile_buffer", "tile_memory", "memory"),
)
_STORES = [code for code in ControlCode if code.name.startswith("STORE_")]
#: Clocks in which the front end has to show that it does something: with one lane a quad takes four.
_SHOWN = 16


class TileMark(data.Struct):
    """Where tiles begin and end.

    begins, x, y : strobe: the coordinates of a tile come to the reader of primitives
    drawn : strobe: the coordinates of the next one of these come to the tile buffer
    stored : strobe: something of that tile is in memory
    """

    begins: unsigned(1)
    drawn: unsigned(1)
    stored: unsigned(1)
    x: unsigned(8)
    y: unsigned(8)


class QuadMark(data.Struct):
    """What becomes of quads.

    passes : strobe: a quad with samples goes from the front end to a vector or to coverage, or no further
    hidden : no further, as early Z says
    """

    passes: unsigned(1)
    hidden: unsigned(1)


class BlockActivity(data.Struct):
    """What is told in a clock.

    waits, held : of each of `STAGES` whether it waits for something in front of it, or is held by something behind it; never
        both. In all other clocks it is busy
    tile : see `TileMark`
    quad : see `QuadMark`
    """

    waits: unsigned(len(STAGES))
    held: unsigned(len(STAGES))
    tile: TileMark
    quad: QuadMark


class Activity(wiring.Component):
    """Watches the streams between the blocks of a GPU that draws. Simulation only: `V3DConfig.trace` builds it.

    Behaviour: combinational, but for what the front end did in the last clocks. A block that offers something that nobody takes is
    held. Else, if nothing is offered to it, it waits. Of varyings and textures one sees outside only whether a QPU waits for them:
    that is when they are busy.

    Parameters
    ----------
    v3d : the GPU that is watched

    Interface attributes
    --------------------
    activity : see `BlockActivity`
    """

    activity: Out(BlockActivity)

    def __init__(self, v3d):
        self._v3d = v3d
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        v3d, binner, pipe = self._v3d, self._v3d.ptb, self._v3d.pixel_pipe
        lists, reader, tiles = v3d.vertex_pipe, pipe.reader, pipe.tlb_block
        items, stalls, vertices = lists.cle.renderer.items, lists.stalls, lists.vcm.ports[1]
        slices = v3d.slices
        requests = Cat(port.requests.valid for port in tiles.ports)
        found = {
            "list": (~items.valid & ~_uses(lists.cle.ports[1]), _stands(items)),
            "vertices": (
                ~items.valid | lists.qpus.shading.any(),
                _stands(pipe.renderer.items) | stalls.rows | stalls.vertices | stalls.rendering_batches,
            ),
            "vertex_memory": (~_uses(vertices), _stands(vertices.requests) | stalls.loads),
            "binner": (
                ~binner.binner.busy,
                binner.out_of_memory | _stands(binner.bus.requests) | _stands(binner.bus.writes),
            ),
            "reader": (~reader.i.valid & ~reader.requests.valid, _stands(reader.requests) | _stands(reader.items)),
            "set_up": (~pipe.pse.i.valid, _stands(pipe.pse.o) | _stands(pipe.pse.planes)),
            "front_end": self._front_end(m, pipe.front_end),
            "varyings": (~Cat(one.waits_varyings for one in slices).any(), 0),
            "textures": (~Cat(one.waits_tmu for one in slices).any(), 0),
            "tile_buffer": (~(requests.any() | tiles.coverage.valid), tiles.moves),
            "tile_memory": (~tiles.moves, _stands(tiles.port.requests) | _stands(tiles.port.writes)),
            "memory": (~_uses(v3d.bus), _stands(v3d.bus.requests) | _stands(v3d.bus.writes)),
        }
        for index, stage in enumerate(STAGES):
            waits, held = found[stage]
            m.d.comb += [self.activity.held[index].eq(held), self.activity.waits[index].eq(waits & ~Value.cast(held))]
        self._tiles(m, reader.i, tiles.records)
        order = pipe.front_end.order
        passes = order.quads.valid & order.quads.ready & ~order.quads.payload.is_empty
        m.d.comb += [self.activity.quad.passes.eq(passes), self.activity.quad.hidden.eq(order.hides)]
        return m

    def _front_end(self, m, front_end):
        """It does something as long as primitives and quads come; what is there meanwhile waits for something after it."""
        since = Signal(range(_SHOWN + 1), init=_SHOWN)
        moves = Signal()
        shows = Signal()
        events = front_end.events
        m.d.comb += [
            moves.eq(Cat(events, front_end.primitives.valid & front_end.primitives.ready).any()),
            shows.eq(moves | (since != _SHOWN)),
        ]
        with m.If(moves):
            m.d.sync += since.eq(0)
        with m.Elif(since != _SHOWN):
            m.d.sync += since.eq(since + 1)
        stands = [_stands(getattr(front_end, name)) for name in ("programs", "scoreboard", "coverage", "tiles")]
        offered = front_end.primitives.valid | front_end.items.valid
        return ~shows, Cat(stands).any() | (offered & ~shows)

    def _tiles(self, m, items, records):
        """Where they begin and end."""
        mark, record = self.activity.tile, items.payload.body.record
        place = fields_of(record, TileCoordinates)
        comes = Signal()
        ends = Signal()
        m.d.comb += [
            comes.eq(items.valid & items.ready & (items.payload.kind == VcmKind.RECORD)),
            ends.eq(records.valid & records.ready),
            mark.begins.eq(comes & (record.code == ControlCode.TILE_COORDINATES)),
            mark.drawn.eq(ends & (records.payload.code == ControlCode.TILE_COORDINATES)),
            mark.stored.eq(ends & Cat(records.payload.code == code for code in _STORES).any()),
            mark.x.eq(place.tile_column_number),
            mark.y.eq(place.tile_row_number),
        ]


def _stands(offers):
    """Something is offered, and not taken."""
    return offers.valid & ~offers.ready


def _uses(port):
    """A word moves, or is asked for."""
    return Cat(port.requests.valid, port.writes.valid, port.responses.valid).any()
