"""Where stores of a tile may write."""

from vc4.records.control import ControlCode as Code
from vc4.records.tile_buffer import TileBuffer

__all__ = ["reach"]


def reach(transfers, record):
    """Where a store may write at the most: its image, whole microtiles and tiles of 4 KiB, or its dump."""
    shape, size, fields = transfers.tile.shape, transfers.size, record.fields
    dump = transfers.tile.zs.size * (4 * shape.words + 4) + transfers.tile.mask.size
    if record.code is Code.STORE_FULL_RESOLUTION_TILE_BUFFER:
        return range(fields.tile_address, fields.tile_address + dump)
    pixels = -(-size.width // 64) * 64 * -(-size.height // 64) * 64
    if record.code is not Code.STORE_TILE_BUFFER_GENERAL:
        return range(transfers._address, transfers._address + 8 * pixels)
    if fields.buffer_to_store is TileBuffer.FULL:
        across = -(-size.width // shape.width)
        place = fields.frame_address + (transfers.row * across + transfers.column) * dump
        return range(fields.frame_address, place + dump)
    return range(fields.frame_address, fields.frame_address + 8 * pixels)
