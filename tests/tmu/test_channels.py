"""Texels to channels, and blends, against the model."""

import random

import pytest

from vc4.records.tmu import TextureType
from vc4.tmu.blend import Blend
from vc4.tmu.fixed_to_half import FixedToHalf
from vc4.tmu.four_halves import FourHalves
from vc4.tmu.level_blend import LevelBlend
from vc4.tmu.texel_decode import TexelDecode
from vc4.tmu.texel_weights import TexelWeights
from vc4.tmu.yuv_decode import YuvDecode
from vc4sim.model.tmu.etc1 import decode_block
from vc4sim.model.tmu.filter import fixed_of_half, half_of_fixed
from vc4sim.model.tmu.formats import FORMATS, decode_texel

from .conftest import stream

_WORD = 0xFFFF_FFFF


def expected(kind, item):
    word, place = item["word"], item["byte"]
    if kind is TextureType.ETC1:
        return decode_block(word & _WORD, word >> 32, item["x"], item["y"])
    bits = min(FORMATS[kind].bits, 16 if kind is TextureType.RGBA64 else 64)  # one channel at a time
    raw = word >> 8 * place & (1 << max(bits, 8)) - 1
    if bits < 8:
        raw >>= item["bit"]
    return decode_texel(kind.value, raw & _WORD, raw >> 32)


@pytest.mark.thorough
def test_decode(simulate):
    rng = random.Random(1)
    for kind in TextureType:
        if kind is TextureType.YUYV422R:
            continue
        bits = FORMATS[kind].bits
        step = 8 if kind is TextureType.ETC1 else 2 if kind is TextureType.RGBA64 else max(bits // 8, 1)
        items = []
        for _ in range(300):
            one = {"word": rng.getrandbits(64), "byte": rng.randrange(0, 8, step), "x": rng.getrandbits(2)}
            one |= {"y": rng.getrandbits(2), "bit": rng.randrange(0, 8, bits) if bits < 8 else 0}
            items.append(one)
        dut = TexelDecode()
        got = stream(simulate, dut, [{"type": kind, "i": item} for item in items], TexelDecode.LATENCY, dut.o)
        for item, one in zip(items, got, strict=True):
            want = list(expected(kind, item)[: 1 if kind is TextureType.RGBA64 else 4])
            assert [one.wide, *one.narrow][: len(want)] == want, (kind, item)


def test_yuv(simulate):
    rng = random.Random(6)
    items = [{"pair": rng.getrandbits(32), "odd": rng.getrandbits(1)} for _ in range(2000)]
    dut = YuvDecode()
    for item, one in zip(items, stream(simulate, dut, items, 1, dut.o), strict=True):
        pair = item["pair"]
        raw = pair >> 16 * item["odd"] & 0xFF | pair & 0xFF00 | pair >> 24 << 16
        assert list(one) == list(decode_texel(TextureType.YUYV422R.value, raw, 0)[:3]), item


@pytest.mark.parametrize("width", [9, 17])
def test_blend(simulate, width):
    rng = random.Random(2)
    limit = 1 << width - 1
    items = [
        {
            "first": rng.choice((rng.randrange(-limit, limit), -limit, limit - 1)),
            "second": rng.choice((rng.randrange(-limit, limit), -limit, limit - 1)),
            "weight": rng.choice((rng.getrandbits(8), 255)),
        }
        for _ in range(1000)
    ]
    dut = Blend(width)
    for item, one in zip(items, stream(simulate, dut, items, Blend.LATENCY, dut.o), strict=True):
        assert one == item["first"] * (256 - item["weight"]) + item["second"] * item["weight"]


def test_weights(simulate):
    rng = random.Random(4)
    items = [{name: rng.choice((0, 255, rng.getrandbits(8))) for name in ("across", "up")} for _ in range(1000)]
    dut = TexelWeights()
    for item, one in zip(items, stream(simulate, dut, items, TexelWeights.LATENCY, dut.o), strict=True):
        across, up = item["across"], item["up"]
        rows = [(256 - across) * (256 - up), across * (256 - up), (256 - across) * up, across * up]
        assert list(one) == rows, item


def test_four_halves(simulate):
    """Half floats, and bytes, in their own units."""
    rng = random.Random(5)
    texels = [[rng.getrandbits(rng.choice((8, 16, 16))) for _ in range(4)] for _ in range(2000)]
    weights = []
    for _ in texels:
        first, second, third = sorted(rng.randrange(65537) for _ in range(3))
        weights.append([first, second - first, third - second, 65536 - third])
    weights[0] = [65536, 0, 0, 0]
    late = [*[weights[0]] * FourHalves.WEIGHTS, *weights][: len(weights)]
    items = [{"texels": four, "weights": each} for four, each in zip(texels, late, strict=True)]
    dut = FourHalves()
    got = stream(simulate, dut, items, FourHalves.LATENCY, dut.o)
    end = len(items) - FourHalves.WEIGHTS
    for four, each, one in list(zip(texels, weights, got, strict=True))[:end]:
        assert one == sum(fixed_of_half(half) * weight for half, weight in zip(four, each, strict=True)), four


def test_level_blend(simulate):
    """Two levels, of one row or of two, or one."""
    rng = random.Random(7)
    controls, values, wanted = [], [], []
    nothing = dict.fromkeys(("stb", "other_stb", "halves", "first", "second", "weight"), 0)

    def value(halves):
        return rng.randrange(-1 << 41, 1 << 41) if halves else rng.randrange(0xFF01)

    for _ in range(500):
        halves, two, rows = rng.getrandbits(1), rng.getrandbits(1), rng.choice((1, 2))
        weight = rng.choice((rng.getrandbits(8), 0, 255))
        levels = [
            [([value(halves)] + [rng.randrange(0xFF01) for _ in range(3)]) for _ in range(rows)] for _ in range(1 + two)
        ]
        for level, lines in enumerate(levels):
            for row in reversed(range(rows)):
                control = {"stb": row == 0, "other_stb": row == 1, "halves": halves, "weight": weight}
                controls.append(control | {"first": two and not level, "second": two and level})
                values.append(lines[row])
                counts = [256 - weight, weight] if two else [256]
                sums = [
                    sum(count * line[row][place] for count, line in zip(counts, levels, strict=True))
                    for place in range(4)
                ]
                ends = level == two and (row == 0 or halves)
                wanted.append(((sums[0],) if halves else [sum_ + (1 << 15) >> 16 for sum_ in sums]) if ends else None)
        if rng.getrandbits(1):
            controls.append(nothing)
            values.append(values[-1])
            wanted.append(None)
    items = [
        control | {"wide": now[0], "bytes": now[1:]}
        for control, now in zip([*controls, nothing], [values[0], *values], strict=True)
    ]
    for latency, name in ((LevelBlend.LATENCY, "o"), (LevelBlend.BYTES, "bytes_o")):
        dut = LevelBlend()
        got = stream(simulate, dut, items, latency + 1, getattr(dut, name))
        for want, one in zip(wanted, got, strict=False):
            if want is not None and isinstance(want, tuple) == (name == "o"):
                assert one == want[0] if name == "o" else list(one) == want


def test_halves(simulate):
    rng = random.Random(3)
    numbers = [rng.choice((1, -1)) * rng.getrandbits(rng.randrange(42)) for _ in range(3000)]
    dut = FixedToHalf()
    got = stream(simulate, dut, [{"i": number} for number in numbers], FixedToHalf.LATENCY, dut.o)
    assert got == list(map(half_of_fixed, numbers))
