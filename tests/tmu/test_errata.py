"""A texture unit with errata, against the model with the same ones."""

import random

import numpy as np
import pytest

from vc4.errata import Erratum
from vc4.records.tmu import BASE_SHIFT, TextureType
from vc4sim.random_programs.texture_job import coordinates_of
from vc4sim.random_programs.textures import random_uniforms

from .rig import Lookup, check, run

BASE, SIZE = 0x10_0000, 0x4_0000
#: Types that errata are about, and two others.
TYPES = [
    TextureType.RGBA32R,
    TextureType.YUYV422R,
    TextureType.S16F,
    TextureType.RGBA64,
    TextureType.S16,
    TextureType.RGBA8888,
]
#: Those that texture units have.
ERRATA = frozenset({Erratum.HW_2619, Erratum.HW_2645, Erratum.HW_2898})
#: Halves that are powers of two, with signs.
POWERS = [sign << 15 | exponent << 10 for sign in range(2) for exponent in range(32)]
INFINITY = 31 << 10

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("compiler")]


def lookup(rng):
    image, *others = random_uniforms(rng, rng.choice(TYPES).value, rng.choice((0, 0, 1)), large=0)
    uniforms = (image | (BASE >> BASE_SHIFT) + rng.randrange(SIZE >> BASE_SHIFT + 1) << BASE_SHIFT, *others)
    vectors = [np.array(vector, np.uint32) for vector in coordinates_of(rng)]
    letters = "trb"[: len(uniforms) - 1] + "s"
    return Lookup(dict(zip(letters, vectors, strict=False)), uniforms)


def memory_of(rng):
    halves = [rng.choice((rng.choice(POWERS), INFINITY, *[rng.getrandbits(16)] * 2)) for _ in range(SIZE // 2)]
    return np.array(halves, np.uint16).tobytes()


def looked_up(seed, errata):
    rng = random.Random(seed)
    memory = memory_of(rng)
    programs = [[lookup(rng) for _ in range(60)] for _ in range(4)]
    outcome = run(programs, memory, BASE, gap=0.3, seed=seed, errata=errata)
    check(programs, outcome, memory, BASE, errata=errata)
    return programs, outcome, memory


@pytest.mark.parametrize("seed", range(4))
def test_as_in_the_model(seed):
    looked_up(seed, ERRATA)


def test_programs_see_each():
    """Otherwise the tests before would say nothing."""
    programs, outcome, memory = looked_up(5, ERRATA)
    for one in ERRATA:
        with pytest.raises(AssertionError, match="word"):
            check(programs, outcome, memory, BASE, errata=ERRATA - {one})
