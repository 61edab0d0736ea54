"""The configuration of a random frame, its loads and stores."""

from dataclasses import dataclass
from typing import Any

from vc4.records.control import ControlCode as Code
from vc4.records.tile_buffer import DecimateMode, FrameColorFormat, MemoryFormat, PixelColorFormat, TileBuffer

from .values import Random

__all__ = ["Frame", "random_frame_size", "random_load", "random_store"]

_TILE, _MS_TILE = 64, 32
#: Pixels of any format in memory fill whole squares of so many.
_SQUARE = 64
_FORMATS = tuple(MemoryFormat)
_PARTS = (
    TileBuffer.COLOR,
    TileBuffer.COLOR,
    TileBuffer.Z_STENCIL,
    TileBuffer.Z_ONLY,
    TileBuffer.VG_MASK,
    TileBuffer.FULL,
)


@dataclass(frozen=True)
class Frame:
    """The frame that is drawn.

    fields : of its configuration, but for the address
    width, height : pixels
    tile_width, tile_height : pixels of a tile
    """

    fields: dict[str, Any]
    width: int
    height: int
    tile_width: int
    tile_height: int

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """Column and row of each."""
        columns, rows = -(-self.width // self.tile_width), -(-self.height // self.tile_height)
        return [(column, row) for row in range(rows) for column in range(columns)]

    @property
    def bytes(self) -> int:
        """What any picture or all dumps of the frame need at the most."""
        squares = -(-self.width // _SQUARE) * -(-self.height // _SQUARE)
        picture = 8 * _SQUARE * _SQUARE * squares
        dump = (8 + 4 + 1) * self.tile_width * self.tile_height * (4 if self.fields["multisample_mode"] else 1)
        return max(picture, dump * len(self.tiles)) + 0xFFF & -0x1000


def random_frame_size(rng: Random, *, coverage: bool) -> Frame:
    """A frame of one or two tiles."""
    samples, wide, double = rng.bit(0.1 if coverage else 0.35), rng.bit(0.15), rng.bit(0.05)
    width = _MS_TILE if samples else _TILE
    height = width >> wide >> (double and not samples)
    columns, rows = rng.choice(((1, 1), (1, 1), (1, 1), (2, 1), (1, 2)))
    size = [
        tile * (count - 1) + rng.choice((tile, rng.randrange(1, tile + 1)))
        for tile, count in ((width, columns), (height, rows))
    ]
    fields = {
        "width": size[0],
        "height": size[1],
        "multisample_mode": samples,
        "tile_buffer_64_bit_color_depth": wide,
        "frame_buffer_color_format": rng.choice((FrameColorFormat.RGBA8888, *FrameColorFormat)),
        "decimate_mode": rng.mostly(DecimateMode.SAMPLE_0, tuple(DecimateMode), 0.7 if samples else 0.15),
        "memory_format": rng.choice(_FORMATS),
        "enable_vg_mask_buffer": rng.bit(0.5),
        "select_coverage_mode": int(coverage),
        "early_z_update_direction": rng.bit(),
        # Fragments that do not test the Z that they came with would be lost, and so would stencil operations of those that fail.
        "early_z_disable": 1,
        "double_buffer_in_non_ms_mode": double,
    }
    return Frame(fields, *size, width, height)


def random_store(
    rng: Random, address: int, *, last: bool, parts: tuple[TileBuffer, ...] = _PARTS
) -> tuple[Code, dict[str, Any]]:
    """A store with an address of its own, often without clears; `last`: the frame ends with it."""
    keep = rng.bit(0.6)
    if rng.chance(0.2):
        skipped = rng.choice(((0, 0), (0, 0), (1, 0), (0, 1)))
        return Code.STORE_FULL_RESOLUTION_TILE_BUFFER, {
            "disable_color_buffer_write": skipped[0],
            "disable_z_stencil_buffer_write": skipped[1],
            "disable_clear_on_write": keep,
            "last_tile_of_frame": int(last),
            "tile_address": address,
        }
    return Code.STORE_TILE_BUFFER_GENERAL, {
        "buffer_to_store": rng.choice(parts),
        "format": rng.choice(_FORMATS),
        "mode": rng.mostly(DecimateMode.SAMPLE_0, tuple(DecimateMode), 0.4),
        "pixel_color_format": rng.choice(tuple(PixelColorFormat)),
        **{f"disable_{name}_buffer_clear": int(keep or rng.chance(0.3)) for name in ("color", "z_stencil", "vg_mask")},
        **{f"disable_{name}_buffer_dump": rng.bit(0.2) for name in ("color", "z_stencil", "vg_mask")},
        "last_tile_of_frame": int(last),
        "frame_address": address,
    }


def random_load(rng: Random, address: int) -> tuple[Code, dict[str, Any]]:
    """A load from what lies at `address`, or seldom of nothing."""
    if rng.chance(0.2):
        return Code.RELOAD_FULL_RESOLUTION_TILE_BUFFER, {
            "disable_color_buffer_read": rng.bit(0.2),
            "disable_z_stencil_buffer_read": rng.bit(0.2),
            "tile_address": address,
        }
    return Code.LOAD_TILE_BUFFER_GENERAL, {
        "buffer_to_load": rng.mostly(rng.choice(_PARTS), (TileBuffer.NONE,), 0.05),
        "format": rng.choice(_FORMATS),
        "pixel_color_format": rng.choice(tuple(PixelColorFormat)),
        **{f"disable_{name}_buffer_load": rng.bit(0.2) for name in ("color", "z_stencil", "vg_mask")},
        "frame_address": address,
    }
