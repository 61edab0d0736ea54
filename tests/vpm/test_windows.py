# amaranth: UnusedElaboratable=no

"""`Vpm` with shaders of vertices: each reaches its own rows and no others, what it leaves out is 0, and it has no DMA."""

import random

import pytest

from vc4.records.vpm import VpmSize
from vc4sim.bench.streams import put
from vc4sim.model.vpm.blocks import vector_places

from .programs import BASE, READ, Program, beats, idle, load, read_setup, simulation, store, vector, write_setup
from .test_vpm import MODES

ROWS, ROW_BYTES = 64, 64


def rig(**options):
    return simulation(rows=ROWS, vertices=True, **options)


def shader(attributes, results, *, over=0):
    """What a shader reaches: first block and number of blocks of both."""
    return {
        "shades": 1,
        "over": over,
        **{
            name: dict(zip(("first", "count"), space, strict=True))
            for name, space in (("attributes", attributes), ("results", results))
        },
    }


async def read_rows(ctx, vpm):
    """All of the VPM, by a reader of vertices: bytes."""
    reader, found = vpm.vertex_reads[0], bytearray()
    for quad in range(ROWS * 4):
        await put(ctx, reader, {"row": quad // 4, "column": quad % 4 * 4, "vertical": 0})
        found += b"".join(word.to_bytes(4, "little") for word in ctx.get(vpm.vertex_words))
    return found


async def fill(ctx, vpm, data):
    for quad in range(ROWS * 4):
        words = [int.from_bytes(data[16 * quad + 4 * word :][:4], "little") for word in range(4)]
        address = {"row": quad // 4, "column": quad % 4 * 4, "vertical": 0}
        await put(ctx, vpm.fills, {"address": address, "enable": 0xFFFF, "data": words})


class Window:
    """What a program writes and reads, by the places of its vectors. `clears`: it is a shader, whose results are 0 at first."""

    def __init__(self, data, attributes, results, *, clears=True):
        self.data, self.spaces = data, (attributes, results)
        if clears:
            first, count = results
            data[4 * ROW_BYTES * first : 4 * ROW_BYTES * (first + count)] = bytes(4 * ROW_BYTES * count)

    def _place(self, place, space):
        """A byte of the VPM, or `None` outside of the window."""
        first, count = space
        return 4 * ROW_BYTES * first + place if place < 4 * ROW_BYTES * count else None

    def write(self, values, address, mode):
        width = 1 << mode["size"].value
        for place, value in zip(
            vector_places(address, mode["size"], bool(mode["laned"]), bool(mode["horizontal"])), values, strict=True
        ):
            at = self._place(int(place), self.spaces[1])
            if at is not None:
                self.data[at : at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")

    def read(self, data, address, mode):
        width, found = 1 << mode["size"].value, []
        for place in vector_places(address, mode["size"], bool(mode["laned"]), bool(mode["horizontal"])):
            at = self._place(int(place), self.spaces[0])
            found.append(0 if at is None else int.from_bytes(data[at : at + width], "little"))
        return found


def some_commands(rng, window, before, count):
    """Whole rows in their order, and then vectors in random places in all modes; returns commands, and what their reads give."""
    words = {"size": VpmSize.WORD, "laned": 0, "horizontal": 1}
    commands, expected = [write_setup(**words, address=0)], []
    for row in range(rng.choice((0, 0, 3, 12))):
        commands.append(vector(rng))
        window.write(commands[-1][1], row, words)
    for _ in range(rng.choice((0, count, count))):
        mode, address = rng.choice(MODES), rng.randrange(256)
        if mode["size"] is VpmSize.WORD and rng.random() < 0.7:
            address = rng.randrange(32)
        if rng.random() < 0.5:
            values = vector(rng)
            commands += [write_setup(**mode, address=address), values]
            window.write(values[1], address, mode)
        else:
            commands += [read_setup(**mode, address=address, count=1), READ]
            expected.append(window.read(before, address, mode))
    return commands, expected


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [range(1), range(1, 4)], ids=["some", "many"])
def test_each_reaches_its_own_rows(seeds):
    """Two shaders, whose attributes nobody writes, beside a user program; what is outside reads 0 and stays as it is."""
    device, vpm, _ = rig(qpus=3, user_rows=8)
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        before = rng.randbytes(ROWS * ROW_BYTES)
        data = bytearray(before)
        shaders = [((2, 1), (3, 3)), ((6, 2), (8, rng.randrange(1, 8)))]
        windows = [Window(data, *spaces) for spaces in shaders] + [Window(data, (0, 0), (0, 2), clears=False)]
        programs, wanted = [], []
        for port, window in zip(vpm.qpus, windows, strict=True):
            commands, expected = some_commands(rng, window, before, 40)
            if window is windows[2]:  # it would read what it writes
                commands = [one for one in commands if one[0] is not READ[0]]
                commands = [one for one in commands if one[0].name != "READ_SETUP"]
                expected = []
            programs.append(Program(port, commands, rng))
            wanted.append(expected)

        async def bench(ctx, before=before, data=data, shaders=shaders, programs=programs, wanted=wanted):
            for window in vpm.windows:
                ctx.set(window, {"shades": 0})
            await fill(ctx, vpm, before)
            for number, spaces in enumerate(shaders):
                ctx.set(vpm.windows[number], shader(*spaces))
            ctx.set(vpm.windows[2], {"shades": 0, "attributes": {"first": 9, "count": 9}})
            for program in programs:
                await program.run(ctx)
            await idle(ctx, vpm, programs)
            for number, spaces in enumerate(shaders):
                ctx.set(vpm.windows[number], shader(*spaces, over=1))
            await ctx.tick().until((vpm.filled & 3) == 3)
            await ctx.tick().repeat(5)
            for program, expected in zip(programs, wanted, strict=True):
                assert program.vectors == expected
            assert await read_rows(ctx, vpm) == data

        device.run(bench, background=[program.say for program in programs])


@pytest.mark.parametrize("command", [store(BASE), load(BASE)], ids=["store", "load"])
def test_dma_of_a_shader_waits(command):
    """For ever, as nobody knows where it would be."""
    device, vpm, _ = rig(qpus=1, user_rows=32)

    async def bench(ctx):
        ctx.set(vpm.windows[0], shader((0, 2), (2, 2)))
        port = vpm.qpus[0].writes
        ctx.set(port.payload, next(beats(random.Random(1), [command])))
        ctx.set(port.valid, 1)
        for _ in range(200):
            assert not ctx.get(port.ready)
            assert not ctx.get(vpm.store_bus.requests.valid)
            assert not ctx.get(vpm.load_bus.requests.valid)
            await ctx.tick()
        ctx.set(vpm.windows[0], {"shades": 0})
        assert ctx.get(port.ready)

    device.run(bench)


@pytest.mark.parametrize(
    ("addresses", "cleared"),
    [
        (range(8), 0),
        (range(7), 4),  # one row is left
        ((), 32),
        ((0, 1, 3, 4), 16),  # row 2 before the next one, and those after at the end
        ((1, 0), 28),  # all that are left before the first one
        ((*range(8), 0, 5), 0),  # once more
        (range(9), 0),  # the last one is lost
    ],
)
def test_what_is_left_out_is_0(addresses, cleared):
    """And takes as many clocks as it has quads; rows in their order take none. Its turn comes a clock late, after the fills."""
    device, vpm, _ = rig(qpus=1, user_rows=0)
    rng = random.Random(6)
    data = bytearray(rng.randbytes(ROWS * ROW_BYTES))
    before = bytes(data)
    window = Window(data, (0, 0), (4, 2))
    words = {"size": VpmSize.WORD, "laned": 0, "horizontal": 1}
    commands = [[write_setup(**words, address=address), vector(rng)] for address in addresses]
    for address, (_, (_, values)) in zip(addresses, commands, strict=True):
        window.write(values, address, words)

    async def bench(ctx):
        await fill(ctx, vpm, before)
        ctx.set(vpm.windows[0], shader((0, 0), (4, 2)))
        clocks, port = 0, vpm.qpus[0].writes
        for beat in [beat for both in commands for beat in beats(rng, both)]:
            ctx.set(port.payload, beat)
            ctx.set(port.valid, 1)
            ready = 0
            while not ready:
                ready = ctx.get(port.ready)
                await ctx.tick()
                clocks += 1
        ctx.set(port.valid, 0)
        ctx.set(vpm.windows[0], shader((0, 0), (4, 2), over=1))
        while not ctx.get(vpm.filled[0]):
            await ctx.tick()
            clocks += 1
        assert clocks == 1 + 8 * len(commands) + cleared
        ctx.set(vpm.windows[0], {"shades": 0})
        await ctx.tick().repeat(3)
        assert await read_rows(ctx, vpm) == data

    device.run(bench)


@pytest.mark.parametrize("restarts", [0, 1])
def test_a_restart_forgets_the_set_up_of_writes(restarts):
    """The next program begins with that after reset: bytes down column 0."""
    device, vpm, _ = rig(qpus=2, user_rows=0)
    rng = random.Random(4)
    data = bytearray(ROWS * ROW_BYTES)
    window = Window(data, (0, 0), (4, 8))
    first, second = vector(rng), vector(rng)
    words = {"size": VpmSize.WORD, "laned": 0, "horizontal": 1}
    window.write(first[1], 2, words)
    if restarts:
        window.write(second[1], 0, {"size": VpmSize.BYTE, "laned": 0, "horizontal": 0})
    else:
        window.write(second[1], 3, words)

    async def bench(ctx):
        await fill(ctx, vpm, bytes(ROWS * ROW_BYTES))
        ctx.set(vpm.windows[1], shader((0, 0), (4, 8)))
        for beat in list(beats(rng, [write_setup(address=2), first])):
            await put(ctx, vpm.qpus[1].writes, beat)
        ctx.set(vpm.restarts, 2 * restarts + 1)
        await ctx.tick()
        ctx.set(vpm.restarts, 0)
        for beat in list(beats(rng, [second])):
            await put(ctx, vpm.qpus[1].writes, beat)
        await ctx.tick().repeat(5)
        assert await read_rows(ctx, vpm) == data

    device.run(bench)


def test_reads_of_vertices_beside_writes():
    """A read sees all that was written in clocks before, and nothing else; both readers get on."""
    device, vpm, _ = rig(qpus=1, user_rows=0)
    rng = random.Random(5)
    data = bytearray(ROWS * ROW_BYTES)
    moved = [0, 0, 0]

    def quad():
        return (
            {"row": rng.choice((16, 20, 17)) & ~3, "column": rng.randrange(4), "vertical": 1}
            if rng.random() < 0.5
            else {"row": 16 + rng.randrange(8), "column": 4 * rng.randrange(2), "vertical": 0}
        )

    def places(address):
        for word in range(4):
            row, column = address["row"], address["column"]
            row, column = (row + word, column) if address["vertical"] else (row, column + word)
            yield ROW_BYTES * row + 4 * column

    async def bench(ctx):
        await fill(ctx, vpm, bytes(data))
        asked, filled, expected = [None, None], None, None
        for _ in range(600):
            for number, reader in enumerate(vpm.vertex_reads):
                if asked[number] is None and rng.random() < 0.6:
                    asked[number] = quad()
                    ctx.set(reader.payload, asked[number])
                ctx.set(reader.valid, asked[number] is not None)
            if filled is None and rng.random() < 0.6:
                filled = quad(), [rng.randrange(1 << 32) for _ in range(4)], rng.randrange(1 << 16)
                ctx.set(vpm.fills.payload, {"address": filled[0], "data": filled[1], "enable": filled[2]})
            ctx.set(vpm.fills.valid, filled is not None)
            taken = [one is not None and ctx.get(port.ready) for one, port in zip(asked, vpm.vertex_reads, strict=True)]
            fills = filled is not None and ctx.get(vpm.fills.ready)
            assert sum(taken) <= 1
            expected = None
            for number in range(2):
                if taken[number]:
                    expected = [int.from_bytes(data[at : at + 4], "little") for at in places(asked[number])]
                    asked[number] = None
                    moved[number] += 1
            if filled is not None and fills:
                moved[2] += 1
                for word, at in enumerate(places(filled[0])):
                    for byte in range(4):
                        if filled[2] >> 4 * word + byte & 1:
                            data[at + byte] = filled[1][word] >> 8 * byte & 0xFF
                filled = None
            await ctx.tick()
            if expected is not None:
                assert list(ctx.get(vpm.vertex_words)) == expected

    device.run(bench)
    assert min(moved) > 120
