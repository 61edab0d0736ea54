"""How large texels are (guide, table 18; pipeline facts, 6.3)."""

from amaranth import *

from vc4.records.tmu import TextureType

__all__ = ["FORMATS", "format_of", "normal_type"]

#: By type: sides of a microtile in texels, bits of what memory holds as one, and side of a block, as powers of two.
FORMATS = {
    TextureType.RGBA8888: (2, 2, 5, 0),
    TextureType.RGBX8888: (2, 2, 5, 0),
    TextureType.RGBA4444: (3, 2, 4, 0),
    TextureType.RGBA5551: (3, 2, 4, 0),
    TextureType.RGB565: (3, 2, 4, 0),
    TextureType.LUMINANCE: (3, 3, 3, 0),
    TextureType.ALPHA: (3, 3, 3, 0),
    TextureType.LUMALPHA: (3, 2, 4, 0),
    TextureType.ETC1: (3, 4, 6, 2),
    TextureType.S16F: (3, 2, 4, 0),
    TextureType.S8: (3, 3, 3, 0),
    TextureType.S16: (3, 2, 4, 0),
    TextureType.BW1: (5, 4, 0, 0),
    TextureType.A4: (4, 3, 2, 0),
    TextureType.A1: (5, 4, 0, 0),
    TextureType.RGBA64: (1, 2, 6, 0),
    TextureType.RGBA32R: (2, 2, 5, 0),
    TextureType.YUYV422R: (3, 2, 4, 0),
}
_RASTER = (TextureType.RGBA32R, TextureType.YUYV422R)


def normal_type(low, high):
    """The type of both of its parts; the codes after the last are what their low bits say."""
    return Cat(low, high & (low < 2))


def format_of(m, kind, o):
    """Sets `o` to the `TexelFormat` of a type."""
    with m.Switch(kind):
        for one, (width, height, bits, block) in FORMATS.items():
            with m.Case(one):
                m.d.comb += [
                    o.width.eq(width),
                    o.height.eq(height),
                    o.bits.eq(bits),
                    o.block.eq(block),
                    o.raster.eq(one in _RASTER),
                ]
