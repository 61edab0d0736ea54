"""Quads: what rasteriser, shaders and tile buffer work on; and Z."""

__all__ = ["DEPTH_BITS", "QUAD_PIXELS", "TILE_QUAD_BITS"]

#: Of a quad: two rows of two. Pixel n is in column n % 2, row n // 2.
QUAD_PIXELS = 4
#: Of the number of a column or row of quads in the largest tile, 64 pixels wide and high.
TILE_QUAD_BITS = 5
#: Of Z of a pixel.
DEPTH_BITS = 24
