"""A texture lookup, put together: coordinates, level of detail, texels, blends."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from vc4.isa.registers import QUADS
from vc4.records.tmu import TextureType, Wrap

from . import coordinates, etc1, filter, formats, lod
from .coordinates import FRACTION
from .formats import FORMATS, Channels
from .layout import Level, chain
from .parameters import Texture

__all__ = ["Coordinates", "sample", "texels"]

#: Bits of a normalised coordinate.
_COORDINATE_BITS = FRACTION + 2
_REPEATING = (Wrap.REPEAT, Wrap.MIRROR)
_YUYV_BYTES = 4

#: Numbers (uint64) at addresses, of so many bytes; see `Reader`.
Read = Callable[..., np.ndarray]
#: The texel that is read where none are blended, [upper, right, element].
_FIRST = np.array([[True, False], [False, False]])[..., None]


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """What a program wrote to the four registers, sixteen words each of one or more vectors; 0 if it did not."""

    s: np.ndarray
    t: np.ndarray
    r: np.ndarray
    b: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Where elements sample: normalised coordinates (26 bits) within the image or window, face of the cube, filter."""

    s: np.ndarray
    t: np.ndarray
    face: np.ndarray
    linear: np.ndarray

    def of(self, chosen: np.ndarray) -> "_Points":
        return _Points(self.s[chosen], self.t[chosen], self.face[chosen], self.linear[chosen])


def texels(texture: Texture, level: Level, face: np.ndarray, x: np.ndarray, y: np.ndarray, read: Read) -> np.ndarray:
    """Channels of texels of one level; `x` and `y` have shapes that fit together."""
    if texture.flip:
        y = level.height - 1 - y
    place = level.place(x, y)
    first = texture.base + face * texture.cube_stride + level.offset
    address = first + place // 8 & 0xFFFF_FFFF
    bits = level.format.bits
    if texture.type is TextureType.ETC1:
        block = read(address, etc1.BLOCK_BYTES).byteswap()
        return etc1.decode(block, x % 4, y % 4 if texture.flip_blocks else 3 - y % 4)
    if texture.type is TextureType.YUYV422R:
        pair = read(address & ~(_YUYV_BYTES - 1), _YUYV_BYTES).astype(np.int64)
        raw = pair >> x % 2 * 16 & 0xFF | pair & 0xFF00 | pair >> 24 << 16
    else:
        raw = read(address, max(bits // 8, 1)).view(np.int64)
        if bits < 8:
            raw = raw >> place % 8 & (1 << bits) - 1
    return formats.decode(texture.type, raw)


def _level_of(
    texture: Texture, number: int, level: Level, points: _Points, border: np.ndarray, read: Read
) -> np.ndarray:
    """The blend of four texels of a level, or the bits of the first where nothing is blended: [blend, bits]."""
    child = texture.child
    size = (level.width, level.height)
    if child:
        size = (max(child.width >> number, 1), max(child.height >> number, 1))
    across = coordinates.axis(points.s, size[0], texture.wrap_s, points.linear)
    up = coordinates.axis(points.t, size[1], texture.wrap_t, points.linear)
    # All four texels at once: [upper, right, element].
    x, y = across.texels[None], up.texels[:, None]
    if child:
        x = np.minimum(x + (child.x >> number), level.width - 1)
        y = np.minimum(y + (child.y >> number), level.height - 1)
    inside = across.inside[None] & up.inside[:, None]
    read = partial(read, wanted=inside & (points.linear | _FIRST))
    colours = np.where(inside[..., None], texels(texture, level, points.face, x, y, read), border)
    blend = filter.bilinear(colours, across.weight[:, None], up.weight[:, None], level.format.channels)
    return np.stack([blend, colours[0, 0]])


def _points(texture: Texture, at: Coordinates) -> tuple[_Points, np.ndarray]:
    """Where to sample, all but the filter, and the level of detail of each quad."""
    size = (texture.child.width, texture.child.height) if texture.child else (texture.width, texture.height)
    none = np.zeros(at.s.shape, bool)
    if texture.cube:
        face = coordinates.faces(at.s, at.t, at.r)
        s, t = (
            coordinates.fixed(value, FRACTION, _COORDINATE_BITS) + (1 << FRACTION) >> 1
            for value in coordinates.face_coordinates(face, at.s, at.t, at.r)
        )
        # The steps of a quad are taken on the face of its first element.
        flat = coordinates.face_coordinates(np.repeat(face[::QUADS], QUADS), at.s, at.t, at.r)
    else:
        face = np.zeros(at.s.shape, np.int64)
        s, t = (
            coordinates.fixed(value, FRACTION, _COORDINATE_BITS, modulo=wrap in _REPEATING)
            for value, wrap in ((at.s, texture.wrap_s), (at.t, texture.wrap_t))
        )
        flat = at.s, at.t
    s, t = coordinates.wrapped(s, texture.wrap_s), coordinates.wrapped(t, texture.wrap_t)
    return _Points(s, t, face, none), lod.of_quads(*flat, *size, halved=texture.cube)


def sample(texture: Texture, at: Coordinates, read: Read) -> list[np.ndarray]:
    """The one or two words that a lookup returns of each element. The border colour is element 0 of `at.r`."""
    format_ = FORMATS[texture.type]
    points, detail = _points(texture, at)
    bias = coordinates.fixed(at.b, lod.DETAIL, lod.DETAIL_BITS)
    detail = bias if texture.bias_only else detail + bias
    choice = lod.choice(detail, texture.magnification, texture.minification, texture.levels)
    linear = choice.linear & (format_.channels is not Channels.INTEGER)
    points = _Points(points.s, points.t, points.face, linear)
    border = formats.border(texture.type, 0 if texture.cube else int(at.r[0]))
    chain_ = chain(format_, texture.width, texture.height, texture.levels)

    def read_levels(numbers: np.ndarray) -> np.ndarray:
        blends = np.zeros((2, len(numbers), len(border)), np.int64)
        for number in np.unique(numbers):
            chosen = numbers == number
            blends[:, chosen] = _level_of(texture, number, chain_[number], points.of(chosen), border, read)
        return blends

    (blend, bits), weight = read_levels(choice.level), choice.weight[:, None]
    smaller = blend
    if weight.any():
        smaller, _ = read_levels(np.minimum(choice.level + (choice.weight != 0), texture.levels - 1))
    blend = filter.levels(blend, smaller, weight, format_.channels)
    if format_.channels is Channels.HALVES:
        # A single texel keeps all its bits.
        blend = np.where(linear[:, None] | (weight != 0), filter.half_of_fixed(blend), bits)
    elif format_.channels is not Channels.INTEGER:
        blend = filter.bytes_of(blend)
    return formats.words(texture.type, blend)
