"""Parts of the texture unit with literal expectations: records, fixed point, level of detail, texels, blends."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

from vc4.records.tmu import MagnificationFilter, MinificationFilter, TextureType, Wrap
from vc4sim.model.elementwise import elementwise
from vc4sim.model.tmu.coordinates import axis, face_of, fixed, wrapped
from vc4sim.model.tmu.etc1 import decode_block
from vc4sim.model.tmu.filter import blend_levels, blend_texels, fixed_of_half, half_of_fixed
from vc4sim.model.tmu.formats import Channels, decode_texel, packed
from vc4sim.model.tmu.lod import choice, log2, of_quad
from vc4sim.model.tmu.parameters import Child, texture

from .gl_sampler import etc1 as etc1_by_definition
from .gl_sampler import half


def words_of(values):
    return np.array([struct.unpack("<I", struct.pack("<f", value))[0] for value in values], np.uint32)


def test_every_field_of_the_config_parameters():
    found = texture(
        (0xABCDE_000 | 3 << 10 | 1 << 8 | 1 << 4 | 9, 1 << 31 | 77 << 20 | 1 << 19 | 88 << 8 | 1 << 7 | 0x5E)
    )
    assert (found.type, found.base, found.levels) == (TextureType.YUYV422R, 0xABCDE_000, 10)
    assert (found.width, found.height, found.flip, found.flip_blocks) == (88, 77, True, True)
    assert (found.wrap_s, found.wrap_t) == (Wrap.MIRROR, Wrap.BORDER)
    assert found.magnification is MagnificationFilter.NEAREST
    assert found.minification is MinificationFilter.LIN_MIP_LIN
    assert not found.cube
    assert found.child is None
    assert not found.bias_only
    cube = texture((1 << 9, 0, 1 << 30 | 0x12345 << 12 | 1))
    assert (cube.cube, cube.cube_stride, cube.bias_only) == (True, 0x12345_000, True)
    assert (cube.width, cube.height) == (2048, 2048)


def test_child_images_in_either_order():
    size, offset = 2 << 30 | 30 << 12 | 40, 3 << 30 | 50 << 12 | 60
    for others in ((size, offset), (offset, size)):
        assert texture((0, 0, *others)).child == Child(60, 50, 40, 30)
    assert texture((0, 0, offset)).child == Child(60, 50, 2048, 2048)
    assert texture((0, 0, 0, 7)).child is None


def test_types_that_do_not_exist_are_those_of_their_low_bits():
    assert texture((2 << 4, 1 << 31)).type is TextureType.RGBA4444


@pytest.mark.parametrize("modulo", [False, True])
@pytest.mark.parametrize(("fraction", "width"), [(24, 26), (8, 16)])
def test_fixed_point_is_the_floor(modulo, fraction, width):
    rng = random.Random(1)
    patterns = [rng.getrandbits(32) for _ in range(3000)]
    patterns += [rng.getrandbits(1) << 31 | rng.randrange(90, 160) << 23 | rng.getrandbits(23) for _ in range(5000)]
    found = elementwise(fixed, np.array(patterns), fraction, width, int(modulo)).tolist()
    top = 1 << width - 1
    for pattern, got in zip(patterns, found, strict=True):
        sign, exponent = pattern >> 31, pattern >> 23 & 255
        if exponent == 255:
            expected = 0 if modulo else -top if sign else top - 1
        else:
            exact = (
                Fraction(pattern & 0x7F_FFFF | 1 << 23) * Fraction(2) ** (exponent - 150 + fraction) if exponent else 0
            )
            floor = math.floor(-exact if sign else exact)
            expected = (floor + top) % (2 * top) - top if modulo else min(max(floor, -top), top - 1)
        assert got == expected, hex(pattern)


def test_wrap_modes():
    one = 1 << 24
    values = [0, one // 4, one - 1, one, one + one // 4, -1, -one // 4, -one, -one - one // 4]
    quarter = one // 4

    def wrap(mode):
        return [wrapped(value, mode.value) for value in values]

    assert wrap(Wrap.REPEAT) == [
        0, quarter, one - 1, 0, quarter, one - 1, 3 * quarter, 0, 3 * quarter
    ]  # fmt: skip
    assert wrap(Wrap.MIRROR) == [
        0, quarter, one - 1, one - 1, 3 * quarter - 1, 0, quarter - 1, one - 1, 3 * quarter
    ]  # fmt: skip
    assert wrap(Wrap.CLAMP) == wrap(Wrap.BORDER) == values


@pytest.mark.parametrize(("wrap", "first", "second"), [
    (Wrap.REPEAT, [9, 9, 0, 9], [0, 0, 1, 0]), (Wrap.CLAMP, [0, 0, 0, 9], [0, 0, 1, 9]),
    (Wrap.MIRROR, [0, 0, 0, 9], [0, 0, 1, 9]),
])  # fmt: skip
def test_texels_at_the_edges(wrap, first, second):
    """Ten texels: a quarter and three quarters of the first one, and the last quarter."""
    one = 1 << 24
    at = [0, one // 40, 3 * one // 40, one - 1]
    left, right, is_left, is_right, weight = zip(*(axis(place, 10, wrap.value, 1) for place in at), strict=True)
    assert [list(left), list(right)] == [first, second]
    assert set(is_left + is_right) == {1}
    # Cut off: 191 7/8, 63 7/8 and so on.
    assert weight == (128, 191, 63, 127)
    nearest = [axis(place, 10, wrap.value, 0) for place in at]
    assert [found[0] for found in nearest] == [0, 0, 0, 9]
    assert [found[-1] for found in nearest] == [0] * 4


def test_texels_beyond_the_edges_are_of_the_border_colour():
    """Ten texels: 1.25 before the first, a quarter of it, three quarters of the last and 0.25 after it."""
    at = [tenths * (1 << 24) // 40 for tenths in (-5, 1, 39, 41)]
    found = [axis(place, 10, Wrap.BORDER.value, 1)[2:4] for place in at]
    assert found == [(0, 0), (0, 1), (1, 0), (1, 0)]
    assert [axis(place, 10, Wrap.BORDER.value, 0)[2] for place in at] == [0, 1, 1, 0]


def test_faces_of_a_cube():
    patterns = [words_of(row) for row in ([1, -1, 0.5, 0.5, -0.2, 0], [0, 0.9, 1, -1, 0, 0], [0, 0, -1, 0, 1, -1])]
    assert elementwise(face_of, *patterns).tolist() == [0, 1, 2, 3, 4, 5]


def test_logarithm():
    rng = random.Random(2)
    values = [2 ** rng.uniform(-120, 120) for _ in range(5000)] + [1.0, 2.0, 0.5]
    found = elementwise(log2, words_of(values)).tolist()
    for value, got in zip(values, found, strict=True):
        assert abs(got / 256 - math.log2(value)) < 1 / 40
    assert found[-3:] == [6, 262, -250]
    assert [log2(value) for value in (0, 1, 0x7F80_0000, 0x7FC0_0000)] == [-32506, -32506, 32774, 32922]


def chosen(detail, filter_, levels=5, magnification=MagnificationFilter.NEAREST):
    found = [choice(round(value * 256), magnification.value, filter_.value, levels) for value in detail]
    linear, level, weight = zip(*found, strict=True)
    return [bool(one) for one in linear], list(level), list(weight)


def test_levels():
    detail = [-3, 0, 1 / 256, 0.5, 0.75, 1.25, 3.99609375, 4, 60]
    linear = [False, False] + [True] * 7
    assert chosen(detail, MinificationFilter.LINEAR) == (linear, [0] * 9, [0] * 9)
    assert chosen(detail, MinificationFilter.LIN_MIP_NEAR) == (linear, [0, 0, 0, 0, 1, 1, 4, 4, 4], [0] * 9)
    weights = [0, 0, 1, 128, 192, 64, 255, 0, 0]
    assert chosen(detail, MinificationFilter.LIN_MIP_LIN) == (linear, [0, 0, 0, 0, 0, 1, 3, 4, 4], weights)
    assert chosen(detail, MinificationFilter.NEAR_MIP_LIN)[0] == [False] * 9
    assert (
        chosen(detail, MinificationFilter.NEAREST, magnification=MagnificationFilter.LINEAR)[0]
        == [True] * 2 + [False] * 7
    )


def test_the_level_of_detail_is_of_the_longer_step():
    s = words_of([0, 0.25, 0, 0.25, 0, 0, 0, 0, 0.5, 0.5 + 3 / 64, 0.5, 0.5, 1, 0, 0, 0]).tolist()
    t = words_of([0, 0, 0.5, 0.5, 0, 0, 0, 0, 0, 4 / 64, 0, 0, 0, 0, 0, 0]).tolist()
    found = [of_quad(*s[first : first + 4], *t[first : first + 4], 64, 64, 0) for first in range(0, 16, 4)]
    assert [one / 256 for one in found] == pytest.approx([5, -63.5, math.log2(5), 6], abs=1 / 64)
    assert of_quad(*s[:4], *t[:4], 64, 64, 1) == found[0] - 256


def test_whole_levels_are_not_met():
    """An image that is drawn in the size of one of its levels mixes in another one, by 2/256 or more.

    On a chip the colours of such levels are wrong (piglit, compressedteximage with S3TC and ETC1's miptree: both fail there).
    """
    for level in range(1, 8):
        step = 2.0 ** (level - 7)
        s, t = words_of([0, step, 0, step]).tolist(), words_of([0, 0, step, step]).tolist()
        assert of_quad(*s, *t, 128, 128, 0) - (level << 8) >= 2


@pytest.mark.parametrize(("kind", "raw", "expected"), [
    ("RGBA8888", 0x4433_2211, [0x11, 0x22, 0x33, 0x44]), ("RGBX8888", 0x4433_2211, [0x11, 0x22, 0x33, 255]),
    ("RGBA4444", 0x1234, [0x11, 0x22, 0x33, 0x44]), ("RGBA5551", 0x8C43, [0x8C, 0x8C, 8, 255]),
    ("RGB565", 0x8C43, [0x8C, 0x8A, 0x18, 255]), ("LUMINANCE", 7, [7, 7, 7, 255]), ("ALPHA", 7, [0, 0, 0, 7]),
    ("LUMALPHA", 0x0907, [7, 7, 7, 9]), ("S8", 200, [200, 0, 0, 0]), ("S16", 0xFFFE, [0xFFFE, 0, 0, 0]), ("S16F", 0x3C00, [0x3C00, 0, 0, 0]),
    ("BW1", 1, [255] * 4), ("BW1", 0, [0, 0, 0, 255]), ("A4", 3, [0, 0, 0, 0x33]), ("A1", 1, [0, 0, 0, 255]),
    ("RGBA64", 0x4444_3333_2222_1111, [0x1111, 0x2222, 0x3333, 0x4444]), ("RGBA32R", 0x4433_2211, [0x11, 0x22, 0x33, 0x44]),
    ("YUYV422R", 0x80_80_EB, [255, 255, 255, 255]), ("YUYV422R", 0x80_80_10, [0, 0, 0, 255]),
    ("YUYV422R", 0xF0_5A_51, [255, 0, 0, 255]),
])  # fmt: skip
def test_texels(kind, raw, expected):
    assert decode_texel(TextureType[kind].value, raw & 0xFFFF_FFFF, raw >> 32) == tuple(expected)


def etc1_texel(data, x, y):
    """The texel of a block of eight bytes."""
    return list(decode_block(*struct.unpack("<2I", data), x, y))


def test_etc1_blocks():
    rng = random.Random(4)
    for _ in range(300):
        data = rng.randbytes(8)
        for x, y in ((x, y) for x in range(4) for y in range(4)):
            assert etc1_texel(data, x, y) == etc1_by_definition(data, x, y)


def test_an_etc1_block_by_hand():
    """Grey 136 and 68 side by side, tables 0 and 7; every texel takes its large step, the last one downwards."""
    block = bytes.fromhex("8484841c8000ffff")
    colours = [etc1_texel(block, x, y) for x, y in ((0, 0), (3, 0), (3, 3))]
    assert colours == [[144] * 3 + [255], [251] * 3 + [255], [0] * 3 + [255]]


def test_words():
    assert packed(TextureType.RGBA64.value, 0x1111, 0x2222, 0x3333, 0x4444) == (0x2222_1111, 0x4444_3333)
    assert packed(TextureType.S16F.value, 0x1111, 0, 0, 0) == (0x1111, 0)
    assert packed(TextureType.ALPHA.value, 0, 0, 0, 9) == (0x0900_0000, 0)


def test_halves_survive_their_fixed_point():
    """All but infinities and NaN patterns; zero loses its sign."""
    bits = np.arange(1 << 16)
    values = elementwise(fixed_of_half, bits)
    finite = bits >> 10 & 31 != 31
    exact = [round(half(number) * 2**24) for number in bits[finite].tolist()]
    assert values[finite].tolist() == exact
    back = elementwise(half_of_fixed, values)
    assert (back[finite] == np.where(bits[finite] == 0x8000, 0, bits[finite])).all()
    assert set(back[~finite].tolist()) == {0x7C00, 0xFC00}


def test_blends_of_bytes_are_exact_but_for_two_roundings():
    rng = random.Random(6)
    kind = Channels.BYTES.value
    for _ in range(500):
        a, b, c, d, across, up, level = (rng.randrange(256) for _ in range(7))
        blend = blend_texels(a, b, c, d, across, up, kind)
        x, y, z = (Fraction(weight, 256) for weight in (across, up, level))
        exact = (a * (1 - x) + b * x) * (1 - y) + (c * (1 - x) + d * x) * y
        assert abs(blend - 256 * exact) <= Fraction(1, 2)
        other = rng.randrange(65281)
        both = blend_levels(blend, other, level, kind)
        assert abs(both - (blend * (1 - z) + other * z) / 256) <= Fraction(1, 2)
