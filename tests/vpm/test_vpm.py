# amaranth: UnusedElaboratable=no

"""`Vpm` with memory behind it, against the model's VPM."""

import random

import numpy as np
import pytest

from vc4.isa.timing import READ_AHEAD
from vc4.records.vpm import DmaMode, VpmSize
from vc4.vpm import Vpm, VpmCommand
from vc4.vpm.vpm import VpmErrors
from vc4sim.bench.streams import put, watch
from vc4sim.model.memory import Memory
from vc4sim.model.vpm.blocks import load_block, row_of, store_block, vector_places
from vc4sim.model.vpm.unit import VpmPort, VpmUnit

from .programs import (
    BASE,
    READ,
    SIZE,
    Program,
    beats,
    build,
    cancel,
    idle,
    load,
    read_setup,
    simulation,
    store,
    vdr_basic,
    vdr_pitch,
    vdw_basic,
    vdw_stride,
    vector,
    write_setup,
)

#: Loads come from the lower half of the memory, stores go to the upper half: nothing else orders them there.
HALF = SIZE // 2
MODES = [
    {"size": size, "laned": laned, "horizontal": horizontal}
    for size in (VpmSize.BYTE, VpmSize.HALF, VpmSize.WORD)
    for laned in (0, 1)
    for horizontal in (0, 1)
]


class Reference:
    """The model, and the vectors that each program reads."""

    def __init__(self, rows, init, user_rows=None):
        self.memory = Memory(SIZE, BASE, init)
        self.vpm = VpmUnit(rows, self.memory)
        self._ports = iter(self.vpm.ports)  # each program has a QPU of its own
        if user_rows is not None:
            self.vpm.reserve(user_rows // 4)

    def run(self, commands):
        """Carries out all commands of one program; returns the vectors that it reads."""
        port, vectors = next(self._ports), []
        for command, value in commands:
            if command is VpmCommand.FETCH:
                vectors.append([int(word) for word in port.read()])
            else:
                CARRY_OUT[command](port, value)
        return vectors


def _vector(port, value):
    port.write(np.array(value, np.uint32))


CARRY_OUT = {
    VpmCommand.DATA: _vector,
    VpmCommand.WRITE_SETUP: VpmPort.write_setup,
    VpmCommand.READ_SETUP: VpmPort.read_setup,
    VpmCommand.STORE_ADDRESS: VpmPort.store,
    VpmCommand.LOAD_ADDRESS: VpmPort.load,
    VpmCommand.CANCEL: lambda port, _: port.cancel(),
}


class Writer:
    """Draws random programs that use no other rows than `rows`, and know how many vectors they may read."""

    def __init__(self, rng, rows, memory=range(HALF)):
        self.rng, self.rows, self.memory = rng, rows, memory
        self.commands = []
        self.setups = []  # of reads: vectors that are not read
        self.writable = 0  # vectors that the set-up of writes has room for

    def _fields(self, vectors):
        """A mode, an address and a stride for that many vectors."""
        rng = self.rng
        while True:
            fields = rng.choice(MODES) | {
                "address": rng.randrange(256),
                "stride": rng.choice([0, 1, 4, rng.randrange(64)]),
            }
            size, laned, horizontal = fields["size"], bool(fields["laned"]), bool(fields["horizontal"])
            stride = fields["stride"] or 64
            places = (
                vector_places((fields["address"] + number * stride) % 256, size, laned, horizontal)
                for number in range(vectors)
            )
            if all(row in self.rows for one in places for row in row_of(one)):
                return fields

    def write_setup(self):
        self.writable = self.rng.randrange(1, 8)
        self.commands.append(write_setup(**self._fields(self.writable)))

    def write(self):
        if not self.writable:
            self.write_setup()
        self.writable -= 1
        self.commands.append(vector(self.rng))

    def read_setup(self):
        count = self.rng.choice([1, 2, 3, 9, 16, self.rng.randrange(1, 17)])
        self.commands.append(read_setup(**self._fields(count), count=count % 16))
        if len(self.setups) < 2:
            self.setups.append(count)

    def read(self):
        if not self.setups:
            self.read_setup()
        self.commands.append(READ)
        self.setups[0] -= 1
        if not self.setups[0]:
            self.setups.pop(0)

    def cancel(self):
        self.commands.append(cancel())
        self.setups.clear()

    def store(self):
        rng = self.rng
        while True:
            mode = rng.choice([mode for mode in DmaMode if mode is not DmaMode.EXTENDED])
            basic = {
                "mode": mode,
                "units": rng.choice([1, 2, 5, 16]),
                "depth": rng.choice([1, 3, 15, 16, 17, 40]),
                "column": rng.randrange(16),
                "row": rng.choice(self.rows),
                "horizontal": rng.randrange(2),
            }
            stride = {"stride": rng.choice([0, 4, 64, rng.randrange(100)]), "block_mode": rng.random() < 0.2}
            words = vdw_basic(**basic), vdw_stride(**stride)
            block = store_block(words[0][1], words[1][1], 0)
            if self._fits(block):
                break
        self.commands += [*words, store(BASE + HALF + self._address(block))]

    def load(self):
        rng = self.rng
        while True:
            basic = {
                "mode": rng.choice([mode for mode in DmaMode if mode is not DmaMode.EXTENDED]),
                "rows": rng.randrange(16),
                "row_length": rng.randrange(16),
                "row_pitch": rng.randrange(16),
                "column": rng.randrange(16),
                "row": rng.choice(self.rows),
                "vertical": rng.randrange(2),
                "memory_pitch": rng.choice([0, 1, 3, 4]),
            }
            pitch = rng.randrange(200)
            words = vdr_basic(**basic), vdr_pitch(pitch)
            block = load_block(words[0][1], pitch, 0)
            if self._fits(block):
                break
        self.commands += [*words, load(BASE + self._address(block))]

    @staticmethod
    def _extent(block):
        return max(block.addresses) + block.row_bytes

    def _fits(self, block):
        return all(row in self.rows for row in block.rows) and self._extent(block) <= len(self.memory)

    def _address(self, block):
        return self.memory.start + self.rng.randrange(len(self.memory) - self._extent(block) + 1)


def random_program(rng, rows, length, *, dma=True, memory=range(HALF)):
    writer = Writer(rng, rows, memory)
    kinds = [(writer.write, 8), (writer.read, 8), (writer.write_setup, 2), (writer.read_setup, 1), (writer.cancel, 0.2)]
    if dma:
        kinds += [(writer.store, 1), (writer.load, 1)]
    while len(writer.commands) < length:
        ((draw, _),) = rng.choices(kinds, [weight for _, weight in kinds])
        for _ in range(rng.choice([1, 1, 4])):
            draw()
    writer.cancel()
    for band in {row // 4 * 4 for row in rows if row < 64}:
        writer.commands.append(read_setup(address=band, count=4))
        writer.commands += [READ] * 4
    return writer.commands


@pytest.mark.parametrize(
    ("rows", "word_bytes", "latency", "gap", "qpu_gap"),
    [
        (192, 16, 5, 0.4, 0.4),
        pytest.param(64, 8, 1, 0, 0, marks=pytest.mark.thorough),
        pytest.param(64, 4, 1, 0, 0.2, marks=pytest.mark.thorough),
        pytest.param(128, 8, 12, 0.3, 0, marks=pytest.mark.thorough),
        pytest.param(256, 8, 40, 0.1, 0, marks=pytest.mark.thorough),
    ],
)
def test_random_programs(rows, word_bytes, latency, gap, qpu_gap):
    seed = rows + 1000 * word_bytes + latency
    rng = random.Random(seed)
    init = rng.randbytes(SIZE)
    commands = random_program(rng, range(min(rows, 128)), 150)
    reference = Reference(rows, init)
    expected = reference.run(commands)
    simulator, vpm, memory = build(rows=rows, word_bytes=word_bytes, latency=latency, gap=gap, seed=seed, init=init)
    program = Program(vpm.qpus[0], commands, rng, qpu_gap)
    program.add_to(simulator)

    async def end(ctx):
        await idle(ctx, vpm, [program])
        for number, (vector_, wanted) in enumerate(zip(program.vectors, expected, strict=True)):
            assert vector_ == wanted, f"seed {seed}, vector {number}"
        assert await memory.contents(ctx) == bytes(reference.memory.data), f"seed {seed}"
        assert not ctx.get(vpm.error)

    simulator.add_testbench(end)
    for channel in (vpm.store_bus.requests, vpm.store_bus.writes, vpm.load_bus.requests):

        async def stable(ctx, channel=channel):
            await watch(ctx, channel)

        simulator.add_testbench(stable, background=True)
    simulator.run()


def run(commands, **options):
    """Runs a program; returns what it read, and the names of the errors that came."""
    rig, vpm, _ = simulation(**options)
    program = Program(vpm.qpus[0], commands, random.Random(1))
    errors = set()

    async def observe(ctx):
        names = list(VpmErrors.as_shape().members)
        async for _, _, *come in ctx.tick().sample(*(vpm.errors[name] for name in names)):
            errors.update(name for name, bit in zip(names, come, strict=True) if bit)

    async def end(ctx):
        await idle(ctx, vpm, [program])
        await ctx.tick().repeat(3)

    rig.run(program.run, end, background=[program.say, observe])
    return program.vectors, errors


#: Rows 4 to 7 with vectors in them, which are read back at the end.
FILLED = [vector(random.Random(number)) for number in range(4)]
FILL, READ_BACK = [write_setup(address=4), *FILLED], [read_setup(address=4, count=4), *[READ] * 4]


@pytest.mark.parametrize(
    ("commands", "errors"),
    [
        ([], set()),
        ([write_setup(size=VpmSize.RESERVED_3, address=4), FILLED[0]], {"write_range"}),
        ([read_setup(size=VpmSize.RESERVED_3, address=4), READ], {"read_range"}),
        ([(VpmCommand.WRITE_SETUP, 1 << 30)], {"write_range"}),
        ([(VpmCommand.READ_SETUP, 1 << 30)], {"read_range"}),
        ([write_setup(address=8), FILLED[0]], {"write_unallocated"}),
        ([write_setup(address=0, horizontal=0), FILLED[0]], {"write_unallocated"}),  # down to row 15
        ([read_setup(address=63), READ], {"read_unallocated"}),
        ([vdw_basic(mode=DmaMode.EXTENDED), store(BASE)], {"store"}),
        ([vdw_basic(), store(BASE + SIZE)], {"store"}),
        ([vdw_basic(row=70), store(BASE)], {"read_range"}),
        ([vdr_basic(row=70), load(BASE)], {"write_range"}),
        ([vdr_basic(row=8), load(BASE)], {"write_unallocated"}),
        ([vdr_basic(row=4), load(BASE + SIZE)], {"load"}),
    ],
)
def test_what_is_wrong_sets_an_error_and_nothing_else(commands, errors):
    vectors, come = run([*FILL, *commands, *READ_BACK], user_rows=8)
    kept = [list(row) for _, row in FILLED]
    column = [list(row) for row in kept]
    for number, row in enumerate(column):
        row[0] = FILLED[0][1][4 + number]
    assert vectors[-4:] in (kept, column)
    assert (vectors[-4:] == column) == (write_setup(address=0, horizontal=0) in commands)
    assert all(not any(one) for one in vectors[:-4])
    assert come == errors


def test_a_third_set_up_is_ignored():
    """Two wait; after the last read of the first one there is room again."""
    setups = [read_setup(address=4 + number, count=1) for number in range(4)]
    commands = [*FILL, *setups[:3], READ, setups[3], READ, READ]
    vectors, errors = run(commands)
    assert vectors == [FILLED[number][1] for number in (0, 1, 3)]
    assert not errors


@pytest.mark.parametrize("ahead", [READ_AHEAD - 1, READ_AHEAD])
def test_what_was_fetched_ahead_is_old(ahead):
    """A vector is fetched with its set-up, or with the read of the vector `READ_AHEAD` before it."""
    old, new = FILLED[0], FILLED[1]
    commands = [write_setup(address=4, stride=0), old, read_setup(address=4, stride=0, count=15)]
    commands += [READ, READ, new, *[READ] * 13]
    vectors, _ = run(commands)
    assert vectors == [old[1]] * (READ_AHEAD + 2) + [new[1]] * (13 - READ_AHEAD)
    assert ahead <= READ_AHEAD


def test_a_cancel_forgets_vectors_and_set_ups():
    commands = [*FILL, read_setup(address=4, count=15), read_setup(address=5, count=15), READ, cancel()]
    vectors, _ = run([*commands, read_setup(address=6, count=1), read_setup(address=7, count=1), READ, READ])
    assert vectors == [FILLED[number][1] for number in (0, 2, 3)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "mode",
    [pytest.param(mode, id=f"{mode['size'].name}-{mode['laned']}-{mode['horizontal']}") for mode in MODES],
)
def test_every_place_of_a_mode(mode):
    """Every address once as written and once as read, against the model."""
    rng = random.Random(3)
    commands = [write_setup(address=row, stride=1) if not row else vector(rng) for row in range(65)]
    for first in range(0, 256, 16):
        commands.append(write_setup(**mode, address=first))
        commands += [vector(rng) for _ in range(16)]
        commands += [read_setup(**mode, address=first + 7, count=0), *[READ] * 16]
    for first in range(0, 64, 16):
        commands += [read_setup(address=first, count=0), *[READ] * 16]
    expected = Reference(64, bytes(SIZE)).run(commands)
    vectors, errors = run(commands)
    assert vectors == expected
    assert not errors


def test_vectors_take_four_clocks():
    """One is written and one is read in every four clocks, once the first one is there."""
    simulator, vpm, _ = build()
    rng = random.Random(2)
    port, count = vpm.qpus[0], 16
    commands = [write_setup(address=32, stride=0), read_setup(count=0), *[vector(rng)] * count]
    times = []

    async def program(ctx):
        sequence = list(beats(rng, commands))
        for beat in sequence[8:]:
            beat["fetch"] = beat["quad"] == 3
        for beat in sequence[:8]:
            await put(ctx, port.writes, beat)
        while not ctx.get(port.readable):
            await ctx.tick()
        await ctx.tick().repeat(40)
        ctx.set(port.reads.ready, 1)
        ctx.set(port.writes.valid, 1)
        for beat in sequence[8:]:
            ctx.set(port.writes.payload, beat)
            _, _, ready, valid = await ctx.tick().sample(port.writes.ready, port.reads.valid)
            times.append(ready and valid)

    simulator.add_testbench(program)
    simulator.run()
    assert times == [1] * (4 * count)


def test_vectors_beside_a_store_do_not_wait():
    """A program that fills one half while the other is stored is not held up."""
    simulator, vpm, memory = build(latency=200)
    rng = random.Random(3)
    commands = [write_setup(), *(vector(rng) for _ in range(16)), vdw_basic(units=16), vdw_stride(), store(BASE)]
    beside = [write_setup(address=20), *(vector(rng) for _ in range(16))]
    reference = Reference(64, bytes(SIZE))
    reference.run(commands)

    async def program(ctx):
        for beat in beats(rng, commands):
            await put(ctx, vpm.qpus[0].writes, beat)
        ctx.set(vpm.qpus[0].writes.valid, 1)
        for beat in beats(rng, beside):
            ctx.set(vpm.qpus[0].writes.payload, beat)
            _, _, ready = await ctx.tick().sample(vpm.qpus[0].writes.ready)
            assert ready
        ctx.set(vpm.qpus[0].writes.valid, 0)
        assert ctx.get(vpm.qpus[0].store_busy)
        while ctx.get(vpm.qpus[0].store_busy):
            await ctx.tick()
        assert await memory.contents(ctx) == bytes(reference.memory.data)

    simulator.add_testbench(program)
    simulator.run()


@pytest.mark.parametrize(("rows", "word_bytes"), [(64, 2), (64, 32), (65, 8), (32, 8)])
def test_refuses_what_cannot_be(rows, word_bytes):
    with pytest.raises(ValueError, match="must be"):
        Vpm(rows, word_bytes=word_bytes)
