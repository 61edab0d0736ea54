"""Records of the tile buffer, and what they ask for."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.common.queue import Queue
from vc4.records.control import ControlCode
from vc4.records.tile_buffer import ClearColors, TileCoordinates, TileRenderingModeConfiguration

from .dump_place import DumpPlace
from .structs import TileClear, TileForm
from .transfer_plan import (
    FrameForm,
    TransferPlan,
    cleared_by,
    ends_frame,
    frame_form,
    part_transfer,
    plan_of,
    sizes_of,
)
from .transfer_structs import TileArea, TileTransfer

__all__ = ["TransferRecords"]

#: Loads that wait for their tile; drivers have two.
_LOADS = 16
#: log2 of the bytes that sizes of dumps count.
_UNIT = 9


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    IDLE = 0
    LOADS = 1  # the next load begins
    PLACES = 2  # a dump gets its address
    NEXT = 3  # there may be another part
    SETTLES = 4  # what depends on a part becomes known
    MOVES = 5
    CLEARS = 6


class TransferRecords(wiring.Component):
    """Carries out the records of the tile buffer: configuration, tile coordinates, loads that wait for these, stores, and clears
    behind them (guide, section 5; pipeline facts, 1.6 and 5.6).

    Behaviour: a record is taken when all that it asks for has happened. Of more than 16 loads for a tile the last ones are lost.

    Interface attributes
    --------------------
    records : stream of `PipelineRecord`; others than those of the tile buffer do nothing
    form : of the frame
    area : the frame, and the tile in it
    transfer, starts, ends : a part of a tile; strobes: it begins, all of it is done
    clears : stream of `TileClear`
    finished : strobe: the last store of a frame has ended
    """

    records: In(stream.Signature(PipelineRecord))
    form: Out(TileForm)
    area: Out(TileArea)
    transfer: Out(TileTransfer)
    starts: Out(1)
    ends: In(1)
    clears: Out(stream.Signature(TileClear))
    finished: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.loads = loads = Queue(TransferPlan, _LOADS)
        m.submodules.place = place = DumpPlace()
        record = self.records.payload
        state = Signal(_State)
        plan = Signal(TransferPlan)  # what is left of it
        offered = Signal(TransferPlan)
        begins = Signal(TransferPlan)
        settles = Signal(range(4))
        over = Signal()  # the record is
        plan_of(m, offered, record, self._configure(m, state))
        m.d.comb += [
            loads.i.payload.eq(offered),
            begins.eq(Mux(state == _State.LOADS, loads.o.payload, offered)),
            self.clears.valid.eq(state == _State.CLEARS),
            self.records.ready.eq(over),
        ]
        m.d.sync += self.finished.eq(over & ends_frame(record))
        with m.Switch(state):
            with m.Case(_State.IDLE), m.If(self.records.valid):
                self._take(m, state, plan, begins, loads, over)
            with m.Case(_State.LOADS):
                m.d.comb += [loads.o.ready.eq(1), over.eq(~loads.o.valid)]
                m.d.sync += state.eq(_State.IDLE)
                with m.If(loads.o.valid):
                    m.d.sync += [plan.eq(begins), state.eq(Mux(begins.placed, _State.PLACES, _State.NEXT))]
            with m.Case(_State.PLACES):
                m.d.comb += place.starts.eq(settles == 1)
                m.d.sync += settles.eq(settles | (settles + 1))
                with m.If(place.done):
                    m.d.sync += [plan.address.eq(place.address), state.eq(_State.NEXT), settles.eq(0)]
            with m.Case(_State.NEXT):
                self._next(m, state, plan)
            with m.Case(_State.SETTLES):
                m.d.sync += settles.eq(settles + 1)
                with m.If(settles.all()):
                    m.d.comb += self.starts.eq(1)
                    m.d.sync += state.eq(_State.MOVES)
            with m.Case(_State.MOVES), m.If(self.ends):
                m.d.sync += state.eq(_State.NEXT)
            with m.Case(_State.CLEARS):
                m.d.comb += over.eq(self.clears.ready)
                with m.If(self.clears.ready):
                    m.d.sync += state.eq(_State.IDLE)
        self._place(m, place, plan)
        return m

    def _configure(self, m, state):
        """What stays from record to record; returns what the frame says of its image."""
        record = self.records.payload
        frame = Signal(FrameForm)
        taken = self.records.valid & (state == _State.IDLE)
        fields = fields_of(record, TileRenderingModeConfiguration)
        with m.If(taken & (record.code == ControlCode.TILE_RENDERING_MODE_CONFIGURATION)):
            frame_form(m, frame, fields)
            m.d.sync += [
                self.form.multisample.eq(fields.multisample_mode),
                self.form.wide.eq(fields.tile_buffer_64_bit_color_depth),
                self.form.double.eq(fields.double_buffer_in_non_ms_mode),
                self.area.width.eq(fields.width),
                self.area.height.eq(fields.height),
            ]
        return frame

    def _take(self, m, state, plan, begins, loads, over):
        """A record, unless it only changes what stays."""
        record, clear = self.records.payload, self.clears.payload
        values = Signal(ClearColors)
        configuration = fields_of(record, TileRenderingModeConfiguration)
        form = Signal(TileForm)
        m.d.comb += [
            form.multisample.eq(configuration.multisample_mode),
            form.wide.eq(configuration.tile_buffer_64_bit_color_depth),
            form.double.eq(configuration.double_buffer_in_non_ms_mode),
        ]
        with m.Switch(record.code):
            with m.Case(ControlCode.TILE_RENDERING_MODE_CONFIGURATION):
                m.d.comb += over.eq(form.as_value() == self.form.as_value())
                with m.If(~over):
                    m.d.sync += [clear.eq(0), clear.colour.eq(1), clear.zs.eq(1), clear.mask.eq(1)]
                    m.d.sync += state.eq(_State.CLEARS)
            with m.Case(ControlCode.CLEAR_COLORS):
                m.d.comb += over.eq(1)
                m.d.sync += values.eq(fields_of(record, ClearColors))
            with m.Case(ControlCode.TILE_COORDINATES):
                m.d.sync += state.eq(_State.LOADS)
            with m.Case(ControlCode.LOAD_TILE_BUFFER_GENERAL, ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER):
                m.d.comb += [over.eq(1), loads.i.valid.eq(1)]
            with m.Case(
                ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER,
                ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME,
                ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER,
                ControlCode.STORE_TILE_BUFFER_GENERAL,
            ):
                m.d.sync += [
                    plan.eq(begins),
                    state.eq(Mux(begins.placed, _State.PLACES, _State.NEXT)),
                    Cat(clear.colour, clear.zs, clear.mask).eq(cleared_by(record)),
                    clear.colours.eq(Cat(values.clear_color_0, values.clear_color_1)),
                    clear.zs_value.z.eq(values.clear_zs),
                    clear.zs_value.stencil.eq(values.clear_stencil),
                    clear.mask_value.eq(values.clear_vg_mask),
                ]
            with m.Default():
                m.d.comb += over.eq(1)

    def _next(self, m, state, plan):
        """The next part, or the end."""
        colours, zs, _ = sizes_of(self.form)
        m.d.sync += state.eq(_State.SETTLES)
        part_transfer(m, self.transfer, plan, self.form)
        with m.If(plan.colour):
            m.d.sync += [plan.colour.eq(0), plan.address.eq(plan.address + (colours << _UNIT))]
        with m.Elif(plan.zs):
            m.d.sync += [plan.zs.eq(0), plan.address.eq(plan.address + (zs << _UNIT))]
        with m.Elif(plan.mask):
            m.d.sync += plan.mask.eq(0)
        with m.Else():
            m.d.sync += state.eq(Mux(plan.loads, _State.LOADS, _State.CLEARS))

    def _place(self, m, place, plan):
        """Of the tile: its first pixel in the image, its dump."""
        form, record = self.form, self.records.payload
        tile = Signal(TileCoordinates)
        with m.If(self.records.valid & (record.code == ControlCode.TILE_COORDINATES)):
            m.d.sync += tile.eq(fields_of(record, TileCoordinates))
        colours, zs, masks = sizes_of(form)
        halves_x = form.multisample + self.transfer.block
        halves_y = (halves_x + form.wide) + (form.double & ~form.multisample)
        m.d.comb += [
            place.base.eq(plan.address),
            place.row.eq(tile.tile_row_number),
            place.column.eq(tile.tile_column_number),
        ]
        m.d.sync += [
            place.across.eq(Mux(form.multisample, (self.area.width + 31) >> 5, (self.area.width + 63) >> 6)),
            place.units.eq(Mux(plan.colour, colours, 0) + Mux(plan.zs, zs, 0) + Mux(plan.mask, masks, 0)),
            self.area.x.eq((tile.tile_column_number << 6) >> halves_x),
            self.area.y.eq((tile.tile_row_number << 6) >> halves_y),
        ]
