"""Golden cycle counts of the texture unit. They change only on purpose, with the reason in the commit."""

import random

import numpy as np
import pytest

from vc4.records.tmu import MagnificationFilter, MinificationFilter, TextureImage, TextureSampling, TextureType

from .rig import QPUS, Lookup, check, run

BASE, SIZE = 0x10_0000, 0x6_0000
MEMORY = random.Random(1).randbytes(SIZE)
LATENCY = 20
LINE = 64
ELEMENTS = np.arange(16)
#: Pixels of the elements of a vector: quads of two by two, themselves two by two.
ACROSS, UP = ELEMENTS % 2 + 2 * (ELEMENTS // 4 % 2), ELEMENTS // 2 % 2 + 2 * (ELEMENTS // 8)
#: Side of a tile of the rasteriser.
TILE = 64
LINEAR = {"magnification": MagnificationFilter.LINEAR, "minification": MinificationFilter.LINEAR}
NEAREST = {"magnification": MagnificationFilter.NEAREST, "minification": MinificationFilter.NEAREST}

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


def uniforms(side, *, kind=TextureType.RGBA8888, levels=0, **sampling):
    """Those of a square texture."""
    image = {"base": BASE >> 12, "levels": levels, "type": kind.value & 15}
    sampling |= {"width": side, "height": side, "type_high": kind.value >> 4}
    return TextureImage.const(image).as_bits(), TextureSampling.const(sampling).as_bits()


def floats(values):
    return np.asarray(values, np.float32).view(np.uint32)


def at(s, t, config):
    return Lookup({"t": floats(t), "s": floats(s)}, config)


def of_memory(rng, count):
    """General lookups of a kilobyte."""
    return [Lookup({"s": np.array([BASE + 4 * rng.randrange(256) for _ in range(16)])}) for _ in range(count)]


def of_texture(rng, count, config, step=1 / 16):
    """Lookups of pixels that are `step` apart."""
    corners = [(rng.random(), rng.random()) for _ in range(count)]
    return [at(s + step * ACROSS, t + step * UP, config) for s, t in corners]


def of_picture(side, config):
    """The vectors of a square with as many pixels as texels: tile by tile, in each row by row."""
    tiles = [(x, y) for y in range(0, side, TILE) for x in range(0, side, TILE)]
    corners = [(x + dx, y + dy) for x, y in tiles for dy in range(0, TILE, 4) for dx in range(0, TILE, 4)]
    return [at((x + ACROSS + 0.5) / side, (y + UP + 0.5) / side, config) for x, y in corners]


def rates(outcome, skip=12, end=8):
    """Clocks from word to word of each QPU, once everything is there: those of the start and of the end are left away."""
    return [sorted(set(np.diff(clocks)[skip:-end].tolist())) for clocks in outcome.clocks if len(clocks)]


#: What is looked up, how many words come of each lookup, and clocks from lookup to lookup.
STREAMS = {
    "memory": (None, 4),
    "bilinear": (uniforms(16, **LINEAR), 16),
    "nearest": (uniforms(16, **NEAREST), 16),
    "half floats": (uniforms(16, kind=TextureType.S16F, **LINEAR), 16),
    "ETC1": (uniforms(32, kind=TextureType.ETC1, **LINEAR), 16),
    "one of two levels": (uniforms(16, levels=4, minification=MinificationFilter.LIN_MIP_NEAR), 16),
    "two levels": (uniforms(16, levels=4, minification=MinificationFilter.LIN_MIP_LIN), 32),
}


def stream(kind, seed, count):
    config, _ = STREAMS[kind]
    rng = random.Random(seed)
    if config is None:
        return of_memory(rng, count)
    # Steps of 1.5 texels: between two levels.
    return of_texture(rng, count, config, step=3 / 32)


@pytest.mark.parametrize("qpus", [1, QPUS])
@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_of_hits(kind, qpus):
    """Lookups of one QPU follow each other as fast as those of several."""
    programs = [stream(kind, seed, 60) for seed in range(qpus)]
    outcome = run(programs, MEMORY, BASE, latency=LATENCY)
    check(programs, outcome, MEMORY, BASE)
    assert rates(outcome) == [[qpus * STREAMS[kind][1]]] * qpus


@pytest.mark.parametrize("kind", STREAMS)
def test_a_lookup_alone(kind):
    """From word to word: four clocks a parameter, which begin when the word before is there, and 12 or 93 after the last one,
    with the clocks of sixteen elements.
    """
    program = stream(kind, 1, 60)
    outcome = run([program], MEMORY, BASE, alone=True)
    check([program], outcome, MEMORY, BASE)
    assert np.diff(outcome.clocks[0])[-10:].tolist() == [16 if kind == "memory" else 85 + STREAMS[kind][1]] * 10


def test_two_words():
    """Every texel is read twice, and each time gives two half floats, for which there is one blend."""
    program = of_texture(random.Random(1), 60, uniforms(8, kind=TextureType.RGBA64, **LINEAR))
    outcome = run([program], MEMORY, BASE, latency=LATENCY)
    check([program], outcome, MEMORY, BASE)
    assert rates(outcome) == [[2, 62]]


@pytest.mark.parametrize(("filters", "clocks"), [(NEAREST, 16), (LINEAR, 64)])
def test_yuv(filters, clocks):
    """There is one decoder, and a blend has four texels."""
    program = of_texture(random.Random(1), 60, uniforms(16, kind=TextureType.YUYV422R, **filters))
    outcome = run([program], MEMORY, BASE, latency=LATENCY)
    check([program], outcome, MEMORY, BASE)
    assert rates(outcome) == [[clocks]]


def test_both_kinds_share_the_cache():
    """Two QPUs look up memory, two others a texture, while all of them have something left."""
    config = uniforms(16, **LINEAR)
    programs = [of_memory(random.Random(seed), 400) for seed in range(2)]
    programs += [of_texture(random.Random(seed), 40, config) for seed in range(2)]
    outcome = run(programs, MEMORY, BASE, latency=LATENCY)
    check(programs, outcome, MEMORY, BASE)
    assert rates(outcome)[2:] == [[64], [64]]
    assert [np.diff(clocks)[20:100].mean() for clocks in outcome.clocks[:2]] == [16, 16]


#: Clocks of a picture of 256 x 256 texels that is drawn as it is, which has 4,096 lines: the elements, one each for 5,821 lines
#: that are fetched, as not all stay until the next row needs them, and the start.
PICTURE = {1: 71_450, LATENCY: 71_469, 60: 73_898}
PICTURE_LINES = 5821


@pytest.mark.parametrize("latency", PICTURE)
def test_a_picture(latency):
    vectors = of_picture(256, uniforms(256, **LINEAR))
    programs = [vectors[number::QPUS] for number in range(QPUS)]
    outcome = run(programs, MEMORY, BASE, latency=latency)
    check(programs, outcome, MEMORY, BASE, most=50)
    assert outcome.lines == PICTURE_LINES
    assert max(clocks[-1] for clocks in outcome.clocks) == PICTURE[latency]


#: Clocks in which 4,096 lines come: a word a clock, until eight of them are too few for the latency.
WORST = {1: 32_855, LATENCY: 32_874, 200: 107_660}


@pytest.mark.parametrize("latency", WORST)
def test_the_worst_case(latency):
    """Each element lies in the corner of four microtiles that nobody else reads."""
    places = [((8 * x) / 256, (8 * y) / 256) for y in range(32) for x in range(32)]
    random.Random(1).shuffle(places)
    config = uniforms(256, **LINEAR)
    program = [at(*zip(*places[first : first + 16], strict=True), config) for first in range(0, len(places), 16)]
    outcome = run([program], MEMORY, BASE, latency=latency)
    check([program], outcome, MEMORY, BASE, most=10)
    assert outcome.lines == 4096
    assert outcome.clocks[0][-1] == WORST[latency]
