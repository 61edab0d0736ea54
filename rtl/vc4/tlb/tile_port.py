"""The way to the memories of the tile buffer."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import QUAD_PIXELS

from .structs import COLOUR_BITS, MASK_BITS, ColourRead, DepthAnswer, DepthWrite, colour_write

__all__ = ["TilePort"]


class TilePort(wiring.Signature):
    """The side of who reads and writes.

    Interface attributes
    --------------------
    depth_writes, depth_answers : Z of quads, and what has become of them
    colour_writes, colour_reads, colours : of quads
    mask_writes, mask_reads, masks : as colours, of sample 0
    """

    def __init__(self):
        super().__init__(
            {
                "depth_writes": Out(stream.Signature(DepthWrite)),
                "depth_answers": In(stream.Signature(DepthAnswer)),
                "colour_writes": Out(stream.Signature(colour_write(COLOUR_BITS))),
                "colour_reads": Out(stream.Signature(ColourRead)),
                "colours": In(stream.Signature(data.ArrayLayout(COLOUR_BITS, QUAD_PIXELS))),
                "mask_writes": Out(stream.Signature(colour_write(MASK_BITS))),
                "mask_reads": Out(stream.Signature(ColourRead)),
                "masks": In(stream.Signature(data.ArrayLayout(MASK_BITS, QUAD_PIXELS))),
            }
        )

    def __eq__(self, other):
        return isinstance(other, TilePort)

    def __repr__(self):
        return "TilePort()"
