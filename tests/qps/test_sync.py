"""`Sync` before QPUs written in Python."""

import random
from dataclasses import dataclass, field

import pytest
from amaranth.sim import Simulator

from vc4.isa.sync import SEMAPHORE_MAX, SEMAPHORES
from vc4.qps.sync import Sync

#: Clocks from a request to its grant, if nobody else asks.
LATENCY = 2


def run(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


def request(ctx, port, *, number=0, acquire=0, mutex=0):
    ctx.set(port.request, {"number": number, "acquire": acquire, "mutex": mutex})
    ctx.set(port.request_valid, 1)


async def clock(ctx, *ports):
    """A clock in which these take what they are granted."""
    for port in ports:
        ctx.set(port.take, 1)
    await ctx.tick()
    for port in ports:
        ctx.set(port.take, 0)
        ctx.set(port.request_valid, 0)


async def granted_after(ctx, port, limit=20):
    """Clocks until a request is granted; `None` if it is not."""
    for clocks in range(limit):
        if ctx.get(port.granted):
            return clocks
        await ctx.tick()
    return None


async def perform(ctx, port, **fields):
    """A whole operation; returns whether it was granted, else it is withdrawn."""
    request(ctx, port, **fields)
    granted = await granted_after(ctx, port)
    assert granted in (LATENCY, None)
    if granted is None:
        ctx.set(port.request_valid, 0)
        await ctx.tick()
        return False
    await clock(ctx, port)
    assert not ctx.get(port.granted)
    await ctx.tick()
    return True


@pytest.mark.parametrize("number", range(SEMAPHORES))
def test_a_semaphore_counts_to_fifteen_and_back(number):
    dut = Sync(1)

    async def bench(ctx):
        (port,) = dut.qpus
        for _ in range(2):
            assert not await perform(ctx, port, number=number, acquire=1)
            for _ in range(SEMAPHORE_MAX):
                assert await perform(ctx, port, number=number)
            assert not await perform(ctx, port, number=number)
            # All others are where they were.
            for other in (number - 1) % SEMAPHORES, (number + 1) % SEMAPHORES:
                assert not await perform(ctx, port, number=other, acquire=1)
            for _ in range(SEMAPHORE_MAX):
                assert await perform(ctx, port, number=number, acquire=1)

    run(dut, bench)


def test_the_mutex_is_one_qpus_until_it_is_freed():
    dut = Sync(2)

    async def bench(ctx):
        one, two = dut.qpus
        for owner, other in ((one, two), (two, one), (one, two)):
            assert await perform(ctx, owner, mutex=1)
            assert not await perform(ctx, owner, mutex=1)
            request(ctx, other, mutex=1)
            assert await granted_after(ctx, other) is None
            ctx.set(owner.free_mutex, 1)
            await ctx.tick()
            ctx.set(owner.free_mutex, 0)
            assert await granted_after(ctx, other) == LATENCY
            await clock(ctx, other)
            ctx.set(other.free_mutex, 1)
            await ctx.tick()
            ctx.set(other.free_mutex, 0)

    run(dut, bench)


def test_another_qpu_may_free_the_mutex():
    dut = Sync(2)

    async def bench(ctx):
        one, two = dut.qpus
        assert await perform(ctx, one, mutex=1)
        ctx.set(two.free_mutex, 1)
        await ctx.tick()
        ctx.set(two.free_mutex, 0)
        assert await perform(ctx, two, mutex=1)
        # A write to a mutex that is free, in the clock in which it is taken, does not free it.
        ctx.set(one.free_mutex, 1)
        await ctx.tick()
        ctx.set(one.free_mutex, 0)
        request(ctx, one, mutex=1)
        assert await granted_after(ctx, one) == LATENCY
        ctx.set(two.free_mutex, 1)
        await clock(ctx, one)
        ctx.set(two.free_mutex, 0)
        assert not await perform(ctx, two, mutex=1)

    run(dut, bench)


def test_a_grant_waits_and_is_withdrawn_with_its_request():
    dut = Sync(2)

    async def bench(ctx):
        one, two = dut.qpus
        request(ctx, one, number=3)
        assert await granted_after(ctx, one) == LATENCY
        request(ctx, two, number=3, acquire=1)
        for _ in range(10):
            await ctx.tick()
            assert ctx.get(one.granted)
            assert not ctx.get(two.granted)
        ctx.set(one.request_valid, 0)
        await ctx.tick()
        assert not ctx.get(one.granted)
        assert await granted_after(ctx, two) is None  # nothing has been counted
        assert await perform(ctx, one, number=3)
        assert await granted_after(ctx, two) is not None

    run(dut, bench)


def test_a_request_that_is_withdrawn_before_its_grant():
    """At each distance; nothing is granted, and others are served at once."""
    dut = Sync(2)

    async def bench(ctx):
        one, two = dut.qpus
        for distance in range(1, LATENCY + 2):
            request(ctx, one, number=1)
            for _ in range(distance):
                await ctx.tick()
            ctx.set(one.request_valid, 0)
            await ctx.tick()
            # What comes a clock later is another request, which cannot be fulfilled.
            request(ctx, one, number=1, acquire=1)
            assert await granted_after(ctx, one) is None
            ctx.set(one.request_valid, 0)
            assert await perform(ctx, two, number=5)

    run(dut, bench)


@pytest.mark.parametrize("qpus", [2, 3, 12])
def test_all_ask_all_the_time(qpus):
    """They are served in turn, for the mutex as for a semaphore."""
    dut = Sync(qpus)

    async def bench(ctx):
        for fields in {"mutex": 1}, {"number": 7}:
            served = []
            for port in dut.qpus:
                request(ctx, port, **fields)
            while len(served) < (3 * qpus if "mutex" in fields else SEMAPHORE_MAX):
                await ctx.tick()
                owners = [number for number, port in enumerate(dut.qpus) if ctx.get(port.granted)]
                assert len(owners) <= 1
                for number in owners:
                    port = dut.qpus[number]
                    served.append(number)
                    await clock(ctx, port)
                    ctx.set(port.free_mutex, fields.get("mutex", 0))
                    await ctx.tick()
                    ctx.set(port.free_mutex, 0)
                    request(ctx, port, **fields)
            turn = served[:qpus]
            assert sorted(turn) == list(range(qpus)) or len(served) < qpus
            assert all(one == turn[at % qpus] for at, one in enumerate(served))
            for port in dut.qpus:
                ctx.set(port.request_valid, 0)
            await ctx.tick()
            await ctx.tick()

    run(dut, bench)


@dataclass
class Asker:
    """A QPU that asks for something now and then, takes what it gets after a while, or gives up."""

    wants: dict | None = None
    since: int = 0
    patience: int = 0
    has_mutex: bool = False
    passed: dict = field(default_factory=dict)  # grants to others while it could have been served


@pytest.mark.parametrize(
    ("qpus", "numbers", "seed"),
    [(3, 2, 2), *(pytest.param(*run, marks=pytest.mark.thorough) for run in ((2, 1, 1), (4, 16, 3), (12, 3, 4)))],
)
def test_random_qpus(qpus, numbers, seed):
    """Against counters in Python; nobody is passed over twice by the same one while it could have been served."""
    rng = random.Random(seed)
    dut = Sync(qpus)
    counts = [0] * SEMAPHORES
    askers = [Asker() for _ in range(qpus)]
    total = 0

    def possible(wants):
        if wants["mutex"]:
            return not any(asker.has_mutex for asker in askers)
        return counts[wants["number"]] != (0 if wants["acquire"] else SEMAPHORE_MAX)

    async def bench(ctx):
        nonlocal total
        could = [[], []]  # who could have been served, in the last clock and in the one before
        before = set()
        for now in range(3000):
            granted = {number for number, port in enumerate(dut.qpus) if ctx.get(port.granted)}
            assert len(granted) <= 1, f"seed {seed}"
            for number in granted - before:
                assert number in could[1], f"seed {seed}"
                askers[number].passed.clear()
                for other in set(could[0]) & set(could[1]) - {number}:
                    passed = askers[other].passed
                    passed[number] = passed.get(number, 0) + 1
                    assert passed[number] == 1, f"seed {seed}"
            before = granted
            wanted = [asker.wants for asker in askers]
            effects = []
            for number, (asker, port) in enumerate(zip(askers, dut.qpus, strict=True)):
                ctx.set(port.take, 0)
                ctx.set(port.free_mutex, 0)
                if asker.has_mutex and rng.random() < 0.1:
                    ctx.set(port.free_mutex, 1)
                    effects.append((asker, None))
                if asker.wants is None:
                    if rng.random() < 0.2:
                        mutex = not asker.has_mutex and rng.random() < 0.3
                        asker.wants = {
                            "number": rng.randrange(numbers),
                            "acquire": rng.randrange(2),
                            "mutex": int(mutex),
                        }
                        asker.since, asker.patience = now, rng.choice([3, 40, 200])
                        ctx.set(port.request, asker.wants)
                        ctx.set(port.request_valid, 1)
                        wanted[number] = asker.wants
                elif number in granted and rng.random() < 0.5:
                    assert possible(asker.wants), f"seed {seed}"
                    ctx.set(port.take, 1)
                    effects.append((asker, asker.wants))
                    asker.wants = None
                    total += 1
                elif now - asker.since > asker.patience:
                    asker.wants = wanted[number] = None
                    ctx.set(port.request_valid, 0)
            # As the component sees them in this clock, before anything that happens in it.
            could = [[number for number, wants in enumerate(wanted) if wants and possible(wants)], could[0]]
            for asker, wants in effects:
                if wants is None or wants["mutex"]:
                    asker.has_mutex = wants is not None
                else:
                    counts[wants["number"]] += -1 if wants["acquire"] else 1
            await ctx.tick()
            for asker, port in zip(askers, dut.qpus, strict=True):
                if asker.wants is None:
                    ctx.set(port.request_valid, 0)
        # What is left in the semaphores is what has been counted.
        for port in dut.qpus:
            ctx.set(port.request_valid, 0)
            ctx.set(port.free_mutex, 0)
            ctx.set(port.take, 0)
        await ctx.tick()
        await ctx.tick()
        for number in range(numbers):
            for _ in range(counts[number]):
                assert await perform(ctx, dut.qpus[0], number=number, acquire=1)
            assert not await perform(ctx, dut.qpus[0], number=number, acquire=1)

    run(dut, bench)
    assert total > 100
