"""Errata of texture units: what a program sees with the switch, and without it."""

import struct

import numpy as np
import pytest

from vc4.errata import Erratum
from vc4sim.model.memory import Memory
from vc4sim.model.tmu.unit import TextureUnit

from .test_tmu_sampler import BASE, SIZE, image_word, sampling_word, words_of

NEAREST = ("NEAREST", "NEAREST")
CLAMP = ("CLAMP", "CLAMP")


def texels(kind, width, data, errata):
    """The words of the sixteen texels from left to right in the second row of a texture with two rows; the first row is the lowest."""
    unit = TextureUnit(Memory(SIZE, BASE, data.ljust(SIZE, b"\0")), errata)
    s = words_of([(x + 0.5) / width for x in range(16)])
    uniforms = [image_word(kind, 1), sampling_word(kind, width, 2, NEAREST, CLAMP)]
    return unit.sample(uniforms, s, words_of([0.75] * 16))


@pytest.mark.parametrize(
    ("width", "errata", "first"), [(20, [], 20), (20, [Erratum.HW_2898], 32), (32, [Erratum.HW_2898], 32)]
)
def test_rows_of_raster_textures(width, errata, first):
    """The second row is looked for where that of a texture with 32 texels a row would be; a width that is a power of two is right."""
    data = struct.pack("<64I", *(0xFF00_0000 | number for number in range(64)))
    (words,) = texels("RGBA32R", width, data, errata)
    assert (words & 0xFFFFFF).tolist() == list(range(first, first + 16))


HALVES = [-2.0, -1.0, -0.25, -(2.0**-14), -(2.0**15), 2.0, -3.0, -1.5, -0.0, float("-inf"), -(2.0**-24), 0.5]


@pytest.mark.parametrize("errata", [(), (Erratum.HW_2619,)])
def test_signs_of_powers_of_two(errata):
    """They are lost; zero, infinity and what is denormal keeps its sign, and so does all that is no power of two."""
    row = struct.pack("<16e", *HALVES, *[0.0] * 4)
    (words,) = texels("S16F", 16, _in_microtiles(row), errata)
    found = np.frombuffer(words.astype(np.uint16).tobytes(), np.float16)[: len(HALVES)]
    lost = range(5) if errata else ()
    assert (
        found.tobytes()
        == np.array([abs(one) if number in lost else one for number, one in enumerate(HALVES)], np.float16).tobytes()
    )


def _in_microtiles(row):
    """Both rows of a texture of 16 by 2 texels of two bytes: microtiles of 8 by 4 texels, whose lowest row is the first one."""
    return b"".join(row[16 * tile :][:16] * 4 for tile in range(2))


def test_a_blend_keeps_signs():
    unit = TextureUnit(Memory(SIZE, BASE, struct.pack("<32e", *[-2.0] * 32).ljust(SIZE, b"\0")), [Erratum.HW_2619])
    uniforms = [image_word("S16F", 1), sampling_word("S16F", 8, 4, ("LINEAR", "LINEAR"), CLAMP)]
    (words,) = unit.sample(uniforms, words_of([0.3] * 16), words_of([0.6] * 16))
    assert set(words.tolist()) == {0xC000}


def blended(larger, smaller, filters, errata):
    """The halves of a texture with two levels, each of one colour, about in the middle between both."""
    level, image = 0x1000, BASE + 0x1000
    data = struct.pack("<e", smaller) * (level // 2) + struct.pack("<e", larger) * (level // 2)
    unit = TextureUnit(Memory(SIZE, BASE, data.ljust(SIZE, b"\0")), errata)
    uniforms = [image_word("S16F", 2, base=image), sampling_word("S16F", 16, 16, filters, CLAMP)]
    step = 2**0.5 / 16
    s, t = ([0.3 + step * (element >> place & 1) for element in range(16)] for place in range(2))
    (words,) = unit.sample(uniforms, words_of(s), words_of(t))
    return set(np.frombuffer(words.astype(np.uint16).tobytes(), np.float16).tolist())


@pytest.mark.parametrize("within", ["NEAR", "LIN"])
@pytest.mark.parametrize(
    ("larger", "smaller", "wrong"),
    [
        (-1.0, float("inf"), True),
        (-3000.0, float("inf"), True),
        (float("inf"), -1.0, False),
        (-1.0, 65504.0, False),
        (1.0, float("inf"), False),
        (0.0, float("inf"), False),
        (-1.0, float("-inf"), False),
    ],
)
def test_the_sign_of_a_blend_with_infinity(larger, smaller, wrong, within):
    """It is that of the larger level, if the smaller one is infinite."""
    filters = "LINEAR", f"{within}_MIP_LIN"
    (right,) = blended(larger, smaller, filters, [])
    middle = sum(max(min(one, 65536), -65536) for one in (larger, smaller)) / 2
    assert abs(right - middle) < 0.05 * abs(middle)
    assert blended(larger, smaller, filters, [Erratum.HW_2645]) == {-abs(right) if wrong else right}


def test_a_blend_of_a_level_keeps_its_sign():
    """Also with infinity beside what is negative."""
    data = struct.pack("<8e", *[-1.0, float("inf")] * 4) * 64
    found = []
    for errata in ([], [Erratum.HW_2645]):
        unit = TextureUnit(Memory(SIZE, BASE, data.ljust(SIZE, b"\0")), errata)
        uniforms = [image_word("S16F", 1), sampling_word("S16F", 8, 4, ("LINEAR", "LINEAR"), CLAMP)]
        found.append(unit.sample(uniforms, words_of([n / 16 for n in range(16)]), words_of([0.6] * 16))[0].tolist())
    assert found[0] == found[1]
    assert any(word < 0x7C00 for word in found[0])
