"""Records of the tile buffer, and what they ask for."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.common.queue import Queue
from vc4.records.control import ControlCode
from vc4.records.tile_buffer import ClearColors, TileCoordinates, TileRenderingModeConfiguration

from .dump_place import DumpPlace
from .quad_place import two_buffers
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
    swaps_after,
)
from .transfer_structs import TileArea, TileTransfer

__all__ = ["TransferRecords"]

#: Loads that wait for their tile; drivers have two.
_LOADS = 16
#: log2 of the bytes that sizes of dumps count.
_UNIT = 9
_STORES = (
    ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER,
    ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME,
    ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER,
    ControlCode.STORE_TILE_BUFFER_GENERAL,
)


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    IDLE = 0
    LOADS = 1  # the next load begins
    PLACES = 2  # a dump gets its address
    NEXT = 3  # there may be another part
    SETTLES = 4  # what depends on a part becomes known
    MOVES = 5
    CLEARS = 6


def _begin(plan):
    """The state with which a plan begins."""
    return Mux(plan.placed, _State.PLACES, _State.NEXT)


class TransferRecords(wiring.Component):
    """Carries out the records of the tile buffer: configuration, tile coordinates, loads that wait for these, stores, and clears
    after them (guide, section 5; pipeline facts, 1.6 and 5.6).

    Behaviour: a record is taken when all that it asks for has happened. Of more than 16 loads for a tile the last ones are lost.

    If there are two tile buffers, a store after which all of the tile is cleared clears the other one first. Then it is taken:
    that one is drawn from now on, and the store goes on beside. What has to do with memory waits for its end. So both have
    nothing but the clear when they are drawn, and which one it is cannot be seen. The last store of a frame does not swap, so
    that its end is that of the frame.

    Interface attributes
    --------------------
    records : stream of `PipelineRecord`; others than those of the tile buffer do nothing
    form : of the frame
    area : the frame, and the tile in it
    transfer, starts, ends : a part of a tile; strobes: it begins, all of it is done
    clears : stream of `TileClear`
    finished : strobe: the last store of a frame has ended
    buffer : which tile buffer is drawn, if there are two
    beside : a store goes on, whose record has been taken
    """

    records: In(stream.Signature(PipelineRecord))
    form: Out(TileForm)
    area: Out(TileArea)
    transfer: Out(TileTransfer)
    starts: Out(1)
    ends: In(1)
    clears: Out(stream.Signature(TileClear))
    finished: Out(1)
    buffer: Out(1)
    beside: Out(1)

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
        swaps = Signal()
        values = Signal(ClearColors)
        plan_of(m, offered, record, self._configure(m, state))
        m.d.comb += [
            loads.i.payload.eq(offered),
            begins.eq(Mux(state == _State.LOADS, loads.o.payload, offered)),
            self.clears.valid.eq(state == _State.CLEARS),
            self.records.ready.eq(over),
        ]
        m.d.sync += self.finished.eq(over & ends_frame(record))
        with m.If(self.records.valid & ((state == _State.IDLE) | self.beside)):
            self._keep(m, loads, values, over)
        with m.Switch(state):
            with m.Case(_State.IDLE):
                m.d.sync += self.transfer.buffer.eq(self.buffer)
                with m.If(self.records.valid):
                    self._take(m, state, plan, begins, loads, values, swaps, over)
            with m.Case(_State.LOADS):
                m.d.comb += [loads.o.ready.eq(1), over.eq(~loads.o.valid)]
                m.d.sync += state.eq(_State.IDLE)
                with m.If(loads.o.valid):
                    m.d.sync += [plan.eq(begins), state.eq(_begin(begins))]
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
                    m.d.sync += [state.eq(_State.IDLE), swaps.eq(0)]
                    with m.If(swaps):
                        m.d.sync += [self.buffer.eq(~self.buffer), self.beside.eq(1), state.eq(_begin(plan))]
        self._place(m, place, plan, state)
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

    def _keep(self, m, loads, values, over):
        """Records that only change what stays: they are over at once."""
        record = self.records.payload
        with m.Switch(record.code):
            with m.Case(ControlCode.CLEAR_COLORS):
                m.d.comb += over.eq(1)
                m.d.sync += values.eq(fields_of(record, ClearColors))
            with m.Case(ControlCode.TILE_COORDINATES):
                m.d.comb += over.eq(~loads.o.valid)
            with m.Case(ControlCode.LOAD_TILE_BUFFER_GENERAL, ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER):
                m.d.comb += [over.eq(1), loads.i.valid.eq(1)]
            with m.Case(ControlCode.TILE_RENDERING_MODE_CONFIGURATION, *_STORES):
                pass
            with m.Default():
                m.d.comb += over.eq(1)

    def _take(self, m, state, plan, begins, loads, values, swaps, over):
        """Records that have to do with the memories."""
        record, clear = self.records.payload, self.clears.payload
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
                    m.d.sync += [self.buffer.eq(0), state.eq(_State.CLEARS)]
            with m.Case(ControlCode.TILE_COORDINATES), m.If(loads.o.valid):
                m.d.sync += state.eq(_State.LOADS)
            with m.Case(*_STORES):
                goes_on = Signal()
                m.d.comb += goes_on.eq(two_buffers(self.form) & swaps_after(record))
                m.d.sync += [
                    plan.eq(begins),
                    swaps.eq(goes_on),
                    state.eq(Mux(goes_on, _State.CLEARS, _begin(begins))),
                    Cat(clear.colour, clear.zs, clear.mask).eq(cleared_by(record)),
                    clear.buffer.eq(self.buffer ^ goes_on),
                    clear.colours.eq(Cat(values.clear_color_0, values.clear_color_1)),
                    clear.zs_value.z.eq(values.clear_zs),
                    clear.zs_value.stencil.eq(values.clear_stencil),
                    clear.mask_value.eq(values.clear_vg_mask),
                ]

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
        with m.Elif(self.beside):
            m.d.sync += [self.beside.eq(0), state.eq(_State.IDLE)]
        with m.Else():
            m.d.sync += state.eq(Mux(plan.loads, _State.LOADS, _State.CLEARS))

    def _place(self, m, place, plan, state):
        """Of the tile: its first pixel in the image, its dump."""
        form, record = self.form, self.records.payload
        drawn = Signal(TileCoordinates)
        tile = Signal(TileCoordinates)  # that is moved
        with m.If(self.records.valid & (record.code == ControlCode.TILE_COORDINATES)):
            m.d.sync += drawn.eq(fields_of(record, TileCoordinates))
        with m.If((state == _State.IDLE) | (state == _State.LOADS)):
            m.d.sync += tile.eq(drawn)
        colours, zs, masks = sizes_of(form)
        halves_x = form.multisample + self.transfer.block
        halves_y = (halves_x + form.wide) + two_buffers(form)
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
