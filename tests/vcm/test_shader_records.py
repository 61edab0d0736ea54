"""`ShaderRecords` and its `VertexArrays` against the model: what records of all kinds say, and which are not in memory."""

import random
from functools import cache

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.records.control import ControlCode
from vc4.vcm.shader_records import ShaderRecords
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import get, put, watch
from vc4sim.model.cle.control_records import ListError
from vc4sim.model.cle.shader_records import read_shader_record
from vc4sim.model.memory import Memory

from ..simulation import Simulation
from .shaders import arrays_of, format_of, request_of, some_gl, some_nv, some_vg, state

BASE, SIZE = 0x1000, 0x400
HEADER_BYTES = 12
MEMORIES = [(1, 0.0), (20, 0.3)]
GL, NV, VG = ControlCode.GL_SHADER_STATE, ControlCode.NV_SHADER_STATE, ControlCode.VG_SHADER_STATE


@cache
def simulation(latency, gap):
    m = Module()
    m.submodules.dut = dut = ShaderRecords()
    m.submodules.memory = memory = BenchMemory(SIZE, base=BASE, latency=latency, gap=gap)
    connect(m, dut.port, memory.bus)
    return Simulation(m), dut, memory


@pytest.fixture
def run():
    """`run(contents, script, latency, gap)`: the script gets `ctx` and the device."""

    def start(contents, script, latency=1, gap=0.0):
        rig, dut, memory = simulation(latency, gap)

        async def bench(ctx):
            for number in range(SIZE // 8):
                ctx.set(memory.words[number], int.from_bytes(contents[8 * number : 8 * number + 8], "little"))
            await script(ctx, dut)

        async def stable(ctx):
            await watch(ctx, dut.port.requests)

        rig.run(bench, background=[stable])

    return start


async def ask(ctx, dut, thread, wanted, rng=random):
    """The header of a record, and whether some of it is not in memory."""
    await put(ctx, dut.requests[thread], request_of(wanted))
    for _ in range(rng.randrange(4)):
        await ctx.tick()
    header, fault, waited = dut.headers[thread], 0, 0
    while not ctx.get(header.valid):
        await ctx.tick()
        waited += 1
        assert waited < 1000, "no header comes"
        assert not ctx.get(dut.headers[1 - thread].valid), "the other thread gets it"
    fault = ctx.get(dut.fault)
    return (await get(ctx, header)).as_bits(), fault


def fields(ctx, view, names):
    return {name: ctx.get(getattr(view, name)) for name in names}


def check(ctx, dut, shader, thread):
    """Format and arrays of a thread are those of a shader record of the model."""
    wanted = format_of(shader, thread)
    assert fields(ctx, dut.formats[thread], wanted) == wanted
    ctx.set(dut.thread, thread)
    for number, array in arrays_of(shader, thread).items():
        ctx.set(dut.number, number)
        assert fields(ctx, dut.array, array) == array, f"array {number}"


def some_record(rng):
    """Its bytes and the arguments of its `state`, but for the address."""
    match rng.choice(("gl", "gl", "extended", "nv", "vg")):
        case "gl":
            count = rng.randrange(1, 9)
            return some_gl(rng, count=count), (GL, {"arrays": count})
        case "extended":
            return some_gl(rng, count=8, extended=True), (GL, {"arrays": rng.randrange(9), "extended": True})
        case "nv":
            return some_nv(rng), (NV, {})
        case _:
            return some_vg(rng), (VG, {})


@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.thorough)])
def test_any_records(run, latency, gap, count):
    """Of both threads, in any order; some of them are not in memory. What each thread has got stays."""
    print(f"seed {count}")
    rng = random.Random(count)
    memory = Memory(SIZE, BASE, rng.randbytes(SIZE))
    places = range(BASE, BASE + SIZE - 0x100, 0x100)
    records = []
    for address in places:
        record, (code, values) = some_record(rng)
        memory.write(address, record)
        records.append(state(code, address, **values))

    async def script(ctx, dut):
        known = [None, None]
        for _ in range(count):
            thread = rng.randrange(2)
            wanted = rng.choice(records)
            if rng.random() < 0.2:  # any bytes, on the edge of memory or after
                address = rng.choice((BASE + SIZE - rng.randrange(16) * 16, BASE - 16, 0xFFFF_FFF0, BASE + SIZE + 64))
                code = rng.choice((GL, NV, VG))
                wanted = state(code, address, arrays=rng.randrange(8), extended=code is GL and rng.randrange(2))
            header, fault = await ask(ctx, dut, thread, wanted, rng)
            try:
                shader = read_shader_record(memory, wanted)
            except ListError:
                assert fault
                known[thread] = None
                continue
            assert not fault
            assert header == memory.read_int(shader.address, HEADER_BYTES)
            if shader.fields.fragment_shader_number_of_varyings <= 32:
                known[thread] = shader
            else:
                known[thread] = None
            for number, one in enumerate(known):
                if one:
                    check(ctx, dut, one, number)

    run(bytes(memory.data), script, latency, gap)


@pytest.mark.parametrize("thread", [0, 1])
@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("header", [0, 1])
@pytest.mark.parametrize("address", [0x1234, 0xFFFF_FFF8])
def test_shaded_vertices(run, thread, size, header, address):
    """With and without what clipping needs, which may end after the last address, and a point size."""
    record = some_nv(
        random.Random(1),
        clip_coordinates_header_included=header,
        point_size_included=size,
        shaded_vertex_data_address=address,
    )
    memory = Memory(SIZE, BASE, record)

    async def script(ctx, dut):
        await ask(ctx, dut, thread, state(NV, BASE))
        check(ctx, dut, read_shader_record(memory, state(NV, BASE)), thread)

    run(bytes(memory.data), script)


def test_forgotten(run):
    """There is no record any more, of this thread."""
    record = some_gl(random.Random(1), count=1)

    async def script(ctx, dut):
        for thread in range(2):
            await ask(ctx, dut, thread, state(GL, BASE, arrays=1))
        ctx.set(dut.forgets[1], 1)
        await ctx.tick()
        ctx.set(dut.forgets[1], 0)
        assert [ctx.get(one.known) for one in dut.formats] == [1, 0]
        await ask(ctx, dut, 1, state(GL, BASE, arrays=1))
        assert [ctx.get(one.known) for one in dut.formats] == [1, 1]

    run(record.ljust(SIZE, b"\0"), script)


def test_binning_first(run):
    """If both ask at once; the other one comes after it."""
    contents = some_gl(random.Random(2), count=1).ljust(SIZE, b"\0")

    async def script(ctx, dut):
        for thread in range(2):
            ctx.set(dut.requests[thread].payload, request_of(state(GL, BASE, arrays=1)))
            ctx.set(dut.requests[thread].valid, 1)
            ctx.set(dut.headers[thread].ready, 1)
        order = []
        for _ in range(100):
            taken = [ctx.get(port.valid) and ctx.get(port.ready) for port in dut.requests]
            order += [thread for thread in range(2) if ctx.get(dut.headers[thread].valid)]
            await ctx.tick()
            for thread in range(2):
                if taken[thread]:
                    ctx.set(dut.requests[thread].valid, 0)
        assert order == [0, 1]

    run(contents, script)


@pytest.mark.parametrize(
    ("code", "arrays", "extended", "clocks"),
    [(NV, 0, False, 6), (GL, 1, False, 13), (GL, 8, False, 27), (GL, 8, True, 35)],
)
def test_clocks(run, code, arrays, extended, clocks):
    """From the request to the header: a word of 32 bits a clock."""
    contents = some_gl(random.Random(3), count=8, extended=True).ljust(SIZE, b"\0")

    async def script(ctx, dut):
        await put(ctx, dut.requests[0], request_of(state(code, BASE, arrays=arrays, extended=extended)))
        count = 1
        while not ctx.get(dut.headers[0].valid):
            await ctx.tick()
            count += 1
            assert count < 100
        assert count == clocks

    run(contents, script)
