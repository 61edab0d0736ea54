"""`SampleWalk`: each sample that is wanted, once, in its order."""

from vc4.tlb.sample_walk import SampleWalk
from vc4.tlb.structs import SAMPLES

from ..simulation import Simulation


def test_all_sets():
    dut = SampleWalk()

    async def bench(ctx):
        for wanted in [*range(1 << SAMPLES), *reversed(range(1 << SAMPLES))]:
            samples = [n for n in range(SAMPLES) if wanted >> n & 1]
            ctx.set(dut.wanted, wanted)
            for number, sample in enumerate(samples or [None]):
                for steps in (0, 1):  # it stays until it is told
                    ctx.set(dut.steps, steps)
                    assert ctx.get(dut.sample) == (sample or 0)
                    assert ctx.get(dut.first) == (number == 0)
                    assert ctx.get(dut.last) == (number == max(len(samples), 1) - 1)
                    await ctx.tick()

    Simulation(dut).run(bench)
