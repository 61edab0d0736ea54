"""Numbers in control records that are not integers. Low bits first."""

from amaranth.hdl import Shape, signed, unsigned
from amaranth.lib import data

__all__ = ["Fixed12_4", "Float16", "Float32"]


class Float32(data.Struct):
    """The guide's float32."""

    fraction: unsigned(23)
    exponent: unsigned(8)
    sign: unsigned(1)


class Float16(data.Struct):
    """The guide's float1-8-7: the upper half of a float32."""

    fraction: unsigned(7)
    exponent: unsigned(8)
    sign: unsigned(1)


class Fixed12_4(data.Struct):
    """Sixteenths of a pixel: the guide's sint16, in the scale that drivers use."""

    fraction: unsigned(4)
    integer: signed(12)


for _layout, _width in ((Float32, 32), (Float16, 16), (Fixed12_4, 16)):
    assert Shape.cast(_layout).width == _width
