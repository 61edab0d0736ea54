"""What a fragment shader writes to set up its stencil tests (guide, tables 27 and 28; pipeline facts, 5.3). Low bits first."""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data, enum

from .state import DepthTest

__all__ = ["StencilMasks", "StencilOperation", "StencilRule", "StencilSetUp", "StencilWriteMask"]


class StencilOperation(enum.Enum, shape=unsigned(3)):
    """What becomes of a stencil value. `INCREMENT` and `DECREMENT` stop at the last value."""

    ZERO = 0
    KEEP = 1
    REPLACE = 2
    INCREMENT = 3
    DECREMENT = 4
    INVERT = 5
    INCREMENT_WRAP = 6
    DECREMENT_WRAP = 7


class StencilWriteMask(enum.Enum, shape=unsigned(2)):
    """How many of the bits may change, from the lowest one on."""

    BITS_1 = 0
    BITS_2 = 1
    BITS_4 = 2
    BITS_8 = 3


class StencilRule(data.Struct):
    """A test, and what happens behind it."""

    mask: unsigned(8)  # bits that are compared
    reference: unsigned(8)
    function: DepthTest  # what the reference must be, compared with the value that is there
    stencil_fails: StencilOperation
    z_passes: StencilOperation
    z_fails: StencilOperation


class StencilSetUp(data.Struct):
    """The test of one face or both."""

    rule: StencilRule
    write_mask: StencilWriteMask
    faces: unsigned(2)  # front, back; none: `StencilMasks`


class StencilMasks(data.Struct):
    """Bits that may change, of both faces."""

    front: unsigned(8)
    back: unsigned(8)
    unused: unsigned(14)
    faces: unsigned(2)  # 0


for _layout in (StencilSetUp, StencilMasks):
    assert Shape.cast(_layout).width == 32
