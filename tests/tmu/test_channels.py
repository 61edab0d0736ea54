"""Texels to channels, and blends, against the model."""

import random

from vc4.records.tmu import TextureType
from vc4.tmu.blend import Blend
from vc4.tmu.fixed_to_half import FixedToHalf
from vc4.tmu.half_to_fixed import HalfToFixed
from vc4.tmu.texel_decode import TexelDecode
from vc4sim.model.tmu.etc1 import decode_block
from vc4sim.model.tmu.filter import fixed_of_half, half_of_fixed
from vc4sim.model.tmu.formats import FORMATS, decode_texel

from .conftest import stream

_WORD = 0xFFFF_FFFF


def expected(kind, item):
    word, place = item["word"], item["byte"]
    if kind is TextureType.ETC1:
        return decode_block(word & _WORD, word >> 32, item["x"], item["y"])
    if kind is TextureType.YUYV422R:
        pair = word >> 32 * (place >> 2) & 0xFFFF_FFFF
        raw = pair >> item["x"] % 2 * 16 & 0xFF | pair & 0xFF00 | pair >> 24 << 16
    else:
        bits = FORMATS[kind].bits
        raw = word >> 8 * place & (1 << max(bits, 8)) - 1
        if bits < 8:
            raw >>= item["bit"]
    return decode_texel(kind.value, raw & _WORD, raw >> 32)


def test_decode(simulate):
    rng = random.Random(1)
    for kind in TextureType:
        bits = FORMATS[kind].bits
        step = min(max(bits // 8, 1), 4 if kind is TextureType.RGBA64 else 8)  # two words, one at a time
        items = []
        for _ in range(300):
            one = {"word": rng.getrandbits(64), "byte": rng.randrange(0, 8, step), "x": rng.getrandbits(2)}
            one |= {"y": rng.getrandbits(2), "bit": rng.randrange(0, 8, bits) if bits < 8 else 0}
            items.append(one)
        dut = TexelDecode()
        got = stream(simulate, dut, [{"type": kind, "i": item} for item in items], TexelDecode.LATENCY, dut.o)
        for item, one in zip(items, got, strict=True):
            want = list(expected(kind, item)[: 2 if kind is TextureType.RGBA64 else 4])
            assert [*one.wide, *one.narrow][: len(want)] == want, (kind, item)


def test_blend(simulate):
    rng = random.Random(2)
    items = [
        {
            "first": rng.randrange(-1 << 41, 1 << 41),
            "second": rng.randrange(-1 << 41, 1 << 41),
            "weight": rng.getrandbits(8),
        }
        for _ in range(1000)
    ]
    dut = Blend(42)
    for item, one in zip(items, stream(simulate, dut, items, Blend.LATENCY, dut.o), strict=True):
        assert one == item["first"] * (256 - item["weight"]) + item["second"] * item["weight"]


def test_halves(simulate):
    rng = random.Random(3)
    halves = [rng.getrandbits(16) for _ in range(2000)]
    dut = HalfToFixed()
    got = stream(simulate, dut, [{"i": half, "half": 1} for half in halves], 1, dut.o)
    assert got == list(map(fixed_of_half, halves))
    numbers = [rng.choice((1, -1)) * rng.getrandbits(rng.randrange(42)) for _ in range(3000)]
    dut = FixedToHalf()
    got = stream(simulate, dut, [{"i": number} for number in numbers], FixedToHalf.LATENCY, dut.o)
    assert got == list(map(half_of_fixed, numbers))
