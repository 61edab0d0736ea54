"""`PlaneSum` against the model's partial result."""

import random

import pytest

from vc4.arith.plane_sum import PlaneSum
from vc4sim.model.arith.float import WORD, itof
from vc4sim.model.slice.vri import partial_result

from ..simulation import Simulation

DISTANCES = (0, 1, -1, 2, 3, -(1 << 17), (1 << 17) - 1, 1 << 16, -(1 << 16) - 1)


@pytest.mark.parametrize("count", [300, pytest.param(1_000, marks=pytest.mark.thorough)], ids=["some", "many"])
def test_operands(count):
    rng = random.Random(count)

    def distance():
        return rng.choice(DISTANCES) if rng.random() < 0.3 else rng.randrange(-(1 << 17), 1 << 17) >> rng.randrange(17)

    def gain():
        return rng.getrandbits(32) if rng.random() < 0.3 else rng.getrandbits(25) | rng.choice((0x3E, 0xBE)) << 24

    operands = [(gain(), gain(), distance(), distance()) for _ in range(count)]
    dut = PlaneSum()

    async def bench(ctx):
        for number in range(len(operands) + PlaneSum.LATENCY):
            # Factors follow their distances.
            factors, distances = (operands[min(max(place, 0), count - 1)] for place in (number - 1, number))
            for port, value in zip((dut.a, dut.b, dut.dx, dut.dy), (*factors[:2], *distances[2:]), strict=True):
                ctx.set(port, value)
            await ctx.tick()
            done = number + 1 - PlaneSum.LATENCY
            if 0 <= done < len(operands):
                a, b, dx, dy = operands[done]
                assert ctx.get(dut.result) == partial_result(a, b, itof(dx & WORD), itof(dy & WORD)), operands[done]

    Simulation(dut).run(bench)
