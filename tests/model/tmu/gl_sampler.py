"""Texture lookups by the rules of OpenGL ES 2.0 in double precision, one sample at a time.

An image is laid out by walking through memory in the order of its addresses, and its texels are decoded as the type's
definition says, with fractions of what they can hold. Nothing is shared with the model.
"""

import math
import struct
from functools import cache

#: Columns, rows and bytes of what a microtile has as one: a texel, several of less than a byte, or an ETC1 block.
CELLS = {
    "RGBA8888": (4, 4, 4),
    "RGBX8888": (4, 4, 4),
    "RGBA4444": (8, 4, 2),
    "RGBA5551": (8, 4, 2),
    "RGB565": (8, 4, 2),
    "LUMINANCE": (8, 8, 1),
    "ALPHA": (8, 8, 1),
    "LUMALPHA": (8, 4, 2),
    "ETC1": (2, 4, 8),
    "S16F": (8, 4, 2),
    "S8": (8, 8, 1),
    "S16": (8, 4, 2),
    "BW1": (4, 16, 1),
    "A4": (8, 8, 1),
    "A1": (4, 16, 1),
    "RGBA64": (2, 4, 8),
}
#: Texels of a cell in each direction, where it is not one.
CELL_TEXELS = {"ETC1": (4, 4), "BW1": (8, 1), "A4": (2, 1), "A1": (8, 1)}
ETC1_STEPS = [(2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183)]
#: Up and right of the sub-tiles of a tile, as they follow each other in memory.
SUBTILES = {0: [(0, 0), (1, 0), (1, 1), (0, 1)], 1: [(1, 1), (0, 1), (0, 0), (1, 0)]}


def microtiles(tiled, across, up):
    """Column and row of each microtile in the order of memory."""
    if not tiled:
        yield from ((x, y) for y in range(up) for x in range(across))
        return
    for tile_y in range(up // 8):
        columns = range(across // 8)
        for tile_x in columns if tile_y % 2 == 0 else reversed(columns):
            for sub_y, sub_x in SUBTILES[tile_y % 2]:
                for y in range(4):
                    for x in range(4):
                        yield tile_x * 8 + sub_x * 4 + x, tile_y * 8 + sub_y * 4 + y


@cache
def walk(kind, width, height):
    """Where each cell lies that a level of this size has, and the bytes of the level."""
    if kind in ("RGBA32R", "YUYV422R"):
        cell = 4
        cells = width if kind == "RGBA32R" else (width + 1) // 2
        pitch = math.ceil(width * (4 if kind == "RGBA32R" else 2) / 16) * 16
        return {(x, y): y * pitch + x * cell for y in range(height) for x in range(cells)}, pitch * height
    columns, rows, size = CELLS[kind]
    cell_x, cell_y = CELL_TEXELS.get(kind, (1, 1))
    tile_x, tile_y = columns * cell_x, rows * cell_y
    tiled = width > 4 * tile_x and height > 4 * tile_y
    across, up = math.ceil(width / tile_x), math.ceil(height / tile_y)
    if tiled:
        across, up = math.ceil(across / 8) * 8, math.ceil(up / 8) * 8
    where, address = {}, 0
    for x, y in microtiles(tiled, across, up):
        for row in range(rows):
            for column in range(columns):
                where[x * columns + column, y * rows + row] = address
                address += size
    return where, address


def power(value):
    """The next power of two."""
    return 2 ** math.ceil(math.log2(value))


def half(bits):
    """The value of a half float."""
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def etc1(data, x, y):
    """The colour of a texel of a block, as its definition reads."""
    high, low = struct.unpack(">II", data)
    flipped, differential = high & 1, high >> 1 & 1
    second = (y if flipped else x) >= 2
    colour = []
    for byte in data[:3]:
        if differential:
            base = byte >> 3
            if second:
                base = (base + (byte & 7) - (8 if byte & 4 else 0)) % 32
            colour.append(base * 8 + base // 4)
        else:
            colour.append((byte & 15 if second else byte >> 4) * 17)
    table = high >> (2 if second else 5) & 7
    number = x * 4 + y
    step = ETC1_STEPS[table][low >> number & 1]
    if low >> 16 + number & 1:
        step = -step
    return [min(max(channel + step, 0), 255) for channel in colour] + [255]


def expand(value, bits):
    """A channel of few bits as a byte: its bits repeated, which is its share of 255 but for 0.6 at the most."""
    byte = value * {4: 17, 5: 8.25, 6: 4.0625}[bits]
    assert abs(byte - value * 255 / ((1 << bits) - 1)) < 1
    return math.floor(byte)


def channels(kind, cell, x, y):
    """Colour of the texel at `x`, `y` of a cell: bytes from 0 to 255, halves as numbers."""
    word = int.from_bytes(cell, "little")
    match kind:
        case "RGBA8888" | "RGBA32R":
            return list(cell)
        case "RGBX8888":
            return [*cell[:3], 255]
        case "RGBA4444":
            return [expand(word >> shift & 15, 4) for shift in (12, 8, 4, 0)]
        case "RGBA5551":
            return [expand(word >> shift & 31, 5) for shift in (11, 6, 1)] + [255 * (word & 1)]
        case "RGB565":
            return [expand(word >> 11, 5), expand(word >> 5 & 63, 6), expand(word & 31, 5), 255]
        case "LUMINANCE":
            return [word, word, word, 255]
        case "ALPHA":
            return [0, 0, 0, word]
        case "LUMALPHA":
            return [cell[0], cell[0], cell[0], cell[1]]
        case "ETC1":
            return etc1(cell, x, y)
        case "S16F":
            return [half(word)]
        case "S8" | "S16":
            return [word]
        case "BW1":
            return [255 * (word >> x & 1)] * 3 + [255]
        case "A4":
            return [0, 0, 0, 17 * (word >> 4 * x & 15)]
        case "A1":
            return [0, 0, 0, 255 * (word >> x & 1)]
        case "RGBA64":
            return [half(number) for number in struct.unpack("<4H", cell)]
        case "YUYV422R":
            luma, blue, red = 1.164 * (cell[2 * x] - 16), cell[1] - 128, cell[3] - 128
            colour = luma + 1.596 * red, luma - 0.391 * blue - 0.813 * red, luma + 2.018 * blue
            return [min(max(channel, 0), 255) for channel in colour] + [255]


class Image:
    """An image of a kind in `memory`, whose level 0 begins at `base`."""

    def __init__(self, kind, width, height, levels, memory, base):
        self.kind, self.memory = kind, memory
        self.sizes = [(max(width >> level, 1), max(height >> level, 1)) for level in range(levels)]
        self.bases, address = [base], base
        for level in range(1, levels):
            _, size = walk(kind, *self.stored(width, height, level))
            address -= size
            self.bases.append(address)
        self.places = [walk(kind, *self.stored(width, height, level))[0] for level in range(levels)]

    @staticmethod
    def stored(width, height, level):
        """The size that a level has in memory."""
        return (max(power(width) >> level, 1), max(power(height) >> level, 1)) if level else (width, height)

    def texel(self, level, x, y):
        """Colour of a texel."""
        cell_x, cell_y = (2, 1) if self.kind == "YUYV422R" else CELL_TEXELS.get(self.kind, (1, 1))
        address = self.bases[level] + self.places[level][x // cell_x, y // cell_y]
        size = CELLS[self.kind][2] if self.kind in CELLS else 4
        return channels(self.kind, self.memory[address : address + size], x % cell_x, y % cell_y)


class Child:
    """A window of level 0 as an image of its own."""

    def __init__(self, image, x, y, width, height):
        self.image, self.x, self.y, self.sizes = image, x, y, [(width, height)]

    def texel(self, level, x, y):
        """Colour of a texel."""
        return self.image.texel(level, x + self.x, y + self.y)


def index(coordinate, size, wrap):
    """The texel that a whole coordinate names, or `None` for the border (specification 3.7.7 and 3.7.8)."""
    if wrap == "REPEAT":
        return coordinate % size
    if wrap == "MIRROR":
        place = coordinate % (2 * size)
        return place if place < size else 2 * size - 1 - place
    if wrap == "CLAMP":
        return min(max(coordinate, 0), size - 1)
    return coordinate if 0 <= coordinate < size else None


def texel(image, level, x, y, wraps, border):
    """Colour at whole coordinates of any size."""
    width, height = image.sizes[level]
    place = index(x, width, wraps[0]), index(y, height, wraps[1])
    return border if None in place else image.texel(level, *place)


def one_level(image, level, s, t, wraps, border, linear):
    """Colour of a level at normalised coordinates."""
    width, height = image.sizes[level]
    u, v = s * width, t * height
    if not linear:
        return texel(image, level, math.floor(u), math.floor(v), wraps, border)
    x, y = math.floor(u - 0.5), math.floor(v - 0.5)
    alpha, beta = u - 0.5 - x, v - 0.5 - y
    corners = [texel(image, level, x + i, y + j, wraps, border) for j in (0, 1) for i in (0, 1)]
    shares = [(1 - alpha) * (1 - beta), alpha * (1 - beta), (1 - alpha) * beta, alpha * beta]
    return [
        sum(share * colour for share, colour in zip(shares, column, strict=True))
        for column in zip(*corners, strict=True)
    ]


def sample(image, s, t, wraps, filters, detail, border):
    """Colour by `filters` (of magnification and of minification, as the guide names them) at a level of detail."""
    magnification, minification = filters
    last = len(image.sizes) - 1
    if detail <= 0:
        return one_level(image, 0, s, t, wraps, border, magnification == "LINEAR")
    linear = minification.startswith("LIN")
    if "MIP" not in minification:
        return one_level(image, 0, s, t, wraps, border, linear)
    if minification.endswith("NEAR"):
        level = 0 if detail <= 0.5 else min(math.ceil(detail + 0.5) - 1, last)
        return one_level(image, level, s, t, wraps, border, linear)
    if detail >= last:
        return one_level(image, last, s, t, wraps, border, linear)
    level = math.floor(detail)
    both = [one_level(image, level + more, s, t, wraps, border, linear) for more in (0, 1)]
    share = detail - level
    return [(1 - share) * a + share * b for a, b in zip(*both, strict=True)]


def level_of_detail(quad, size):
    """log2 of the longest step of a quad, (s, t) of its four pixels, to the next one (specification 3.7.7)."""
    steps = [(quad[b][0] - quad[a][0], quad[b][1] - quad[a][1]) for a, b in ((0, 1), (2, 3), (0, 2), (1, 3))]
    lengths = [math.hypot(s * size[0], t * size[1]) for s, t in steps]
    return math.log2(max(lengths)) if max(lengths) else -math.inf


def cube_face(x, y, z):
    """Face and normalised coordinates of a direction (specification, table 3.21)."""
    major = max(abs(x), abs(y), abs(z))
    if abs(x) == major:
        face, across, up = (0, -z, -y) if x > 0 else (1, z, -y)
    elif abs(y) == major:
        face, across, up = (2, x, z) if y > 0 else (3, x, -z)
    else:
        face, across, up = (4, x, -y) if z > 0 else (5, -x, -y)
    return face, (across / major + 1) / 2, (up / major + 1) / 2
