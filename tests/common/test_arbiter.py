"""`RoundRobin` and `LeastRecent` against their rules written in Python."""

import random

import pytest
from amaranth.sim import Simulator

from vc4.common.arbiter import LeastRecent, RoundRobin


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_grants_the_next_one_in_turn(count):
    seed = count
    rng = random.Random(seed)
    dut = RoundRobin(count)

    async def bench(ctx):
        last = count - 1
        for _ in range(400):
            requests = rng.randrange(1 << count)
            advance = rng.randrange(2)
            ctx.set(dut.requests, requests)
            ctx.set(dut.advance, advance)
            turn = [(last + 1 + step) % count for step in range(count)]
            grant = next((number for number in turn if requests >> number & 1), None)
            assert ctx.get(dut.grant_onehot) == (0 if grant is None else 1 << grant), f"seed {seed}"
            assert ctx.get(dut.grant) == (grant or 0), f"seed {seed}"
            if advance and grant is not None:
                last = grant
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("count", [1, 2, 3, 5, 12])
def test_grants_the_one_who_was_granted_the_longest_time_ago(count):
    seed = count
    rng = random.Random(seed)
    dut = LeastRecent(count)

    async def bench(ctx):
        order = list(range(count))
        for _ in range(400):
            requests = rng.randrange(1 << count)
            advance = rng.randrange(2)
            ctx.set(dut.requests, requests)
            ctx.set(dut.advance, advance)
            grant = next((number for number in order if requests >> number & 1), None)
            assert ctx.get(dut.grant_onehot) == (0 if grant is None else 1 << grant), f"seed {seed}"
            if advance and grant is not None:
                order.remove(grant)
                order.append(grant)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
