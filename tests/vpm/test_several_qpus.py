# amaranth: UnusedElaboratable=no

"""`Vpm` with several QPUs."""

import random

import pytest

from vc4.vpm import VpmCommand
from vc4sim.bench.streams import feed, put

from .programs import (
    BASE,
    READ,
    SIZE,
    Program,
    beats,
    build,
    idle,
    load,
    read_setup,
    store,
    vdr_basic,
    vdw_basic,
    vdw_stride,
    vector,
    write_setup,
)
from .test_vpm import HALF, Reference, random_program

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    ("qpus", "rows", "word_bytes", "latency", "gap", "qpu_gap"),
    [
        (2, 64, 8, 1, 0, 0),
        (3, 128, 8, 12, 0.3, 0.3),
        (4, 192, 16, 5, 0.4, 0),
    ],
)
def test_random_programs_side_by_side(qpus, rows, word_bytes, latency, gap, qpu_gap):
    """Each has sixteen rows and a part of the memory of its own, so the others change nothing for it."""
    seed = qpus
    rng = random.Random(seed)
    init = rng.randbytes(SIZE)
    reference = Reference(rows, init)
    simulator, vpm, memory = build(
        qpus=qpus, rows=rows, word_bytes=word_bytes, latency=latency, gap=gap, seed=seed, init=init
    )
    programs, expected = [], []
    for number, port in enumerate(vpm.qpus):
        part = range(number * HALF // qpus & ~3, (number + 1) * HALF // qpus & ~3)
        commands = random_program(rng, range(16 * number, 16 * number + 16), 100, memory=part)
        expected.append(reference.run(commands))
        programs.append(Program(port, commands, rng, qpu_gap))
        programs[-1].add_to(simulator)

    async def end(ctx):
        await idle(ctx, vpm, programs)
        for program, wanted in zip(programs, expected, strict=True):
            assert program.vectors == wanted, f"seed {seed}"
        assert await memory.contents(ctx) == bytes(reference.memory.data), f"seed {seed}"

    simulator.add_testbench(end)
    simulator.run()


def test_a_vector_waits_for_the_store_of_another_qpu():
    """Its row has not been read yet; a vector for any other row passes, of whomever."""
    simulator, vpm, memory = build(qpus=3, latency=100)
    rng = random.Random(2)
    first, second, third = vpm.qpus
    block = [vector(rng) for _ in range(16)]
    commands = [write_setup(), *block, vdw_basic(units=16), vdw_stride(), store(BASE)]

    async def program(ctx):
        await feed(ctx, first.writes, beats(rng, commands))
        assert ctx.get(first.store_busy)
        assert not ctx.get(second.store_busy)
        for beat in list(beats(rng, [write_setup(address=15)])):
            await put(ctx, second.writes, beat)
        ctx.set(second.writes.payload, next(beats(rng, [vector(rng)])))
        ctx.set(second.writes.valid, 1)
        for beat in list(beats(rng, [write_setup(address=20)])):
            await put(ctx, third.writes, beat)
        waited = 0
        for beat in list(beats(rng, [vector(rng) for _ in range(4)])):
            ctx.set(third.writes.payload, beat)
            ctx.set(third.writes.valid, 1)
            _, _, moves, ready = await ctx.tick().sample(second.writes.ready, third.writes.ready)
            assert not moves
            if not ready:  # the turn comes to it
                waited += 1
                await ctx.tick()
        assert waited <= 1
        ctx.set(third.writes.valid, 0)
        ready = False
        while not ready:
            _, _, ready, busy = await ctx.tick().sample(second.writes.ready, first.store_busy)
        assert busy  # it waits for the reads, not for the end
        ctx.set(second.writes.valid, 0)
        while ctx.get(first.store_busy):
            await ctx.tick()
        words = [word for _, row in block for word in row]
        assert (await memory.contents(ctx))[:1024] == b"".join(word.to_bytes(4, "little") for word in words)

    simulator.add_testbench(program)
    simulator.run()


def test_a_vector_waits_for_the_load_of_another_qpu():
    """A read of a row that a load has yet to write gives what it loads."""
    init = random.Random(5).randbytes(SIZE)
    simulator, vpm, _ = build(qpus=2, latency=60, init=init)
    first = Program(vpm.qpus[0], [vdr_basic(rows=4, row=8), load(BASE)], random.Random(6))
    second = Program(vpm.qpus[1], [read_setup(address=11), READ], random.Random(7))
    first.add_to(simulator)

    async def program(ctx):
        while not ctx.get(vpm.qpus[0].load_busy):
            await ctx.tick()
        await second.run(ctx)
        assert not ctx.get(vpm.qpus[1].load_busy)
        assert second.vectors == [[int.from_bytes(init[192 + 4 * n :][:4], "little") for n in range(16)]]

    simulator.add_testbench(second.say, background=True)
    simulator.add_testbench(program)
    simulator.run()


@pytest.mark.parametrize("qpus", [2, 3, 12])
def test_vectors_share_the_clocks_alike(qpus):
    """A quad a clock moves while all write all the time."""
    simulator, vpm, _ = build(qpus=qpus)
    rng = random.Random(3)
    moved = [0] * qpus

    async def program(ctx):
        for port in vpm.qpus:
            for beat in list(beats(rng, [write_setup()])):
                await put(ctx, port.writes, beat)
        sequences = [list(beats(rng, [vector(rng) for _ in range(20)])) for _ in vpm.qpus]
        for port in vpm.qpus:
            ctx.set(port.writes.valid, 1)
        for _ in range(20 * qpus + 1):
            for port, sequence, place in zip(vpm.qpus, sequences, moved, strict=True):
                ctx.set(port.writes.payload, sequence[place])
            _, _, *ready = await ctx.tick().sample(*(port.writes.ready for port in vpm.qpus))
            assert sum(ready) == 1
            moved[ready.index(1)] += 1

    simulator.add_testbench(program)
    simulator.run()
    assert moved == [21] + [20] * (qpus - 1)  # it is the turn of the first one before anybody has anything


@pytest.mark.parametrize("qpus", [2, 4])
def test_reads_share_the_clocks_alike(qpus):
    """All that can be fetched ahead has come after a quad a clock, and nobody has got more than the others meanwhile."""
    simulator, vpm, _ = build(qpus=qpus)
    clocks = {}

    async def program(ctx):
        setups = [next(beats(random.Random(1), [read_setup(count=8)])) for _ in vpm.qpus]
        for port, beat in zip(vpm.qpus, setups, strict=True):
            ctx.set(port.writes.payload, beat)
            ctx.set(port.writes.valid, 1)
        await ctx.tick()
        for port in vpm.qpus:
            ctx.set(port.writes.valid, 0)
        for clock in range(500):
            _, _, *fetching = await ctx.tick().sample(*(port.fetching for port in vpm.qpus))
            for number, busy in enumerate(fetching):
                if not busy:
                    clocks.setdefault(number, clock)

    simulator.add_testbench(program)
    simulator.run()
    assert max(clocks.values()) == 32 * qpus + 3 - 1
    assert max(clocks.values()) - min(clocks.values()) < 2 * qpus  # the turn of the first one before anybody asks


@pytest.mark.parametrize("kind", ["store", "load"])
def test_blocks_take_turns(kind):
    """Each QPU has one store or load at a time, in turn, though all have more."""
    qpus, each = 3, 5
    simulator, vpm, _ = build(qpus=qpus, latency=7)
    begun, programs = [], []
    for number, port in enumerate(vpm.qpus):
        starts = [store(BASE + 256 * number), load(BASE)]
        commands = [vdw_basic(row=number), vdw_stride(), vdr_basic(row=number), *([starts[kind == "load"]] * each)]
        programs.append(Program(port, commands, random.Random(4)))
        programs[-1].add_to(simulator)

    async def observe(ctx):
        before = [0] * qpus
        async for _, _, *busy in ctx.tick().sample(*(getattr(port, f"{kind}_busy") for port in vpm.qpus)):
            assert sum(busy) <= 1
            begun.extend(number for number in range(qpus) if busy[number] and not before[number])
            before = busy

    async def end(ctx):
        await idle(ctx, vpm, programs)

    simulator.add_testbench(observe, background=True)
    simulator.add_testbench(end)
    simulator.run()
    assert begun == [0, 1, 2] * each


def test_every_command_is_there():
    """What a QPU can say, each once; the reserved one passes."""
    simulator, vpm, _ = build()
    rng = random.Random(1)

    async def program(ctx):
        for beat in list(beats(rng, [(VpmCommand.RESERVED_7, 0)])):
            await put(ctx, vpm.qpus[0].writes, beat)

    simulator.add_testbench(program)
    simulator.run()
