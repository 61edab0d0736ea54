"""A texture as its config parameters describe it, and what travels with a lookup of it."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES
from vc4.records.tmu import LEVELS, ChildOffset, ChildSize, MagnificationFilter, MinificationFilter, TextureType, Wrap

__all__ = ["Pass", "Sample", "Texture"]


class Texture(data.Struct):
    """What a lookup samples, and how; sizes in texels, addresses in units of 4 KiB."""

    type: TextureType
    base: unsigned(20)
    last: range(LEVELS)  # number of the last level
    width: unsigned(12)
    height: unsigned(12)
    wrap_s: Wrap
    wrap_t: Wrap
    magnification: MagnificationFilter
    minification: MinificationFilter
    flip: unsigned(1)
    flip_blocks: unsigned(1)
    cube: unsigned(1)
    stride: unsigned(18)
    bias_only: unsigned(1)
    child: unsigned(1)  # it is a window of the image
    size: ChildSize
    offset: ChildOffset


class Pass(data.Struct):
    """One element in one level."""

    face: range(6)
    level: range(LEVELS)
    linear: unsigned(1)
    first: unsigned(1)  # of two levels
    second: unsigned(1)
    weight: unsigned(8)  # of the second one
    quad: range(QUADS)
    lane: range(LANES)
    word: unsigned(1)  # the second word of two
    last: unsigned(1)  # of the vector


class Sample(data.Struct):
    """What comes back with the four texels of a pass."""

    now: Pass
    bits: data.ArrayLayout(3, 4)  # where each is in its byte
    x: data.ArrayLayout(2, 2)  # columns and rows in their blocks
    y: data.ArrayLayout(2, 2)
    inside: unsigned(4)  # the others take the border colour
    across: unsigned(8)  # weights
    up: unsigned(8)
