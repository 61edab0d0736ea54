# amaranth: UnusedElaboratable=no

"""`Vpm` with one QPU and memory behind it, against the fact sheet written in Python."""

import random

import pytest

from vc4.records.vpm import DmaMode, VdwBasicSetup, VdwStrideSetup, VpmSize, VpmWriteSetup
from vc4.vpm import Vpm, VpmCommand, VpmUnbuilt
from vc4sim.bench.streams import feed, put, watch

from .programs import BASE, SIZE, beats, build, random_program, store, vdw_basic, vdw_stride, vector, write_setup


class Reference:
    """VPM and memory after some commands (fact sheet, 8.4 and 8.6)."""

    def __init__(self, rows, init):
        self.rows = rows
        self.words = [0] * 16 * rows
        self.memory = bytearray(init)

    def run(self, commands):
        for command, value in commands:
            if command == VpmCommand.DATA:
                row = self.address % 64
                self.words[16 * row : 16 * row + 16] = value
                self.address += self.setup.stride or 64
            elif command == VpmCommand.STORE_ADDRESS:
                self.store(value)
            elif value >> 30 == 2:
                self.basic = VdwBasicSetup.from_bits(value)
            elif value >> 30 == 3:
                self.stride = VdwStrideSetup.from_bits(value).stride
            else:
                self.setup = VpmWriteSetup.from_bits(value)
                self.address = self.setup.address

    def store(self, address):
        depth = self.basic.depth or 128
        for unit in range(self.basic.units or 128):
            start = (address // 4 * 4 + unit * (4 * depth + self.stride)) // 4 * 4 - BASE
            first = 16 * (self.basic.row + unit) + self.basic.column
            for word in range(depth):
                at = start + 4 * word
                value = self.words[(first + word) % (16 * min(self.rows, 128))]
                self.memory[at : at + 4] = value.to_bytes(4, "little")


async def idle(ctx, vpm, limit=20_000):
    """Waits for the end of all stores."""
    for _ in range(limit):
        _, _, busy = await ctx.tick().sample(vpm.qpus[0].store_busy)
        if not busy:
            return
    raise TimeoutError("a store does not end")


@pytest.mark.parametrize("hub", [False, True])
@pytest.mark.parametrize(
    ("rows", "word_bytes", "latency", "gap", "qpu_gap"),
    [
        (64, 4, 1, 0, 0),
        (64, 8, 1, 0, 0),
        (64, 16, 1, 0, 0),
        (128, 8, 12, 0.3, 0.3),
        (192, 16, 5, 0.4, 0),
        (64, 4, 40, 0.1, 0.5),
    ],
)
def test_random_programs(rows, word_bytes, latency, gap, qpu_gap, hub):
    seed = rows + 1000 * word_bytes + latency
    rng = random.Random(seed)
    init = rng.randbytes(SIZE)
    commands = random_program(rng, rows, 16)
    reference = Reference(rows, init)
    reference.run(commands)
    simulator, vpm, memory = build(
        rows=rows, word_bytes=word_bytes, hub=hub, latency=latency, gap=gap, seed=seed, init=init
    )

    async def program(ctx):
        await feed(ctx, vpm.qpus[0].writes, beats(rng, commands), rng=rng, gap=qpu_gap)
        await idle(ctx, vpm)
        assert await memory.contents(ctx) == reference.memory, f"seed {seed}"
        assert ctx.get(vpm.unbuilt[0]) == VpmUnbuilt.NONE
        assert not ctx.get(vpm.error)

    simulator.add_testbench(program)
    for channel in (vpm.bus.requests, vpm.bus.writes):

        async def stable(ctx, channel=channel):
            await watch(ctx, channel)

        simulator.add_testbench(stable, background=True)
    simulator.run()


#: Clocks from the first beat of the address to the end of `store_busy`, on top of one for each word of the bus.
OVERHEAD = 7


@pytest.mark.parametrize(
    ("word_bytes", "latency", "block", "address", "words"),
    [
        (8, 1, {"units": 16, "depth": 16}, 0, 128),
        (4, 1, {"units": 16, "depth": 16}, 0, 256),
        (16, 1, {"units": 16, "depth": 16}, 0, 64),
        (8, 1, {"units": 16, "depth": 16}, 4, 144),  # each row ends in the middle of a ninth word
        (16, 1, {"units": 16, "depth": 16}, 12, 80),
        (8, 1, {"units": 16, "depth": 16}, 4096 - 32, 128),  # the first row crosses 4 KiB
        (8, 1, {"units": 64, "depth": 2}, 0, 64),  # a request and a word every clock
        (16, 1, {"units": 64, "depth": 4}, 0, 64),
        (8, 1, {"units": 8, "depth": 8, "column": 8}, 0, 32),
        (8, 1, {"units": 8, "depth": 8, "column": 1}, 0, 32 + 8),  # a clock more a row, as `VdwPacker` says
        (8, 20, {"units": 16, "depth": 16}, 0, 128 + 19 - 3),  # the latency counts once, less the three clocks of Vdw
    ],
)
def test_clocks_of_a_store(word_bytes, latency, block, address, words):
    simulator, vpm, _ = build(word_bytes=word_bytes, latency=latency)
    rng = random.Random(1)
    commands = [vdw_basic(**block), store(BASE + address)]
    clocks = []

    async def program(ctx):
        sequence = list(beats(rng, commands))
        for beat in sequence[:-4]:
            await put(ctx, vpm.qpus[0].writes, beat)
        ctx.set(vpm.qpus[0].writes.payload, sequence[-4])
        ctx.set(vpm.qpus[0].writes.valid, 1)
        for clock in range(500):
            _, _, ready, busy = await ctx.tick().sample(vpm.qpus[0].writes.ready, vpm.qpus[0].store_busy)
            assert ready or clock > 3
            assert busy == (clock > 0)
            if clock < 3:
                ctx.set(vpm.qpus[0].writes.payload, sequence[-3 + clock])
            else:
                ctx.set(vpm.qpus[0].writes.valid, 0)
            if clock > 0 and not ctx.get(vpm.qpus[0].store_busy):
                clocks.append(clock)
                break

    simulator.add_testbench(program)
    simulator.run()
    assert clocks == [words + OVERHEAD]


def test_vectors_take_four_clocks():
    simulator, vpm, _ = build()
    rng = random.Random(2)

    async def program(ctx):
        sequence = list(beats(rng, [write_setup()] + [vector(rng) for _ in range(20)]))
        ctx.set(vpm.qpus[0].writes.valid, 1)
        for beat in sequence:
            ctx.set(vpm.qpus[0].writes.payload, beat)
            _, _, ready = await ctx.tick().sample(vpm.qpus[0].writes.ready)
            assert ready

    simulator.add_testbench(program)
    simulator.run()


def test_vectors_beside_a_store_do_not_wait():
    """A program that fills one half while the other is stored is not held up."""
    simulator, vpm, memory = build(latency=200)
    rng = random.Random(3)
    commands = [write_setup(), *(vector(rng) for _ in range(16)), vdw_basic(units=16), store(BASE)]
    beside = [vector(rng) for _ in range(16)]
    into = [write_setup(address=15), vector(rng)]
    reference = Reference(64, bytes(SIZE))
    reference.run([vdw_stride(), *commands])

    async def program(ctx):
        for beat in beats(rng, commands):
            await put(ctx, vpm.qpus[0].writes, beat)
        ctx.set(vpm.qpus[0].writes.valid, 1)
        for beat in beats(rng, beside):
            ctx.set(vpm.qpus[0].writes.payload, beat)
            _, _, ready = await ctx.tick().sample(vpm.qpus[0].writes.ready)
            assert ready
        await feed(ctx, vpm.qpus[0].writes, beats(rng, into))
        await idle(ctx, vpm)
        assert await memory.contents(ctx) == reference.memory

    simulator.add_testbench(program)
    simulator.run()


@pytest.mark.parametrize(
    ("reason", "commands"),
    [
        (VpmUnbuilt.WRITE_SIZE, [vector(random)]),  # as after reset
        (VpmUnbuilt.WRITE_SIZE, [write_setup(size=VpmSize.HALF), vector(random)]),
        (VpmUnbuilt.WRITE_SIZE, [write_setup(size=VpmSize.BYTE, laned=1), vector(random)]),
        (VpmUnbuilt.WRITE_SIZE, [write_setup(size=VpmSize.RESERVED_3), vector(random)]),
        (VpmUnbuilt.WRITE_VERTICAL, [write_setup(horizontal=0), vector(random)]),
        (VpmUnbuilt.STORE_VERTICAL, [store(BASE)]),  # as after reset
        (VpmUnbuilt.STORE_VERTICAL, [vdw_basic(horizontal=0), store(BASE)]),
        (VpmUnbuilt.STORE_SIZE, [vdw_basic(laned=1), store(BASE)]),
        *((VpmUnbuilt.STORE_SIZE, [vdw_basic(mode=mode), store(BASE)]) for mode in DmaMode if mode != DmaMode.WORD),
        (VpmUnbuilt.STORE_BLOCK, [vdw_basic(), vdw_stride(block_mode=1), store(BASE)]),
        (VpmUnbuilt.SETUP, [(VpmCommand.WRITE_SETUP, 1 << 30)]),
        *(
            (VpmUnbuilt.COMMAND, [(command, 0)])
            for command in VpmCommand
            if command not in (VpmCommand.DATA, VpmCommand.WRITE_SETUP, VpmCommand.STORE_ADDRESS)
        ),
    ],
)
def test_stops_where_it_is_unbuilt(reason, commands):
    simulator, vpm, memory = build()
    rng = random.Random(4)

    async def program(ctx):
        port = vpm.qpus[0]
        *before, first, _, _, _ = beats(rng, commands)
        for beat in before:
            await put(ctx, port.writes, beat)
        ctx.set(port.writes.payload, first)
        ctx.set(port.writes.valid, 1)
        for clock in range(100):
            _, _, ready, unbuilt = await ctx.tick().sample(port.writes.ready, vpm.unbuilt[0])
            assert not ready
            assert unbuilt == (reason if clock else VpmUnbuilt.NONE)
        assert not any(await memory.contents(ctx))

    simulator.add_testbench(program)
    simulator.run()


def test_a_set_up_that_is_not_used_stops_nothing():
    simulator, vpm, _ = build()
    rng = random.Random(5)
    commands = [
        write_setup(horizontal=0),
        vdw_basic(mode=DmaMode.BYTE_2),
        vdw_stride(block_mode=1),
        write_setup(),
        vector(rng),
        vdw_basic(),
        vdw_stride(),
        store(BASE),
    ]

    async def program(ctx):
        await feed(ctx, vpm.qpus[0].writes, beats(rng, commands))
        await idle(ctx, vpm)
        assert ctx.get(vpm.unbuilt[0]) == VpmUnbuilt.NONE

    simulator.add_testbench(program)
    simulator.run()


def test_an_error_of_memory_is_kept():
    simulator, vpm, memory = build()
    rng = random.Random(6)
    commands = [vdw_basic(), store(BASE + SIZE), store(BASE)]

    async def program(ctx):
        await feed(ctx, vpm.qpus[0].writes, beats(rng, commands))
        await idle(ctx, vpm)
        assert ctx.get(vpm.error)
        assert ctx.get(memory.fault)
        assert ctx.get(memory.fault_address) == BASE + SIZE
        assert ctx.get(memory.fault_write)

    simulator.add_testbench(program)
    simulator.run()


@pytest.mark.parametrize(("rows", "word_bytes"), [(64, 2), (64, 32), (65, 8), (32, 8)])
def test_refuses_what_cannot_be(rows, word_bytes):
    with pytest.raises(ValueError, match="must be"):
        Vpm(rows, word_bytes=word_bytes)
