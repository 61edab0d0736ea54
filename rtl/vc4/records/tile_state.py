"""State of a tile in the tile state data array: the binner's own, between one primitive and the next. Low bits first."""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data

from .shaders import TILE_POINTER_BITS, TILE_STATE_BYTES

__all__ = ["TileState"]


class TileState(data.Struct):
    """Where the list of a tile goes on, and what the next primitive is coded against.

    The upper bits of the address are those of the array's address.
    """

    list_pointer: unsigned(TILE_POINTER_BITS)
    list_opened: unsigned(1)  #: a compressed list goes on there
    format_known: unsigned(1)  #: the list has a format, as follows
    format_type: unsigned(2)
    format_coordinates: unsigned(1)
    unused: unsigned(7)
    room: unsigned(16)  #: bytes that the block has left
    unused_56: unsigned(8)
    stamp: unsigned(32)  #: of the newest state that the list has
    vertex_0: unsigned(32)  #: the primitive before
    vertex_1: unsigned(32)
    vertex_2: unsigned(32)
    unused_192: unsigned(192)


assert Shape.cast(TileState).width == 8 * TILE_STATE_BYTES
