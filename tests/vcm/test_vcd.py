"""`Vcd` against the model: what vertices have in memory, in their columns of the VPM."""

import random
from functools import cache

import numpy as np
import pytest
from amaranth.hdl import Array, Cat, Module, Signal, unsigned
from amaranth.lib import memory
from amaranth.lib.wiring import connect

from vc4.records.control import ControlCode
from vc4.vcm.structs import BATCH, BATCHES, INDEX_BITS, THREADS, VertexArray
from vc4.vcm.vcd import Vcd
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import watch
from vc4sim.model.cle.shader_records import read_shader_record
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.vcm.vcd import load_attributes, load_shaded
from vc4sim.model.vcm.vertices import vertex_words

from ..simulation import Simulation
from .shaders import KINDS, arrays_of, format_of, some_gl, some_nv, state

BASE, SIZE = 0x1000, 0x3000
RECORD = BASE + SIZE - 0x100
ARRAYS = 8
#: Batches have so many blocks each, in turn.
PLACES, BLOCKS = 2, 32
PATIENCE = 2000


@cache
def simulation(latency, gap):
    """The device with memory; what shader records and threads would say is in tables."""
    m = Module()
    m.submodules.dut = dut = Vcd()
    m.submodules.memory = bench = BenchMemory(SIZE, base=BASE, latency=latency, gap=gap, in_flight=32)
    connect(m, dut.port, bench.bus)
    arrays = [Signal(VertexArray, name=f"array_{number}") for number in range(THREADS * ARRAYS)]
    m.d.comb += dut.array.eq(Array(one.as_value() for one in arrays)[Cat(dut.number, dut.thread)])
    indices = []
    for thread in range(THREADS):
        words = memory.MemoryData(shape=unsigned(INDEX_BITS), depth=BATCH * BATCHES, init=[])
        m.submodules[f"indices_{thread}"] = store = memory.Memory(words)
        read = store.read_port()
        m.d.comb += [
            read.addr.eq(Cat(dut.vertex, dut.slot)),
            read.en.eq(dut.step & (dut.thread == thread)),
            dut.indices[thread].eq(read.data),
        ]
        indices.append(words)
    return Simulation(m), dut, bench, arrays, indices


class Batch:
    """Some vertices of a thread, and the words that the model has for them; without any if it has none."""

    def __init__(self, model, shader, thread, indices, *, bad=False, dropped=False):
        self.thread, self.indices, self.bad, self.dropped = thread, indices, bad, dropped
        self.format = format_of(shader, thread)
        self.needs = self.format["attributes"], self.format["results"]
        is_gl = self.format["shades"]
        if bad or dropped:
            self.needs = 0, 0
        self.rows = np.zeros((4 * self.needs[not is_gl], BATCH), np.uint32)
        if not bad and not dropped and self.format["arrays"]:
            try:
                if is_gl:
                    load_attributes(model, shader, thread == 0, indices, self.rows)
                else:
                    words = vertex_words(shader, KINDS[thread])
                    vertices = load_shaded(model, shader, words, indices, thread == 0)
                    self.rows[:words, : len(indices)] = np.array(vertices).T
            except MemoryFault:
                self.bad, self.rows = True, None

    def placed(self, slot, first):
        attributes, results = self.needs
        return {
            "batch": {"thread": self.thread, "slot": slot, "last": len(self.indices) - 1},
            "attributes": {"first": first, "count": attributes},
            "results": {"first": first + attributes, "count": results},
            "bad": self.bad and not any(self.needs),
            "dropped": self.dropped,
        }


def fetch(contents, shaders, batches, *, latency=1, gap=0.0, seed=1, pauses=0.0):
    """Fetches all batches, one after the other, and checks each when it comes out; returns the clocks until then."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut, bench_memory, arrays, indices = simulation(latency, gap)
    vpm = bytearray(rng.randbytes(256 * 64))
    rows = np.frombuffer(vpm, "<u4").reshape(256, BATCH)
    clocks = []

    def write(quad):
        """A quad goes down a column."""
        assert quad.address.vertical
        assert quad.address.row % 4 == 0
        data = b"".join(word.to_bytes(4, "little") for word in quad.data)
        for byte in range(16):
            if quad.enable >> byte & 1:
                vpm[64 * (quad.address.row + byte // 4) + 4 * quad.address.column + byte % 4] = data[byte]

    async def bench(ctx):
        for number in range(SIZE // 8):
            ctx.set(bench_memory.words[number], int.from_bytes(contents[8 * number :][:8], "little"))
        for thread, shader in enumerate(shaders):
            for name, value in format_of(shader, thread).items():
                ctx.set(getattr(dut.formats[thread], name), value)
            for number, array in arrays_of(shader, thread).items():
                ctx.set(arrays[ARRAYS * thread + number], array)
        begun, ended, offered, clock, waited = 0, 0, False, 0, 0
        while ended < len(batches):
            if not offered and begun < len(batches) and (not pauses or rng.random() < 0.5):
                batch, first = batches[begun], BLOCKS * (begun % PLACES)
                # Whoever was there has gone, but for the one before.
                if begun - ended < PLACES:
                    offered = True
                    rows[4 * first : 4 * (first + BLOCKS)] = 0
                    for column, index in enumerate(batch.indices):
                        ctx.set(indices[batch.thread][begun % BATCHES * BATCH + column], index)
                    ctx.set(dut.i.payload, batch.placed(begun % BATCHES, first))
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.writes.ready, rng.random() >= pauses)
            ctx.set(dut.o.ready, rng.random() >= pauses)
            takes = offered and ctx.get(dut.i.ready)
            gives, out = ctx.get(dut.o.valid) and ctx.get(dut.o.ready), ctx.get(dut.o.payload)
            valid, ready, quad = ctx.get(dut.writes.valid), ctx.get(dut.writes.ready), ctx.get(dut.writes.payload)
            assert ctx.get(dut.stalled) == (valid and not ready)
            await ctx.tick()
            clock += 1
            waited = 0 if takes or gives or valid else waited + 1
            assert waited < PATIENCE, "nothing moves"
            if takes:
                begun, offered = begun + 1, False
            if valid and ready:
                write(quad)
            if gives:
                check(batches[ended], ended, out)
                clocks.append(clock)
                ended += 1
        await ctx.tick().repeat(5)
        assert not ctx.get(dut.o.valid)
        assert not ctx.get(dut.writes.valid)

    def check(batch, number, out):
        first = BLOCKS * (number % PLACES)
        assert (out.batch.thread, out.batch.slot) == (batch.thread, number % BATCHES)
        assert (out.attributes.first, out.results.first) == (first, first + batch.needs[0])
        assert (out.attributes.count, out.results.count) == batch.needs
        assert (out.bad, out.dropped) == (batch.bad, batch.dropped)
        if batch.rows is not None:
            place = rows[4 * first : 4 * (first + BLOCKS)]
            begin = 0 if batch.format["shades"] else 4 * batch.needs[0]
            wanted = np.zeros_like(place)
            wanted[begin : begin + len(batch.rows)] = batch.rows
            assert (place == wanted).all(), f"batch {number}"

    async def stable(ctx):
        await watch(ctx, dut.port.requests)

    rig.run(bench, background=[stable])
    return clocks


def some_address(rng):
    """In memory, most of the time."""
    return BASE + rng.randrange(SIZE - 0x200) if rng.random() < 0.98 else rng.randrange(1 << 32)


def some_shader(rng, model):
    """A record, whose arrays are in memory, most of the time."""
    if rng.random() < 0.3:
        record = some_nv(
            rng, shaded_vertex_data_address=BASE + rng.randrange(SIZE // 4), shaded_vertex_data_stride=rng.randrange(64)
        )
        wanted = state(ControlCode.NV_SHADER_STATE, RECORD)
    else:
        count, extended = rng.randrange(1, 9), rng.random() < 0.2
        record = some_gl(rng, count=8 if extended else count, extended=extended, addresses=some_address)
        wanted = state(ControlCode.GL_SHADER_STATE, RECORD, arrays=count, extended=extended)
    model.write(RECORD, record)
    return read_shader_record(model, wanted)


def some_batches(rng, model, shaders, count):
    for _ in range(count):
        thread = rng.randrange(2)
        indices = [
            rng.randrange(rng.choice((10, 40, 40, 1 << 16 if rng.random() < 0.02 else 20)))
            for _ in range(rng.choice((1, 5, 16)))
        ]
        kind = rng.random()
        yield Batch(model, shaders[thread], thread, indices, bad=kind < 0.05, dropped=0.05 < kind < 0.1)


@pytest.mark.parametrize(
    "seeds", [range(4), pytest.param(range(4, 16), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_any_batches(seeds):
    """Of both threads, with errors of memory in some of them."""
    count = bad = 0
    for seed in seeds:
        rng = random.Random(seed)
        model = Memory(SIZE, BASE, rng.randbytes(SIZE))
        shaders = [some_shader(rng, model) for _ in range(2)]
        batches = list(some_batches(rng, model, shaders, 6))
        count, bad = count + len(batches), bad + sum(batch.rows is None for batch in batches)
        latency, gap = rng.choice(((1, 0.0), (20, 0.3)))
        fetch(bytes(model.data), shaders, batches, latency=latency, gap=gap, seed=seed, pauses=rng.choice((0, 0.5)))
    assert 0 < bad < count


def one_array(offset, stride, length, first=BASE):
    """A shader whose only array is such a one."""
    values = {"coordinate_shader_attribute_array_select_bits": 1, "vertex_shader_attribute_array_select_bits": 1}
    rng = random.Random(1)
    model = Memory(SIZE, BASE, rng.randbytes(SIZE))
    extended = stride > 0xFF
    record = bytearray(some_gl(rng, count=8 if extended else 1, extended=extended, **values))
    record[36:44] = (first % (1 << 32)).to_bytes(4, "little") + bytes((length - 1, stride & 0xFF, offset, offset))
    if extended:
        record[100:104] = stride.to_bytes(4, "little")
    model.write(RECORD, bytes(record))
    return model, read_shader_record(model, state(ControlCode.GL_SHADER_STATE, RECORD, arrays=1, extended=extended))


@pytest.mark.parametrize("offset", [0, 3, 13, 240])
def test_any_alignment(offset):
    """Of the attribute in memory and in its column, and any length."""
    for length in (1, 4, 7, 16, 33):
        model, shader = one_array(offset, 2 * length + 3, length)
        fetch(bytes(model.data), (shader, shader), [Batch(model, shader, 0, list(range(16)))])


def test_large_indices():
    """All their 16 bits count, below an address where the array would begin as well."""
    model, shader = one_array(0, 8, 8, first=BASE - 8 * 0xFF00)
    fetch(bytes(model.data), (shader, shader), [Batch(model, shader, 0, [0xFF00, 0xFFFF, 0xFF7F])])


@pytest.mark.parametrize("stride", [(1 << 32) - 8, (1 << 31) + 8])
def test_strides_wrap(stride):
    """Addresses are modulo 2^32, however far away a vertex is: so an array can go down."""
    model, shader = one_array(0, stride, 8, first=BASE + SIZE // 2)
    batch = Batch(model, shader, 0, [0, 2, 4, 254, 510])
    assert not batch.bad
    fetch(bytes(model.data), (shader, shader), [batch])


@pytest.mark.parametrize("thread", range(THREADS))
def test_addresses_of_shaded_vertices_wrap(thread):
    """For rendering what clipping needs is skipped, and vertex 0 lies after the last address."""
    rng = random.Random(1)
    model = Memory(SIZE, BASE, rng.randbytes(SIZE))
    fields = {"clip_coordinates_header_included": 1, "shaded_vertex_data_stride": 255}
    model.write(RECORD, some_nv(rng, shaded_vertex_data_address=0xFFFF_FFF8, **fields))
    shader = read_shader_record(model, state(ControlCode.NV_SHADER_STATE, RECORD))
    batch = Batch(model, shader, thread, [20, 40, 33])
    assert not batch.bad
    fetch(bytes(model.data), (shader, shader), [batch])


@pytest.mark.parametrize("what", ["bad", "dropped"])
def test_nothing_is_fetched_for_nobody(what):
    """The batch after it comes as if it were the first one, two clocks later."""
    model, shader = one_array(0, 16, 16)
    whole = Batch(model, shader, 0, list(range(16)))
    batches = [Batch(model, shader, 0, list(range(16)), **{what: True}), whole]
    assert fetch(bytes(model.data), (shader, shader), batches) == [2, 40]


def test_only_this_batch_is_bad():
    """Those before and after it have what they need."""
    model, shader = one_array(0, 16, 16, first=BASE + SIZE - 160)
    batches = [Batch(model, shader, 0, indices) for indices in ([0, 1], [9, 10], [9], [10, 0, 1], [2, 3])]
    assert [batch.bad for batch in batches] == [False, True, False, True, False]
    for latency in (1, 20):
        fetch(bytes(model.data), (shader, shader), batches, latency=latency)


@pytest.mark.parametrize(
    ("length", "stride", "latency", "clocks"),
    [
        (16, 16, 1, [39, 71]),
        (16, 16, 20, [58, 90]),
        (64, 64, 1, [135, 263]),
        (256, 256, 20, [538, 1050]),
        (4, 4, 1, [31, 56]),  # every other one waits a clock, see `VdrPacker`
    ],
)
def test_clocks(length, stride, latency, clocks):
    """Two batches of 16 vertices: a word of the bus a clock."""
    model, shader = one_array(0, stride, length)
    batches = [Batch(model, shader, 0, list(range(16))) for _ in range(2)]
    assert fetch(bytes(model.data), (shader, shader), batches, latency=latency) == clocks
