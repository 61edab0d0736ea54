"""What control records do to a tile and memory: stores, loads that wait for the next tile, clears (guide, section 5; pipeline facts, 1.6 and 5.6)."""

from collections import deque

from vc4.records.control import ControlCode
from vc4.records.tile_buffer import FrameColorFormat, MemoryFormat, PixelColorFormat
from vc4.records.tile_buffer import TileBuffer as Part

from ..cle.control_records import ControlRecord
from ..cle.fields import Fields
from ..memory import Memory
from .tile_dumps import Dumped, dump_bytes, load_dump, store_dump
from .tile_images import ColourForm, FrameSize, load_image, store_image
from .tlb import ClearValues, TileBuffer, TileShape

__all__ = ["TileTransfers"]

#: Of the address of a frame; other records lack its low bits.
_ALIGNMENT = 16
#: Loads that can wait for a tile.
_MOST_LOADS = 16
_COLOURS = {
    FrameColorFormat.BGR565_DITHERED: PixelColorFormat.BGR565_DITHERED,
    FrameColorFormat.RGBA8888: PixelColorFormat.RGBA8888,
    FrameColorFormat.BGR565: PixelColorFormat.BGR565,
}


class TileTransfers:
    """Carries out the records of the tile buffer.

    tile : the tile buffer
    column, row : of the tile
    silent : stores write nothing to memory; clears happen
    """

    def __init__(self, memory: Memory, tile: TileBuffer):
        self.tile = tile
        self.column = self.row = 0
        self.silent = False
        self._memory = memory
        self._clear_values = ClearValues()
        self._loads: deque[ControlRecord] = deque()
        self._frame = FrameSize()
        self._address = 0
        self._format = MemoryFormat.RASTER
        self._form = ColourForm()

    def forget(self) -> None:
        """No load waits."""
        self._loads.clear()

    def configure(self, fields: Fields) -> None:
        """A frame begins."""
        words = 1 + fields.tile_buffer_64_bit_color_depth
        double = bool(fields.double_buffer_in_non_ms_mode)
        self.tile.configure(TileShape(bool(fields.multisample_mode), words, double))
        self._frame = FrameSize(fields.width, fields.height)
        self._address, self._format = fields.memory_address & -_ALIGNMENT, fields.memory_format
        self._form = ColourForm(_COLOURS[fields.frame_buffer_color_format], fields.decimate_mode)

    @property
    def size(self) -> FrameSize:
        """Pixels of the frame."""
        return self._frame

    def set_clear_values(self, fields: Fields) -> None:
        """What stores clear buffers to from now on."""
        self._clear_values = ClearValues(
            (fields.clear_color_0, fields.clear_color_1), fields.clear_zs, fields.clear_stencil, fields.clear_vg_mask
        )

    def arm(self, record: ControlRecord) -> None:
        """A load, which happens with the next tile; those after the 16th are lost."""
        if len(self._loads) < _MOST_LOADS:
            self._loads.append(record)

    def begin(self, column: int, row: int) -> None:
        """A tile begins. Raises `MemoryFault`."""
        self.column, self.row = column, row
        self.tile.move(column * self.tile.shape.width, row * self.tile.shape.height)
        while self._loads:
            self._load(self._loads.popleft())

    def _place_of_dump(self, address: int, dumped: Dumped) -> int:
        """Where a dump of the tile lies among those of all tiles of the frame, which begin at `address`."""
        across = -(-self._frame.width // self.tile.shape.width)
        return address + (self.row * across + self.column) * dump_bytes(self.tile, dumped)

    def _load(self, record: ControlRecord) -> None:
        fields = record.fields
        if record.code is ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER:
            dumped = Dumped(not fields.disable_color_buffer_read, not fields.disable_z_stencil_buffer_read)
            load_dump(self._memory, self.tile, fields.tile_address, dumped)
            return
        where = (self._frame, fields.frame_address, fields.format)
        match fields.buffer_to_load:
            case Part.COLOR | Part.Z_STENCIL | Part.VG_MASK as part:
                load_image(self._memory, self.tile, part, *where, fields.pixel_color_format)
            case Part.FULL:
                dumped = Dumped(
                    not fields.disable_color_buffer_load,
                    not fields.disable_z_stencil_buffer_load,
                    not fields.disable_vg_mask_buffer_load,
                )
                load_dump(self._memory, self.tile, self._place_of_dump(fields.frame_address, dumped), dumped)

    def store(self, record: ControlRecord) -> None:
        """A store, and the clears after it. Raises `MemoryFault`."""
        fields, tile = record.fields, self.tile
        clears = {"colour": True, "zs": True, "mask": True}
        if record.code is ControlCode.STORE_TILE_BUFFER_GENERAL:
            clears["colour"] = not fields.disable_color_buffer_clear
            clears["zs"] = not fields.disable_z_stencil_buffer_clear
            clears["mask"] = not fields.disable_vg_mask_buffer_clear
        elif record.code is ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER and fields.disable_clear_on_write:
            clears = dict.fromkeys(clears, False)
        if not self.silent:
            self._store(record)
        tile.clear(self._clear_values, **clears)

    def _store(self, record: ControlRecord) -> None:
        fields, memory, tile = record.fields, self._memory, self.tile
        if record.code is ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER:
            dumped = Dumped(not fields.disable_color_buffer_write, not fields.disable_z_stencil_buffer_write)
            store_dump(memory, tile, fields.tile_address, dumped)
        elif record.code is ControlCode.STORE_TILE_BUFFER_GENERAL:
            self._store_part(fields)
        else:
            self.store_image(Part.COLOR, self._address, self._format, self._form)

    def _store_part(self, fields: Fields) -> None:
        match fields.buffer_to_store:
            case Part.NONE:
                pass
            case Part.FULL:
                dumped = Dumped(
                    not fields.disable_color_buffer_dump,
                    not fields.disable_z_stencil_buffer_dump,
                    not fields.disable_vg_mask_buffer_dump,
                )
                store_dump(self._memory, self.tile, self._place_of_dump(fields.frame_address, dumped), dumped)
            case part:
                form = ColourForm(fields.pixel_color_format, fields.mode)
                self.store_image(part, fields.frame_address, fields.format, form)

    def store_image(self, part: Part, address: int, format_: MemoryFormat, form: ColourForm) -> None:
        """A part of the tile into its image. Raises `MemoryFault`."""
        store_image(self._memory, self.tile, part, self._frame, address, format_, form)
