"""What a fragment shader writes to set up its stencil tests (guide, tables 27 and 28; pipeline facts, 5.3). Low bits first."""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data, enum

from .state import DepthTest

__all__ = ["StencilMasks", "StencilOperation", "StencilRule", "StencilSetUp", "StencilWriteMask"]


class StencilOperation(enum.Enum, shape=unsigned(3)):
    """What becomes of a stencil value. `INCREMENT` and `DECREMENT` stop at the last value."""

    ZERO = 0  #: becomes 0
    KEEP = 1  #: stays
    REPLACE = 2  #: becomes the reference
    INCREMENT = 3  #: plus 1, at most 255
    DECREMENT = 4  #: minus 1, at least 0
    INVERT = 5  #: all bits inverted
    INCREMENT_WRAP = 6  #: plus 1, 0 after 255
    DECREMENT_WRAP = 7  #: minus 1, 255 after 0


class StencilWriteMask(enum.Enum, shape=unsigned(2)):
    """How many of the bits may change, from the lowest one on."""

    BITS_1 = 0  #: mask 1
    BITS_2 = 1  #: mask 3
    BITS_4 = 2  #: mask 0xf
    BITS_8 = 3  #: mask 0xff


class StencilRule(data.Struct):
    """A test, and what happens after it."""

    mask: unsigned(8)  #: bits that are compared
    reference: unsigned(8)  #: what is compared
    function: DepthTest  #: what the reference must be, compared with the value that is there
    stencil_fails: StencilOperation  #: what becomes of the stencil value if the test fails
    z_passes: StencilOperation  #: if it and the depth test pass
    z_fails: StencilOperation  #: if it passes and the depth test fails


class StencilSetUp(data.Struct):
    """The test of one face or both."""

    rule: StencilRule  #: the test
    write_mask: StencilWriteMask  #: bits that may change
    faces: unsigned(2)  #: front, back; none: `StencilMasks`


class StencilMasks(data.Struct):
    """Bits that may change, of both faces."""

    front: unsigned(8)  #: of what is seen from the front
    back: unsigned(8)  #: of what is seen from behind
    unused: unsigned(14)
    faces: unsigned(2)  #: 0


for _layout in (StencilSetUp, StencilMasks):
    assert Shape.cast(_layout).width == 32
