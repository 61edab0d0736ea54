"""The order of records and primitives."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue
from vc4.pse.structs import DrawItem, SetUpPrimitive
from vc4.records.control import RECORDS, ControlCode, Role
from vc4.vcm.structs import VcmKind

from .clip_state import ClipState
from .debug_structs import PARTS
from .structs import ClippedWindow, DepthLimits
from .vector_structs import OrderItem, OrderKind

__all__ = ["DrawOrder"]

_ITEMS = 16
#: Roles of records that neither quads nor the tile buffer have to do with, and records of the binner.
_SILENT = (Role.CONTROL, Role.FORMAT, Role.BINNING, Role.INDEX_LIST, Role.COORDINATE_LIST, Role.COMPRESSED_LIST)
_BINNER = (
    ControlCode.TILE_BINNING_MODE_CONFIGURATION,
    ControlCode.CLIPPER_XY_SCALING,
    ControlCode.CLIPPER_Z_SCALE_AND_OFFSET,
)
_PASSED = [row.code for row in RECORDS.values() if row.role not in _SILENT and row.code not in _BINNER]

_TILE = [
    row.code
    for row in RECORDS.values()
    if row.role is Role.TILE or row.code in (ControlCode.CLEAR_COLORS, ControlCode.TILE_RENDERING_MODE_CONFIGURATION)
]


class DrawOrder(wiring.Component):
    """Brings primitives from the set-up to the rasteriser, and says in which order they and records of state have come.

    Behaviour: a record takes a clock, and a primitive waits until the window after it is settled. A piece is in the order when
    the rasteriser has taken it; one that is not drawn takes a clock, and is lost.

    Interface attributes
    --------------------
    items : stream of `DrawItem`
    primitives : stream of `SetUpPrimitive`
    raster, window, limits, outside : stream of `SetUpPrimitive` to `Fep`, and what goes with it
    o : stream of `OrderItem`: records that matter to quads, programs, drawn pieces
    busy : something is under way
    debug : see `DebugStatus`
    """

    items: In(stream.Signature(DrawItem))
    primitives: In(stream.Signature(SetUpPrimitive))
    raster: Out(stream.Signature(SetUpPrimitive))
    window: Out(ClippedWindow)
    limits: Out(DepthLimits)
    outside: In(1)
    o: Out(stream.Signature(OrderItem))
    busy: Out(1)
    debug: Out(PARTS["draw_order"])

    def elaborate(self, platform):
        m = Module()
        m.submodules.clip_state = state = ClipState()
        m.submodules.order = order = Queue(OrderItem, _ITEMS)
        connect(m, order.o, flipped(self.o))
        item, primitive, out = self.items.payload, self.primitives.payload, order.i.payload
        m.d.comb += [
            *(self.window.eq(state.window), self.limits.eq(state.limits)),
            *(state.record.eq(item.body.record), self.raster.payload.eq(primitive)),
            self.busy.eq(self.o.valid | self.raster.valid | ~state.settled),
            self.debug.EDGES_STALL.eq(self.primitives.valid & ~self.primitives.ready),
            self.debug.EDGES_READY.eq(self.primitives.ready),
            self.debug.EDGES_ISCTRL.eq(self.items.valid & (item.kind != VcmKind.PRIMITIVE)),
            self.debug.EDGES_CTRLID.eq(out.kind),
            self.debug.REFXY_FIFO_READY.eq(order.i.ready),
        ]
        with m.If(self.items.valid):
            with m.Switch(item.kind):
                with m.Case(VcmKind.RECORD):
                    m.d.comb += [
                        self.items.ready.eq(order.i.ready),
                        order.i.valid.eq(_is_one_of(item.body.record.code, _PASSED)),
                        state.stb.eq(order.i.ready),
                        out.kind.eq(Mux(_is_one_of(item.body.record.code, _TILE), OrderKind.TILE, OrderKind.RECORD)),
                        out.body.record.eq(item.body.record),
                    ]
                with m.Case(VcmKind.SHADER):
                    m.d.comb += [
                        self.items.ready.eq(order.i.ready),
                        order.i.valid.eq(1),
                        out.kind.eq(OrderKind.SHADER),
                        out.body.shader.eq(item.body.shader),
                    ]
                with m.Case(VcmKind.PRIMITIVE):
                    self._pass_piece(m, order.i, state.settled)
                with m.Default():
                    m.d.comb += self.items.ready.eq(1)
        with m.If(item.kind == VcmKind.PRIMITIVE):
            with m.If(self.primitives.valid & self.primitives.ready & primitive.last):
                m.d.comb += self.items.ready.eq(1)
        return m

    def _pass_piece(self, m, order, settled):
        """The next piece to the rasteriser, and to the order in the clock in which that takes it."""
        primitive, piece = self.primitives.payload, order.payload.body.piece
        passes = self.raster.valid & self.raster.ready
        m.d.comb += [
            # Room stays until it is used, so the rasteriser may look at what is offered.
            self.raster.valid.eq(self.primitives.valid & primitive.drawn & order.ready & settled),
            self.primitives.ready.eq(passes | ~primitive.drawn),
            order.valid.eq(passes),
            order.payload.kind.eq(OrderKind.PIECE),
            *(piece[name].eq(primitive[name]) for name in ("oversample", "reverse", "clockwise", "x", "y", "planes")),
            piece.tile_x.eq(self.window.tile_x),
            piece.tile_y.eq(self.window.tile_y),
            piece.outside.eq(self.outside),
        ]


def _is_one_of(code, codes):
    return Cat(code == one for one in codes).any()
