"""What control records say of the tiles of primitives."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.records.control import ControlCode
from vc4.records.state import (
    ClipWindow,
    LineWidth,
    PointSize,
    RhtXBoundary,
    TileBinningModeConfiguration,
    ViewportOffset,
)

from .structs import POINT_BITS
from .tile_structs import FrameTiles, PixelWindow

__all__ = ["TileRecords"]

_ONE = 0x3F80_0000


class TileRecords(wiring.Component):
    """Keeps what `TouchedTiles` needs of the records that pass (the model's `TileGrid`, and the state of its `Ptb`).

    Behaviour: what is taken counts from the next clock on. Nothing is set at first, but sizes are 1.

    Interface attributes
    --------------------
    record, stb : strobe: this record is taken
    tiles : of the frame
    x, y : offset of the viewport
    boundary : of RHTs
    window : where pixels are drawn: a width or height of 0 is 2^16, which is no limit
    point_size, line_width : floats
    """

    record: In(PipelineRecord)
    stb: In(1)
    tiles: Out(FrameTiles)
    x: Out(signed(POINT_BITS))
    y: Out(signed(POINT_BITS))
    boundary: Out(signed(POINT_BITS))
    window: Out(PixelWindow, init={"right": -1, "top": -1})
    point_size: Out(32, init=_ONE)
    line_width: Out(32, init=_ONE)

    def elaborate(self, platform):
        m = Module()
        record, tiles = self.record, self.tiles
        viewport = fields_of(record, ViewportOffset)
        window = fields_of(record, ClipWindow)
        frame = fields_of(record, TileBinningModeConfiguration)
        doubled = frame.double_buffer_in_non_ms_mode & ~frame.multisample_mode
        with m.If(self.stb), m.Switch(record.code):
            with m.Case(ControlCode.TILE_BINNING_MODE_CONFIGURATION):
                m.d.sync += [
                    *(tiles.width.eq(frame.width), tiles.height.eq(frame.height)),
                    tiles.narrow.eq(frame.multisample_mode),
                    tiles.low.eq(frame.multisample_mode + frame.tile_buffer_64_bit_color_depth + doubled),
                ]
            with m.Case(ControlCode.VIEWPORT_OFFSET):
                m.d.sync += [
                    self.x.eq(Value.cast(viewport.viewport_centre_x_coordinate)),
                    self.y.eq(Value.cast(viewport.viewport_centre_y_coordinate)),
                ]
            with m.Case(ControlCode.CLIP_WINDOW):
                m.d.sync += [
                    self.window.left.eq(window.clip_window_left_pixel_coordinate),
                    self.window.bottom.eq(window.clip_window_bottom_pixel_coordinate),
                    self.window.right.eq(window.clip_window_width_in_pixels - 1),
                    self.window.top.eq(window.clip_window_height_in_pixels - 1),
                ]
            with m.Case(ControlCode.RHT_X_BOUNDARY):
                m.d.sync += self.boundary.eq(Value.cast(fields_of(record, RhtXBoundary).rht_primitive_x_boundary))
            with m.Case(ControlCode.POINT_SIZE):
                m.d.sync += self.point_size.eq(Value.cast(fields_of(record, PointSize).point_size))
            with m.Case(ControlCode.LINE_WIDTH):
                m.d.sync += self.line_width.eq(Value.cast(fields_of(record, LineWidth).line_width))
        return m
