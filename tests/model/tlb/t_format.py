"""Where pixels lie in T-format, for tests of the tile buffer and of the texture unit."""

__all__ = ["T_FORMAT"]

#: Section 10.1 of the pipeline facts: x, y, width, bytes of a pixel, address.
T_FORMAT = [
    (0, 0, 64, 4, 0x0),
    (5, 0, 64, 4, 0x44),
    (0, 5, 64, 4, 0x110),
    (16, 0, 64, 4, 0xC00),
    (0, 16, 64, 4, 0x400),
    (16, 16, 64, 4, 0x800),
    (32, 0, 64, 4, 0x1000),
    (0, 32, 64, 4, 0x3800),
    (0, 48, 64, 4, 0x3C00),
    (63, 63, 64, 4, 0x23FC),
    (33, 1, 64, 2, 0xC12),
    (100, 70, 128, 2, 0x5D28),
    (9, 9, 128, 1, 0x149),
    (70, 70, 128, 1, 0x2836),
    (17, 40, 32, 8, 0x2A08),
    (16, 32, 64, 4, 0x3400),
]
