"""Random textures and coordinates, looked up by a program on the GPU, in lockstep with the model: bit for bit."""

import random
import struct

import pytest

from vc4.config import preset
from vc4sim.asm import assemble
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.lockstep import Lockstep
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.parameters import texture

from .conftest import coordinates_of, letters_of, uniforms_of

BASE, PAGE = 0x10_0000, 4096
TEXTURES = 0x4_0000
#: Vectors of a lookup: s, t, r and b.
VECTORS = 4
#: Lookups of textures under way: two words of each have room among the results, not all parameters have in the slots.
TOGETHER = 3


def lookups(rng, count, pages):
    """Lines of a program, its uniforms and its vectors. One to three lookups are under way at once."""
    lines, uniforms, vectors = ["shl r0, elem_num, 2", "add r0, r0, unif", "ldi r1, 64"], [], []
    while count:
        together = min(rng.randrange(1, TOGETHER + 1), count)
        count -= together
        for number, values in enumerate(values for _ in range(together) for values in coordinates_of(rng)):
            vectors += values
            lines += ["mov t0s, r0", f"add r0, r0, r1; ldtmu0\nmov ra{number}, r4"]
        words = 0
        for first in range(0, VECTORS * together, VECTORS):
            config = uniforms_of(rng, pages)
            uniforms += config
            lines += [f"mov t0{letter}, ra{first + 'strb'.index(letter)}" for letter in letters_of(rng, len(config))]
            words += FORMATS[texture(config).type].reads
        lines += [f"nop; ldtmu0\nmov rb{number}, r4" for number in range(words)]
    return [*lines, "thrend", "nop", "nop"], uniforms, vectors


def job_of(seed, count, **memory):
    """A program with `count` lookups of textures of random bytes; some lie outside of memory."""
    rng = random.Random(seed)
    code_bytes = (25 * count + 16) * 8 & -PAGE
    data = BASE + code_bytes + PAGE
    room = 4 * (4 * count + 1) + 64 * VECTORS * count
    first = data + room + PAGE & -PAGE
    pages = [*range(first >> 12, first + TEXTURES >> 12), 0, 0xFFFFF]
    lines, uniforms, vectors = lookups(rng, count, pages)
    code = assemble("\n".join(lines)).code
    assert len(code) <= data - BASE
    table = data + 4 * (len(uniforms) + 1)
    words = struct.pack(f"<{len(uniforms) + len(vectors) + 1}I", table, *uniforms, *vectors)
    image = (code.ljust(data - BASE, b"\0") + words).ljust(first - BASE, b"\0") + rng.randbytes(TEXTURES)
    config = preset("slice")
    return Job(image=image, base=BASE, launches=(Launch(BASE, data),), config=config, max_cycles=10_000_000, **memory)


def check(simulator, job):
    outcome = Lockstep(job).run(simulator)
    assert outcome.ending is Ending.DONE, outcome.why
    return outcome


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "latency", "gap"), [(1, 4, 0.0), (2, 30, 0.3), (3, 100, 0.0)])
def test_random_textures(simulator, seed, latency, gap):
    check(simulator, job_of(seed, 120, latency=latency, gap=gap))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_two_thousand_textures(simulator, seed):
    check(simulator, job_of(seed, 200, latency=1 + seed % 3 * 20))
