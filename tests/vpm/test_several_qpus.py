"""`Vpm` with several QPUs."""

import random

import pytest

from vc4.records.vpm import VdwBasicSetup, VdwStrideSetup, VpmSize, VpmWriteSetup
from vc4.vpm import VpmCommand, VpmUnbuilt
from vc4sim.bench.streams import feed, put, watch

from .programs import BASE, SIZE, beats, build, random_program, store, vdw_basic, vdw_stride, vector, write_setup


class Observed:
    """VPM and memory after what moved at the ports, in its order (fact sheet, 8.4 and 8.6).

    A store has what was written up to the clock in which its address moves.
    """

    def __init__(self, rows, qpus, init):
        self.words = [0] * 16 * rows
        self.window = 16 * min(rows, 128)
        self.memory = bytearray(init)
        self.setups = [[None, None, None] for _ in range(qpus)]
        self.addresses = [0] * qpus
        self.stores = []  # the QPU of each

    def clock(self, moved):
        """The beats that moved in a clock, by QPU."""
        for number, beat in moved.items():
            command, quad = beat.command, beat.quad
            if command == VpmCommand.DATA:
                at = 16 * (self.addresses[number] % 64) + 4 * quad
                self.words[at : at + 4] = list(beat.data)
                if quad == 3:
                    self.addresses[number] += self.setups[number][0].stride or 64
            elif command == VpmCommand.WRITE_SETUP and quad == 0:
                self.set_up(number, beat.data[0])
        for number, beat in moved.items():
            if beat.command == VpmCommand.STORE_ADDRESS and beat.quad == 0:
                self.stores.append(number)
                self.store(beat.data[0], *self.setups[number][1:])

    def set_up(self, number, word):
        kind, place = {2: (VdwBasicSetup, 1), 3: (VdwStrideSetup, 2)}.get(word >> 30, (VpmWriteSetup, 0))
        self.setups[number][place] = kind.from_bits(word)
        if kind is VpmWriteSetup:
            self.addresses[number] = self.setups[number][0].address

    def store(self, address, basic, stride):
        depth = basic.depth or 128
        for unit in range(basic.units or 128):
            start = (address // 4 * 4 + unit * (4 * depth + stride.stride)) // 4 * 4 - BASE
            first = 16 * (basic.row + unit) + basic.column
            for word in range(depth):
                at = start + 4 * word
                self.memory[at : at + 4] = self.words[(first + word) % self.window].to_bytes(4, "little")


def observe(simulator, vpm, observed):
    """Follows the ports; only the QPU whose store runs is told that one does."""

    async def bench(ctx):
        owner = None
        signals = [
            signal
            for port in vpm.qpus
            for signal in (port.writes.valid, port.writes.ready, port.writes.payload, port.store_busy)
        ]
        async for _, _, *values in ctx.tick().sample(*signals):
            moved, busy = {}, set()
            for number in range(len(vpm.qpus)):
                valid, ready, beat, stores = values[4 * number : 4 * number + 4]
                if valid and ready:
                    moved[number] = beat
                if stores:
                    busy.add(number)
            assert busy <= {owner}
            before = len(observed.stores)
            observed.clock(moved)
            begun = observed.stores[before:]
            if begun:
                assert not busy
                (owner,) = begun

    simulator.add_testbench(bench, background=True)


async def idle(ctx, vpm, done):
    """Waits for the end of all programs and stores."""
    ports = [signal for port in vpm.qpus for signal in (port.store_busy, port.writes.valid)]
    for _ in range(100_000):
        _, _, *busy = await ctx.tick().sample(*ports)
        if len(done) == len(vpm.qpus) and not any(busy):
            return
    raise TimeoutError("a store does not end")


@pytest.mark.parametrize(
    ("qpus", "rows", "word_bytes", "latency", "gap", "qpu_gap"),
    [(2, 64, 8, 1, 0, 0), (3, 128, 8, 12, 0.3, 0.3), (4, 192, 16, 5, 0.4, 0), (12, 64, 4, 20, 0, 0.5)],
)
def test_random_programs(qpus, rows, word_bytes, latency, gap, qpu_gap):
    """All write to all rows and store to all of the memory, at any time."""
    seed = qpus
    rng = random.Random(seed)
    init = rng.randbytes(SIZE)
    observed = Observed(rows, qpus, init)
    simulator, vpm, memory = build(
        qpus=qpus, rows=rows, word_bytes=word_bytes, latency=latency, gap=gap, seed=seed, init=init
    )
    done = []
    for port in vpm.qpus:
        sequence = list(beats(rng, random_program(rng, rows, 12 // qpus + 1, 64 // qpus)))

        async def program(ctx, port=port, sequence=sequence):
            await feed(ctx, port.writes, sequence, rng=rng, gap=qpu_gap)
            done.append(port)

        simulator.add_testbench(program)

    async def end(ctx):
        await idle(ctx, vpm, done)
        assert await memory.contents(ctx) == observed.memory, f"seed {seed}"
        assert all(ctx.get(unbuilt) == VpmUnbuilt.NONE for unbuilt in vpm.unbuilt)
        assert len(observed.stores) > qpus

    simulator.add_testbench(end)
    observe(simulator, vpm, observed)
    for channel in (vpm.bus.requests, vpm.bus.writes):

        async def stable(ctx, channel=channel):
            await watch(ctx, channel)

        simulator.add_testbench(stable, background=True)
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
        for beat in list(beats(rng, [write_setup(address=16)])):
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


def test_stores_take_turns():
    """Each QPU has one store at a time, in turn, though all have more."""
    qpus = 3
    simulator, vpm, _ = build(qpus=qpus, latency=7)
    rng = random.Random(4)
    observed = Observed(64, qpus, bytes(SIZE))
    done = []
    for number, port in enumerate(vpm.qpus):
        commands = [vdw_basic(), vdw_stride(), *(store(BASE + 256 * number) for _ in range(5))]

        async def program(ctx, port=port, commands=commands):
            await feed(ctx, port.writes, beats(rng, commands))
            done.append(port)

        simulator.add_testbench(program)

    async def end(ctx):
        await idle(ctx, vpm, done)

    simulator.add_testbench(end)
    observe(simulator, vpm, observed)
    simulator.run()
    assert observed.stores == [0, 1, 2] * 5


def test_one_that_stops_does_not_stop_the_others():
    simulator, vpm, memory = build(qpus=3)
    rng = random.Random(5)
    first, second, third = vpm.qpus
    block = [vector(rng) for _ in range(2)]
    commands = [write_setup(), *block, vdw_basic(units=2), vdw_stride(), store(BASE)]

    async def program(ctx):
        for port, wrong in (
            (first, [write_setup(size=VpmSize.HALF), vector(rng)]),
            (third, [vdw_basic(laned=1), store(0)]),
        ):
            for beat in list(beats(rng, wrong))[:4]:
                await put(ctx, port.writes, beat)
            ctx.set(port.writes.payload, list(beats(rng, wrong))[4])
            ctx.set(port.writes.valid, 1)
        await feed(ctx, second.writes, beats(rng, commands))
        while ctx.get(second.store_busy):
            await ctx.tick()
        words = [word for _, row in block for word in row]
        assert (await memory.contents(ctx))[:128] == b"".join(word.to_bytes(4, "little") for word in words)
        assert [ctx.get(unbuilt) for unbuilt in vpm.unbuilt] == [
            VpmUnbuilt.WRITE_SIZE,
            VpmUnbuilt.NONE,
            VpmUnbuilt.STORE_SIZE,
        ]

    simulator.add_testbench(program)
    simulator.run()
