"""What may be drawn."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.records.control import ControlCode
from vc4.records.quads import DEPTH_BITS
from vc4.records.state import ClipWindow, ZClippingPlanes
from vc4.records.tile_buffer import TileCoordinates, TileRenderingModeConfiguration

from .depth_limit import DepthLimit
from .structs import PIXEL_BITS, ClippedWindow, DepthLimits

__all__ = ["ClipState"]

_COORDINATE_BITS = 16
_LARGEST_SIDE = 64
#: Clocks from a record to the window.
_SETTLES = 2


class ClipState(wiring.Component):
    """Keeps what records say of tile, clip window and planes of Z (docs/reference/rendering.md).

    Behaviour: everything is settled three clocks after a record, or with planes of Z up to 29 clocks after it.

    Interface attributes
    --------------------
    record, stb : strobe: a record, of any kind
    settled : what follows is that of all records
    window : the tile, and what of it is within the clip window
    limits : of Z
    """

    record: In(PipelineRecord)
    stb: In(1)
    settled: Out(1, init=1)
    window: Out(ClippedWindow)
    limits: Out(DepthLimits)

    def elaborate(self, platform):
        m = Module()
        m.submodules.nearest = nearest = DepthLimit(0)
        m.submodules.farthest = farthest = DepthLimit((1 << DEPTH_BITS) - 1)
        steps = Signal(range(_SETTLES + 1))
        planes = fields_of(self.record, ZClippingPlanes)
        sets_planes = self.stb & (self.record.code == ControlCode.Z_CLIPPING_PLANES)
        m.d.comb += [
            *(nearest.value.eq(planes.minimum_zw), nearest.stb.eq(sets_planes)),
            *(farthest.value.eq(planes.maximum_zw), farthest.stb.eq(sets_planes)),
            *(self.limits.nearest.eq(nearest.z), self.limits.farthest.eq(farthest.z)),
        ]
        m.d.sync += [
            steps.eq(Mux(self.stb, _SETTLES, Mux(steps == 0, 0, steps - 1))),
            self.settled.eq(~(self.stb | steps[1] | nearest.busy | farthest.busy)),
        ]
        narrow, low, lower = self._form(m)
        clip = fields_of(self.record, ClipWindow)
        tile = fields_of(self.record, TileCoordinates)
        heights = [narrow, low, lower]
        axes = (
            (("left", "right", "tile_x"), tile.tile_column_number, [narrow]),
            (("low", "high", "tile_y"), tile.tile_row_number, heights),
        )
        starts = (clip.clip_window_left_pixel_coordinate, clip.clip_window_bottom_pixel_coordinate)
        sizes = (clip.clip_window_width_in_pixels, clip.clip_window_height_in_pixels)
        for ((first, behind, origin), number, halvings), start, size in zip(axes, starts, sizes, strict=True):
            self._axis(m, (first, behind, origin), number, halvings, start, size)
        return m

    def _form(self, m):
        """What makes tiles smaller: each bit that is set halves one of their sides, the first one both."""
        form = fields_of(self.record, TileRenderingModeConfiguration)
        narrow, low, lower = Signal(name="narrow"), Signal(name="low"), Signal(name="lower")
        with m.If(self.stb & (self.record.code == ControlCode.TILE_RENDERING_MODE_CONFIGURATION)):
            m.d.sync += [
                narrow.eq(form.multisample_mode),
                low.eq(form.tile_buffer_64_bit_color_depth),
                lower.eq(form.double_buffer_in_non_ms_mode & ~form.multisample_mode),
            ]
        return narrow, low, lower

    def _axis(self, m, names, number, halvings, start, size):
        """The window along an axis; it follows a clock after the tile's end, which follows a clock after its begin."""
        first, behind, origin = (self.window[name] for name in names)
        clip_first = Signal(_COORDINATE_BITS, name=f"clip_{names[0]}")
        clip_behind = Signal(_COORDINATE_BITS + 1, name=f"clip_{names[1]}", init=1 << _COORDINATE_BITS)
        place = Signal(PIXEL_BITS, name=names[2])
        end = Signal(PIXEL_BITS + 1, name=f"end_{names[2]}")
        length = Const(_LARGEST_SIDE, PIXEL_BITS)
        moved = Cat(Const(0, _LARGEST_SIDE.bit_length() - 1), number)
        for halves in halvings:
            length, moved = Mux(halves, length >> 1, length), Mux(halves, moved >> 1, moved)
        with m.If(self.stb & (self.record.code == ControlCode.CLIP_WINDOW)):
            # A size of 0 cuts nothing off.
            m.d.sync += [clip_first.eq(start), clip_behind.eq(start + Cat(size, size == 0))]
        with m.If(self.stb & (self.record.code == ControlCode.TILE_COORDINATES)):
            m.d.sync += place.eq(moved)
        m.d.sync += [
            end.eq(place + length),
            first.eq(Mux(clip_first > place, clip_first, place)),
            behind.eq(Mux(clip_behind < end, clip_behind, end)),
        ]
        m.d.comb += origin.eq(place)
