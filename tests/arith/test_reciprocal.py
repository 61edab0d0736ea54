"""`Reciprocal` against the model's."""

import random

import pytest

from vc4.arith.reciprocal import Reciprocal
from vc4sim.model.arith.fixed_point import reciprocal

from ..simulation import Simulation

SPECIAL = (0, 1, 0x007F_FFFF, 0x0080_0000, 0x3F80_0000, 0x3FFF_FFFF, 0x7E7F_FFFF, 0x7E80_0000, 0x7E00_0000, 0x7F80_0000)


@pytest.mark.parametrize("count", [1000, pytest.param(5_000, marks=pytest.mark.thorough)], ids=["some", "many"])
def test_words(count):
    rng = random.Random(count)
    words = [word | sign for word in SPECIAL for sign in (0, 1 << 31)]
    words += [rng.getrandbits(32) for _ in range(count)] + [0x3F80_0000 + rng.getrandbits(23) for _ in range(count)]
    dut = Reciprocal()

    async def bench(ctx):
        for number in range(len(words) + Reciprocal.LATENCY):
            ctx.set(dut.word, words[min(number, len(words) - 1)])
            await ctx.tick()
            done = number + 1 - Reciprocal.LATENCY
            if 0 <= done < len(words):
                assert ctx.get(dut.result) == reciprocal(words[done]), hex(words[done])

    Simulation(dut).run(bench)
