"""`StateCache` against the model: random records, changes and scans."""

import random
from functools import cache

from vc4.cle.structs import PAYLOAD_BITS
from vc4.errata import Erratum
from vc4.ptb.state_cache import StateCache
from vc4sim.model.cle.fields import packing
from vc4sim.model.ptb import state_cache

from ..simulation import Simulation
from .test_tile_lists import some_state


@cache
def simulation(errata=frozenset()):
    dut = StateCache(errata)
    return Simulation(dut), dut


async def strobe(ctx, dut, name):
    ctx.set(getattr(dut, name), 1)
    await ctx.tick()
    ctx.set(getattr(dut, name), 0)
    while not ctx.get(dut.idle):
        await ctx.tick()


async def put(ctx, dut, rng, record):
    bits = packing(record.kind.layout).pack(**vars(record.fields))
    bits |= rng.getrandbits(PAYLOAD_BITS) << 8 * (record.kind.length - 1)
    # Bits without a meaning are anything.
    for name, field in record.kind.layout.as_shape():
        if name.startswith("unused"):
            bits |= rng.getrandbits(field.width) << field.offset
    ctx.set(dut.records.payload, {"code": record.code, "payload": bits % (1 << PAYLOAD_BITS)})
    ctx.set(dut.records.valid, 1)
    while not ctx.get(dut.records.ready):
        await ctx.tick()
    await ctx.tick()
    ctx.set(dut.records.valid, 0)


async def scan(ctx, dut, rng, stamp, shader):
    """What comes, record by record."""
    ctx.set(dut.stamp, stamp or 0)
    ctx.set(dut.everything, stamp is None)
    ctx.set(dut.shader, shader)
    ctx.set(dut.scan, 1)
    await ctx.tick()
    ctx.set(dut.scan, 0)
    found, data = [], b""
    while ctx.get(dut.scanning):
        ctx.set(dut.o.ready, rng.random() < 0.7)
        if ctx.get(dut.o.valid) and ctx.get(dut.o.ready):
            out = ctx.get(dut.o.payload)
            assert out.first == (not data)
            data += out.data.to_bytes(4, "little")[: out.count]
            assert len(data) <= out.length
            assert out.last == (len(data) == out.length)
            if out.last:
                found.append(data)
                data = b""
        await ctx.tick()
    assert not data
    return found


async def exchange(ctx, dut, rng, model, stamp_of, begins=0.3):
    """Random strobes, records and scans; `begins` of the strobes that may be one are a new frame."""
    for _ in range(40):
        match rng.randrange(8):
            case 0:
                model.use()
                await strobe(ctx, dut, "use")
            case 1:
                model.advance()
                await strobe(ctx, dut, "advance")
            case 2 if rng.random() < begins:
                model.begin()
                await strobe(ctx, dut, "begin")
            case 3 | 4:
                stamp, shader = rng.choice((None, 0, stamp_of(rng))), rng.random() < 0.5
                wanted = list(model.newer(stamp, shader))
                assert await scan(ctx, dut, rng, stamp, shader) == wanted
            case _:
                record = some_state(rng)
                model.set(record)
                await put(ctx, dut, rng, record)
        assert ctx.get(dut.counter) == model.counter


def test_any_state(seeds):
    rig, dut = simulation()
    for seed in seeds(2):
        rng = random.Random(seed)

        async def bench(ctx, rng=rng):
            model = state_cache.StateCache()
            await exchange(ctx, dut, rng, model, lambda rng: rng.randrange(model.counter + 1))

        rig.run(bench)


def test_a_count_that_wraps(seeds):
    """The erratum HW-2116: after the last of its changes it begins again."""
    errata, changes = frozenset({Erratum.HW_2116}), 1 << 13
    rig, dut = simulation(errata)
    for seed in seeds(1):
        rng = random.Random(seed)

        async def bench(ctx, rng=rng):
            model = state_cache.StateCache(errata)
            ctx.set(dut.advance, 1)
            for _ in range(changes - 2):
                model.advance()
                await ctx.tick()
            ctx.set(dut.advance, 0)
            for _ in range(3):
                await exchange(ctx, dut, rng, model, lambda rng: rng.randrange(-8, 8) % changes, begins=0)
            assert model.counter < changes // 2

        rig.run(bench)
