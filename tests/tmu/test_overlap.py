"""Lookups of all kinds by four QPUs at once, as fast as they may and with pauses, bit for bit as the model has them."""

import random

import numpy as np
import pytest

from vc4sim.random_programs.texture_job import coordinates_of, letters_of, uniforms_of

from .rig import QPUS, Lookup, check, run

BASE, SIZE = 0x10_0000, 0x4_0000
PAGES = [*range(BASE >> 12, BASE + SIZE >> 12), 0, 0xFFFFF]

pytestmark = pytest.mark.usefixtures("compiler")


def lookup(rng, textures):
    """A texture with this chance, otherwise memory; few of its elements lie outside."""
    vectors = {letter: np.array(vector, np.uint32) for letter, vector in zip("strb", coordinates_of(rng), strict=True)}
    if rng.random() < textures:
        uniforms = tuple(uniforms_of(rng, PAGES))
        return Lookup({letter: vectors[letter] for letter in letters_of(rng, len(uniforms))}, uniforms)
    first, step = rng.randrange(SIZE), rng.choice((4, 64, 1024, SIZE))
    addresses = [BASE + (first + rng.randrange(4 * step)) % (SIZE + 64) for _ in range(16)]
    return Lookup({"s": np.array(addresses, np.uint32)})


@pytest.mark.thorough
@pytest.mark.parametrize("textures", [0.0, 0.3, 0.95, 1.0])
@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (20, 0.0), (9, 0.2), (40, 0.6)])
def test_four_qpus(latency, gap, textures):
    looked_up(latency, gap, textures)


@pytest.mark.thorough
@pytest.mark.parametrize("textures", [0.3, 0.95])
@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (9, 0.2)])
def test_two_qpus_by_both_names(latency, gap, textures):
    """What one writes and loads by both shares memories."""
    looked_up(latency, gap, textures, names=2)


def looked_up(latency, gap, textures, **options):
    seed = latency + round(100 * textures)
    print(f"seed {seed}")
    rng = random.Random(seed)
    memory = rng.randbytes(SIZE)
    programs = [[lookup(rng, textures) for _ in range(40)] for _ in range(QPUS)]
    outcome = run(programs, memory, BASE, latency=latency, gap=gap, seed=seed, **options)
    check(programs, outcome, memory, BASE)
