"""What control records say of primitives."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES, PipelineRecord, fields_of
from vc4.records.control import ControlCode
from vc4.records.primitives import ClippedPrimitive
from vc4.records.state import (
    ConfigurationBits,
    DepthOffset,
    FlatShadeFlags,
    LineWidth,
    PointSize,
    RhtXBoundary,
    ViewportOffset,
)

from .structs import POSITION_BITS, SetUpState

__all__ = ["DrawRecords"]

_ONE = 0x3F80_0000
#: Records that the set-up's state is made of.
_STATE = (
    ControlCode.CONFIGURATION_BITS,
    ControlCode.FLAT_SHADE_FLAGS,
    ControlCode.LINE_WIDTH,
    ControlCode.RHT_X_BOUNDARY,
    ControlCode.DEPTH_OFFSET,
    ControlCode.VIEWPORT_OFFSET,
)
_ADDRESS_BITS = 32
_HALF = 16


class DrawRecords(wiring.Component):
    """Keeps the state of primitives, as the model's `DrawState` (docs/reference/rendering.md, set-up).

    Behaviour: what is taken counts from the next clock on. Nothing is set at first, but sizes are 1.

    Interface attributes
    --------------------
    record, stb : strobe: this record is taken
    is_state : it would change `state`
    state : of the primitives from here on; its size is that of lines
    left, low : the offset of the viewport
    point_size : of points without their own
    made, address : vertices of the clipped primitive that follows that clipping has made, a bit each, and where they are
    """

    record: In(PipelineRecord)
    stb: In(1)
    is_state: Out(1)
    state: Out(SetUpState)
    left: Out(signed(_HALF))
    low: Out(signed(_HALF))
    point_size: Out(32, init=_ONE)
    made: Out(VERTICES)
    address: Out(_ADDRESS_BITS)

    def elaborate(self, platform):
        m = Module()
        record, state = self.record, self.state
        line_width = Signal(32, init=_ONE)
        boundary = Signal(signed(_HALF))
        kept = Signal.like(state)
        viewport = fields_of(record, ViewportOffset)
        bits = fields_of(record, ConfigurationBits)
        offset = fields_of(record, DepthOffset)
        clipped = fields_of(record, ClippedPrimitive)
        moved = Signal(signed(POSITION_BITS))
        m.d.sync += moved.eq(boundary + self.left)
        m.d.comb += [
            self.is_state.eq(Cat(record.code == code for code in _STATE).any()),
            *(state.eq(kept), Value.cast(state.size).eq(line_width), state.rht_boundary.eq(moved)),
        ]
        with m.If(self.stb), m.Switch(record.code):
            with m.Case(ControlCode.CONFIGURATION_BITS):
                m.d.sync += [
                    kept.front.eq(bits.enable_forward_facing_primitive),
                    kept.back.eq(bits.enable_reverse_facing_primitive),
                    kept.clockwise.eq(bits.clockwise_primitives),
                    kept.offsets.eq(bits.enable_depth_offset),
                    kept.oversample.eq(bits.rasteriser_oversample_mode),
                ]
            with m.Case(ControlCode.FLAT_SHADE_FLAGS):
                m.d.sync += kept.flat.eq(fields_of(record, FlatShadeFlags).flat_shading_flags)
            with m.Case(ControlCode.POINT_SIZE):
                m.d.sync += self.point_size.eq(fields_of(record, PointSize).point_size)
            with m.Case(ControlCode.LINE_WIDTH):
                m.d.sync += line_width.eq(fields_of(record, LineWidth).line_width)
            with m.Case(ControlCode.RHT_X_BOUNDARY):
                m.d.sync += boundary.eq(fields_of(record, RhtXBoundary).rht_primitive_x_boundary)
            with m.Case(ControlCode.DEPTH_OFFSET):
                m.d.sync += [kept.factor.eq(offset.depth_offset_factor), kept.units.eq(offset.depth_offset_units)]
            with m.Case(ControlCode.VIEWPORT_OFFSET):
                m.d.sync += [
                    self.left.eq(viewport.viewport_centre_x_coordinate),
                    self.low.eq(viewport.viewport_centre_y_coordinate),
                ]
            with m.Case(ControlCode.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST):
                place = Value.cast(clipped.clipped_primitive_data_address)
                m.d.sync += self.made.eq(clipped.clipped_vertices)
                m.d.sync += self.address.eq(place << (_ADDRESS_BITS - len(place)))
        return m
