"""A lookup of a texture as its config parameters describe it, and what travels with its elements."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES
from vc4.records.tmu import (
    LEVELS,
    REQUEST_SLOTS,
    RESULT_SLOTS,
    MagnificationFilter,
    MinificationFilter,
    TextureType,
    TmuParameterName,
    Wrap,
)

from .port import Client

__all__ = [
    "CONTEXTS",
    "COORDINATE_FRACTION",
    "Element",
    "Lookup",
    "LookupNote",
    "Pass",
    "Sample",
    "Vector",
]

#: Lookups of textures under way, a power of two: as many as a small memory of an FPGA has words. While all lines are there,
#: six of them fill the sampler; the others wait for lines.
CONTEXTS = 16
#: Bits after the point of a normalised coordinate, which has two more.
COORDINATE_FRACTION = 24
_SIZE_BITS, _TEXEL_BITS = 12, 11


class Window(data.Struct):
    """The part of an image that is sampled: all of it, or a child image."""

    width: _SIZE_BITS
    height: _SIZE_BITS
    x: _TEXEL_BITS  # its corner
    y: _TEXEL_BITS


class Lookup(data.Struct):
    """Whose lookup it is, what it samples, and how; sizes in texels, addresses in units of 4 KiB."""

    client: Client
    place: range(RESULT_SLOTS)  # of its first word among the results
    written: len(TmuParameterName)  # whether s, t, r and b were written
    slots: data.ArrayLayout(range(REQUEST_SLOTS), len(TmuParameterName))  # and where
    type: TextureType
    base: unsigned(20)
    last: range(LEVELS)  # number of the last level that is wanted
    width: _SIZE_BITS
    height: _SIZE_BITS
    window: Window
    wrap_s: Wrap
    wrap_t: Wrap
    magnification: MagnificationFilter
    minification: MinificationFilter
    flip: unsigned(1)
    flip_blocks: unsigned(1)
    cube: unsigned(1)
    stride: unsigned(18)
    bias_only: unsigned(1)


class LookupNote(data.Struct):
    """A lookup that is set up."""

    context: range(CONTEXTS)
    lookup: Lookup


class Vector(data.Struct):
    """What a program wrote for one element; 0 if it did not."""

    context: range(CONTEXTS)
    quad: range(QUADS)
    lane: range(LANES)
    s: unsigned(32)
    t: unsigned(32)
    r: unsigned(32)
    b: unsigned(32)


class Element(data.Struct):
    """One element: normalised coordinates on its face, and the bias of its level of detail."""

    context: range(CONTEXTS)
    quad: range(QUADS)
    lane: range(LANES)
    face: range(6)
    s: signed(COORDINATE_FRACTION + 2)
    t: signed(COORDINATE_FRACTION + 2)
    bias: signed(16)


class Pass(data.Struct):
    """One element in one level."""

    context: range(CONTEXTS)
    quad: range(QUADS)
    lane: range(LANES)
    word: unsigned(1)  # the second word of two
    final: unsigned(1)  # it is the last word of the lookup
    linear: unsigned(1)
    first: unsigned(1)  # of two levels
    second: unsigned(1)
    weight: unsigned(8)  # of the second one


class Sample(data.Struct):
    """What comes back with the four texels of a pass."""

    now: Pass
    bits: data.ArrayLayout(3, 4)  # where each is in its byte
    x: data.ArrayLayout(2, 2)  # columns and rows in their blocks
    y: data.ArrayLayout(2, 2)
    inside: unsigned(4)  # the others take the border colour
    across: unsigned(8)  # weights
    up: unsigned(8)
