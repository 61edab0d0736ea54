"""`Scoreboard`: a vector waits as long as an older one that has one of its quads has not gone, and no longer."""

import random

import pytest
from amaranth.hdl import Module, ResetInserter, Signal

from vc4.tlb.scoreboard import Scoreboard

from ..simulation import Simulation, simulation_of

THREADS = 5
#: Of the vectors of a thread.
NUMBERS = 1024
#: From the last quad until it is known who goes first.
LATENCY = 3


def some_vector(rng, area, buffers):
    """Quads of a few places; the last one may come again in the places that are left."""
    count = rng.randrange(1, 5)
    found = {(rng.randrange(area), rng.randrange(area), rng.randrange(buffers)) for _ in range(count)}
    quads = [{"x": 13 + x, "y": 7 + y, "buffer": buffer} for x, y, buffer in found]
    return quads + quads[-1:] * rng.randrange(5 - len(quads))


def place_of(quad):
    return quad["x"], quad["y"], quad.get("buffer", 0)


class Order:
    """What must be true in each clock."""

    def __init__(self):
        self.vectors = []  # that have not gone, oldest first: thread, places, clock in which it is complete

    def waits(self, thread, clock):
        """Whether the vector of a thread does."""
        index = next(n for n, (owner, *_) in enumerate(self.vectors) if owner == thread)
        _, places, complete = self.vectors[index]
        return complete is None or clock < complete or any(places & older for _, older, _ in self.vectors[:index])

    def goes(self, thread):
        self.vectors = [vector for vector in self.vectors if vector[0] != thread]


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(4, 60))])
def test_any_vectors(seed):
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(Scoreboard, THREADS)
    gap, patience, area, buffers = (
        rng.choice((0, 0.5)),
        rng.choice((0.1, 0.5, 0.9)),
        rng.choice((1, 2, 3, 8)),
        rng.choice((1, 2)),
    )
    order, ending, left = Order(), set(), 150
    seen = {False: 0, True: 0}

    async def bench(ctx):
        nonlocal left
        quads, thread, clock = [], None, 0
        while left or quads or order.vectors:
            there = {owner for owner, *_ in order.vectors}
            if left and not quads and len(there) < THREADS:
                left -= 1
                thread = rng.choice([n for n in range(THREADS) if n not in there])
                quads = some_vector(rng, area, buffers)
                first = True
            offered = bool(quads) and (ctx.get(dut.i.valid) or rng.random() >= gap)
            ctx.set(dut.i.valid, offered)
            if offered:
                ctx.set(dut.i.payload, {"thread": thread, "place": quads[0], "first": first, "last": len(quads) == 1})
            for owner in there:
                wanted = order.waits(owner, clock)
                seen[wanted] += 1
                assert ctx.get(dut.waits[owner]) == wanted, (owner, clock)
            assert ctx.get(dut.there) == sum(1 << owner for owner in there)
            begun = {owner for owner in there if owner != thread or not quads}
            lets_go = {owner for owner in begun if rng.random() < patience}
            ctx.set(dut.lets_go, sum(1 << owner for owner in lets_go))
            ending.update(lets_go)
            gone = {owner for owner in ending if not order.waits(owner, clock)}
            taken = offered and ctx.get(dut.i.ready)
            await ctx.tick()
            clock += 1
            assert clock < 20_000
            for owner in gone:
                order.goes(owner)
            ending.difference_update(gone)
            if taken:
                if first:
                    order.vectors.append((thread, set(), None))
                order.vectors[-1][1].add(place_of(quads.pop(0)))
                first = False
                ctx.set(dut.i.valid, 0)
                if not quads:
                    order.vectors[-1] = (*order.vectors[-1][:2], clock - 1 + LATENCY)

    rig.run(bench)
    assert all(seen.values())


@pytest.mark.parametrize(("step", "clocks"), [(1, 4 * 4), (0, 2 * 4 * 4 - 1)])
def test_clocks(step, clocks):
    """A quad a clock; two of the same place in a row one in two."""
    rig, dut = simulation_of(Scoreboard, THREADS)
    seen = []

    async def bench(ctx):
        for number in range(16):
            place = {"x": step * number, "y": 0}
            payload = {"thread": number // 4, "place": place, "first": number % 4 == 0, "last": number % 4 == 3}
            ctx.set(dut.i.payload, payload)
            ctx.set(dut.i.valid, 1)
            while not ctx.get(dut.i.ready):
                seen.append(number)
                await ctx.tick()
            seen.append(number)
            await ctx.tick()

    rig.run(bench)
    assert len(seen) == clocks


def test_an_old_vector_is_none():
    """Its thread has a new one of other places by now."""
    rig, dut = simulation_of(Scoreboard, THREADS)

    async def bench(ctx):
        for thread, x in (0, 1), (0, 2), (1, 1):
            ctx.set(dut.lets_go, x == 2)
            for _ in range(4):
                await ctx.tick()
            ctx.set(dut.lets_go, 0)
            ctx.set(dut.i.payload, {"thread": thread, "place": {"x": x, "y": 0}, "first": 1, "last": 1})
            ctx.set(dut.i.valid, 1)
            await ctx.tick()
            ctx.set(dut.i.valid, 0)
            for _ in range(LATENCY - 1):
                assert ctx.get(dut.waits) == 1 << thread
                await ctx.tick()
            assert ctx.get(dut.waits) == 0

    rig.run(bench)


@pytest.mark.parametrize("resets", [False, True])
def test_nobody_waits_for_a_younger_one(resets):
    """The memory has a vector of the same thread with the same number: from before a reset, or all numbers ago."""
    dut, reset = Scoreboard(THREADS), Signal()
    m = Module()
    m.submodules.dut = ResetInserter(reset)(dut)

    async def draw(ctx, thread, *columns):
        """A vector, in the fewest clocks."""
        for number, x in enumerate(columns):
            ends = {"first": number == 0, "last": number == len(columns) - 1}
            ctx.set(dut.i.payload, {"thread": thread, "place": {"x": x, "y": 0}, **ends})
            ctx.set(dut.i.valid, 1)
            await ctx.tick()
        ctx.set(dut.i.valid, 0)

    async def bench(ctx):
        ctx.set(dut.lets_go, -1)
        for x in (1,) + (5,) * (0 if resets else NUMBERS - 1):
            await draw(ctx, 0, x)
            await ctx.tick().until(dut.there == 0)
        ctx.set(reset, resets)
        await ctx.tick()
        ctx.set(reset, 0)
        await draw(ctx, 1, 2, 1)
        await draw(ctx, 0, 2)
        for _ in range(3 * LATENCY):
            await ctx.tick()
        assert ctx.get(dut.there) == 0

    Simulation(m).run(bench)
