"""What a record moves."""

from amaranth.hdl import Cat, Const, Mux, Signal, unsigned
from amaranth.lib import data

from vc4.cle.structs import fields_of
from vc4.records.control import ControlCode
from vc4.records.tile_buffer import (
    DecimateMode,
    FrameColorFormat,
    MemoryFormat,
    PixelColorFormat,
    StoreFullResolutionTileBuffer,
    StoreTileBufferGeneral,
    TileBuffer,
)

from .quad_place import two_buffers
from .structs import TileForm
from .transfer_structs import COORDINATE_BITS, TilePart, TileTransfer

__all__ = [
    "FrameForm",
    "TransferPlan",
    "cleared_by",
    "ends_frame",
    "frame_form",
    "part_transfer",
    "plan_of",
    "sizes_of",
    "swaps_after",
]

#: Fields of loads lie where those of stores do.
_GENERAL, _FULL = StoreTileBufferGeneral, StoreFullResolutionTileBuffer
#: log2 of what addresses are multiples of.
_ADDRESS_UNIT = 4
#: The same formats have other numbers in the configuration of a frame.
_FRAME_PIXELS = {one: PixelColorFormat[one.name] for one in FrameColorFormat}


class FrameForm(data.Struct):
    """What the configuration of a frame says of its image."""

    address: unsigned(32)
    layout: MemoryFormat
    pixels: PixelColorFormat
    mode: DecimateMode


class TransferPlan(data.Struct):
    """What is moved, one part after the other.

    loads, dump : from memory; all samples
    placed : a dump has its place by the number of the tile
    colour, zs, mask : which parts; one of an image
    z_only : without stencil
    """

    loads: unsigned(1)
    dump: unsigned(1)
    placed: unsigned(1)
    colour: unsigned(1)
    zs: unsigned(1)
    mask: unsigned(1)
    z_only: unsigned(1)
    layout: MemoryFormat
    pixels: PixelColorFormat
    mode: DecimateMode
    address: unsigned(32)


def frame_form(m, frame: FrameForm, fields):
    """Keep what a configuration says. Low bits of the address do not count."""
    m.d.sync += [
        frame.address.eq(Cat(Const(0, _ADDRESS_UNIT), fields.memory_address[_ADDRESS_UNIT:])),
        frame.layout.eq(fields.memory_format),
        frame.mode.eq(fields.decimate_mode),
    ]
    with m.Switch(fields.frame_buffer_color_format):
        for code, pixels in _FRAME_PIXELS.items():
            with m.Case(code):
                m.d.sync += frame.pixels.eq(pixels)


def plan_of(m, plan: TransferPlan, record, frame: FrameForm):
    """That of a store or a load."""
    general, full = fields_of(record, _GENERAL), fields_of(record, _FULL)
    part = general.buffer_to_store
    m.d.comb += [plan.layout.eq(general.format), plan.pixels.eq(general.pixel_color_format), plan.mode.eq(general.mode)]
    with m.Switch(record.code):
        with m.Case(ControlCode.STORE_TILE_BUFFER_GENERAL, ControlCode.LOAD_TILE_BUFFER_GENERAL):
            loads = record.code == ControlCode.LOAD_TILE_BUFFER_GENERAL
            dump = part == TileBuffer.FULL
            z_only = (part == TileBuffer.Z_ONLY) & ~loads
            m.d.comb += [
                plan.loads.eq(loads),
                plan.dump.eq(dump),
                plan.placed.eq(dump),
                plan.colour.eq(Mux(dump, ~general.disable_color_buffer_dump, part == TileBuffer.COLOR)),
                plan.zs.eq(Mux(dump, ~general.disable_z_stencil_buffer_dump, (part == TileBuffer.Z_STENCIL) | z_only)),
                plan.mask.eq(Mux(dump, ~general.disable_vg_mask_buffer_dump, part == TileBuffer.VG_MASK)),
                plan.z_only.eq(z_only),
                plan.address.eq(general.frame_address << _ADDRESS_UNIT),
            ]
        with m.Case(ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER, ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER):
            m.d.comb += [
                plan.loads.eq(record.code == ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER),
                plan.dump.eq(1),
                plan.colour.eq(~full.disable_color_buffer_write),
                plan.zs.eq(~full.disable_z_stencil_buffer_write),
                plan.address.eq(full.tile_address << _ADDRESS_UNIT),
            ]
        with m.Default():
            m.d.comb += [
                plan.colour.eq(1),
                plan.layout.eq(frame.layout),
                plan.pixels.eq(frame.pixels),
                plan.mode.eq(frame.mode),
                plan.address.eq(frame.address),
            ]


def sizes_of(form: TileForm):
    """Of the parts of a dump, in units of 512 bytes: colours, Z and stencil, alpha mask."""
    halves = two_buffers(form)
    colours = Const(32, 6) >> halves
    zs = colours >> form.wide
    return colours, zs, Mux(form.multisample, 2, 8) >> form.wide >> halves


def part_transfer(m, transfer: TileTransfer, plan: TransferPlan, form: TileForm):
    """Keep the next part of a plan."""
    wide = plan.colour & form.wide
    resolves = plan.colour & ~form.wide & ~plan.dump & ~plan.loads & (plan.mode != DecimateMode.SAMPLE_0)
    block = resolves & (~form.multisample | (plan.mode == DecimateMode.DECIMATE_X16))
    size = Signal.like(transfer.size)
    with m.If(plan.colour):
        short = ~plan.dump & (plan.pixels != PixelColorFormat.RGBA8888)
        m.d.comb += size.eq(Mux(wide, 3, Mux(short, 1, 2)))
    with m.Elif(plan.zs):
        m.d.comb += size.eq(2)
    side = (1 << COORDINATE_BITS) - 1
    columns = side >> (form.multisample + block)
    m.d.sync += [
        transfer.loads.eq(plan.loads),
        transfer.part.eq(Mux(plan.colour, TilePart.COLOUR, Mux(plan.zs, TilePart.ZS, TilePart.MASK))),
        transfer.dump.eq(plan.dump),
        transfer.z_only.eq(plan.z_only),
        transfer.layout.eq(plan.layout),
        transfer.pixels.eq(plan.pixels),
        transfer.block.eq(block),
        transfer.sums.eq(resolves & form.multisample),
        transfer.wide.eq(wide),
        transfer.samples.eq(form.multisample & (plan.colour | plan.zs)),
        transfer.size.eq(size),
        transfer.columns.eq(columns),
        transfer.rows.eq(columns >> (form.wide + two_buffers(form))),
        transfer.address.eq(plan.address),
    ]


def cleared_by(record):
    """Which parts a store clears: colours, Z and stencil, alpha mask."""
    general, full = fields_of(record, _GENERAL), fields_of(record, _FULL)
    none = (record.code == ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER) & full.disable_clear_on_write
    disabled = Cat(
        general.disable_color_buffer_clear, general.disable_z_stencil_buffer_clear, general.disable_vg_mask_buffer_clear
    )
    return Mux(record.code == ControlCode.STORE_TILE_BUFFER_GENERAL, ~disabled, ~none.replicate(len(disabled)))


def swaps_after(record):
    """Whether a store lets drawing go on in the other tile buffer: that one is cleared, so all that is stored must be, too."""
    general = fields_of(record, _GENERAL)
    keeps = (record.code == ControlCode.STORE_TILE_BUFFER_GENERAL) & general.disable_double_buffer_swap
    return cleared_by(record).all() & ~keeps & ~ends_frame(record)


def ends_frame(record):
    """Whether a record is the last store of a frame."""
    general, full = fields_of(record, _GENERAL), fields_of(record, _FULL)
    return (
        (record.code == ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME)
        | ((record.code == ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER) & full.last_tile_of_frame)
        | ((record.code == ControlCode.STORE_TILE_BUFFER_GENERAL) & general.last_tile_of_frame)
    )
