"""A texture lookup, put together: coordinates, level of detail, texels, blends."""

from vc4.isa.registers import ELEMENTS, QUADS
from vc4.records.tmu import TmuParameterName, Wrap

from ..compiled import inlined, kernel
from ..memory import MemoryState
from .coordinates import FRACTION, axis, face_coordinates, face_of, fixed, wrapped
from .filter import blend_levels, blend_texels, with_wrong_sign, without_sign
from .formats import (
    BITS,
    CHANNELS,
    FORMAT_ROWS,
    RASTER,
    READS,
    TILE_HEIGHT,
    TILE_WIDTH,
    Channels,
    border_channel,
    packed,
)
from .layout import LEVEL_HEIGHT, LEVEL_PITCH, LEVEL_WIDTH, list_levels, raster_pitch
from .lod import DETAIL, DETAIL_BITS, choice, of_quad
from .parameters import (
    BIAS_ONLY,
    CUBE,
    HEIGHT,
    LEVEL_COUNT,
    MAGNIFICATION,
    MINIFICATION,
    TYPE,
    WIDTH,
    WINDOW_HEIGHT,
    WINDOW_WIDTH,
    WINDOW_X,
    WINDOW_Y,
    WRAP_S,
    WRAP_T,
    describe,
)
from .texels import COLOURS, HALF_SIGN, INFINITY_SIGN, RASTER_WIDTH, SamplerState, read_texel

__all__ = ["sample"]

_S, _T, _R, _B = (letter.value for letter in TmuParameterName)
#: Elements of a quad.
_QUAD = ELEMENTS // QUADS
#: Bits of a normalised coordinate.
_COORDINATE_BITS = FRACTION + 2
_REPEAT, _MIRROR = Wrap.REPEAT.value, Wrap.MIRROR.value
_INTEGER, _HALVES = Channels.INTEGER.value, Channels.HALVES.value


@inlined
def _texel(
    sampler: SamplerState, memory: MemoryState, level: int, face: int, x: int, y: int, inside: int
) -> tuple[int, int, int, int]:
    """Channels of a texel of the window, or the border colour."""
    if not inside:
        return sampler.border[0], sampler.border[1], sampler.border[2], sampler.border[3]
    x = min(x + (sampler.texture[WINDOW_X] >> level), sampler.levels[level, LEVEL_WIDTH] - 1)
    y = min(y + (sampler.texture[WINDOW_Y] >> level), sampler.levels[level, LEVEL_HEIGHT] - 1)
    return read_texel(sampler, memory, level, face, x, y)


@inlined
def _read_level(
    sampler: SamplerState, memory: MemoryState, turn: int, level: int, face: int, s: int, t: int, linear: int
) -> None:
    """Writes into `blends[turn]` the texel of a level at normalised coordinates (26 bits), or with `linear` a blend of four."""
    texture = sampler.texture
    wide, high = max(texture[WINDOW_WIDTH] >> level, 1), max(texture[WINDOW_HEIGHT] >> level, 1)
    left, right, is_left, is_right, across = axis(s, wide, texture[WRAP_S], linear)
    lower, upper, is_lower, is_upper, up = axis(t, high, texture[WRAP_T], linear)
    for number in range(4 if linear else 1):
        x, is_x = (right, is_right) if number & 1 else (left, is_left)
        y, is_y = (upper, is_upper) if number & 2 else (lower, is_lower)
        red, green, blue, alpha = _texel(sampler, memory, level, face, x, y, is_x & is_y)
        sampler.texels[number, 0], sampler.texels[number, 1] = red, green
        sampler.texels[number, 2], sampler.texels[number, 3] = blue, alpha
    channels, texels = FORMAT_ROWS[texture[TYPE]][CHANNELS], sampler.texels
    for colour in range(COLOURS):
        blend = texels[0, colour]
        if linear:
            blend = blend_texels(blend, texels[1, colour], texels[2, colour], texels[3, colour], across, up, channels)
        sampler.blends[turn, colour] = blend


@kernel
def _blend(larger: int, smaller: int, weight: int, linear: int, channels: int, wrong_sign: int) -> int:
    """A channel of two levels, each that of a texel or with `linear` of a blend; with `wrong_sign` with the erratum HW-2645."""
    if not linear:
        larger = blend_texels(larger, 0, 0, 0, 0, 0, channels)
        smaller = blend_texels(smaller, 0, 0, 0, 0, 0, channels)
    blend = blend_levels(larger, smaller, weight, channels)
    return with_wrong_sign(blend, larger, smaller) if wrong_sign and weight and channels == _HALVES else blend


@inlined
def _sample_element(sampler: SamplerState, memory: MemoryState, element: int, detail: int) -> tuple[int, int]:
    """Both words of an element, from the level of detail of its quad."""
    texture, at = sampler.texture, sampler.coordinates
    s, t, face = at[_S, element], at[_T, element], 0
    if texture[CUBE]:
        face = face_of(s, t, at[_R, element])
        s, t = face_coordinates(face, s, t, at[_R, element])
        s = fixed(s, FRACTION, _COORDINATE_BITS, 0) + (1 << FRACTION) >> 1
        t = fixed(t, FRACTION, _COORDINATE_BITS, 0) + (1 << FRACTION) >> 1
    else:
        s = fixed(s, FRACTION, _COORDINATE_BITS, 1 if texture[WRAP_S] in (_REPEAT, _MIRROR) else 0)
        t = fixed(t, FRACTION, _COORDINATE_BITS, 1 if texture[WRAP_T] in (_REPEAT, _MIRROR) else 0)
    s, t = wrapped(s, texture[WRAP_S]), wrapped(t, texture[WRAP_T])
    detail += fixed(at[_B, element], DETAIL, DETAIL_BITS, 0)
    linear, level, weight = choice(detail, texture[MAGNIFICATION], texture[MINIFICATION], texture[LEVEL_COUNT])
    type_ = texture[TYPE]
    channels = FORMAT_ROWS[type_][CHANNELS]
    if channels == _INTEGER:
        linear = 0
    for turn in range(2 if weight else 1):
        _read_level(sampler, memory, turn, level + turn, face, s, t, linear)
    blends = sampler.blends
    # A single texel keeps all its bits.
    if channels != _INTEGER and (linear or weight):
        wrong_sign = sampler.errata[INFINITY_SIGN]
        for colour in range(COLOURS):
            blends[0, colour] = _blend(blends[0, colour], blends[1, colour], weight, linear, channels, wrong_sign)
    elif channels == _HALVES and sampler.errata[HALF_SIGN]:
        for colour in range(COLOURS):
            blends[0, colour] = without_sign(blends[0, colour])
    return packed(type_, blends[0, 0], blends[0, 1], blends[0, 2], blends[0, 3])


@kernel
def _detail_of_quad(sampler: SamplerState, first: int) -> int:
    """Level of detail of the quad that begins with element `first`. Its steps are taken on the face of that element."""
    texture, at = sampler.texture, sampler.coordinates
    s0, s1, s2, s3 = at[_S, first], at[_S, first + 1], at[_S, first + 2], at[_S, first + 3]
    t0, t1, t2, t3 = at[_T, first], at[_T, first + 1], at[_T, first + 2], at[_T, first + 3]
    if texture[CUBE]:
        face = face_of(s0, t0, at[_R, first])
        s0, t0 = face_coordinates(face, s0, t0, at[_R, first])
        s1, t1 = face_coordinates(face, s1, t1, at[_R, first + 1])
        s2, t2 = face_coordinates(face, s2, t2, at[_R, first + 2])
        s3, t3 = face_coordinates(face, s3, t3, at[_R, first + 3])
    return of_quad(s0, s1, s2, s3, t0, t1, t2, t3, texture[WINDOW_WIDTH], texture[WINDOW_HEIGHT], texture[CUBE])


@kernel
def sample(sampler: SamplerState, memory: MemoryState, count: int) -> int:
    """Looks up what the first `count` uniforms and the coordinates of a sampler say. Returns how many of its words count.

    The border colour is element 0 of r.
    """
    texture = sampler.texture
    describe(texture, sampler.uniforms, count)
    type_ = texture[TYPE]
    tile_width, tile_height = FORMAT_ROWS[type_][TILE_WIDTH], FORMAT_ROWS[type_][TILE_HEIGHT]
    bits, raster = FORMAT_ROWS[type_][BITS], FORMAT_ROWS[type_][RASTER]
    width, height = texture[WIDTH], texture[HEIGHT]
    list_levels(sampler.levels, bits, tile_width, tile_height, raster, width, height, texture[LEVEL_COUNT])
    if raster and sampler.errata[RASTER_WIDTH]:
        sampler.levels[0, LEVEL_PITCH] = raster_pitch(bits, 1 << (width - 1).bit_length())
    for colour in range(COLOURS):
        sampler.border[colour] = border_channel(type_, colour, 0 if texture[CUBE] else sampler.coordinates[_R, 0])
    detail = 0
    for element in range(ELEMENTS):
        if element % _QUAD == 0 and not texture[BIAS_ONLY]:
            detail = _detail_of_quad(sampler, element)
        low, high = _sample_element(sampler, memory, element, detail)
        sampler.words[0, element] = low
        sampler.words[1, element] = high
    return FORMAT_ROWS[type_][READS]
