"""`PrimitiveMargin` against the model."""

import random

import pytest

from vc4.ptb.primitive_margin import PrimitiveMargin
from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import packing
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.memory import Memory
from vc4sim.model.ptb.ptb import Ptb

from ..simulation import simulation_of
from .tile_items import SIZES

LATENCY = 3


def wanted(type_, size):
    """The model's margin; it has the width of lines from a record."""
    ptb = Ptb(Memory(1 << 12))
    kind = RECORDS[ControlCode.LINE_WIDTH.value]
    ptb.state(ControlRecord(0, kind, packing(kind.layout).unpack(size)))
    return ptb._margin(Primitive(type_, ()), size)


def sizes(rng, count):
    """Of each exponent that counts with all kinds of low bits, and others."""
    yield from SIZES
    for exponent in range(110, 145):
        for _ in range(count):
            low = rng.choice((0, 1, rng.getrandbits(23), 1 << rng.randrange(23), (1 << 23) - 1))
            yield rng.choice((0, 0, 0, 1)) << 31 | exponent << 23 | low
    for _ in range(count):
        yield rng.getrandbits(32)


def margins(jobs):
    """Those of types with sizes."""
    rig, dut = simulation_of(PrimitiveMargin)
    found = []

    async def bench(ctx):
        for type_, size in jobs + jobs[:LATENCY]:
            ctx.set(dut.type, type_)
            ctx.set(dut.size.as_value(), size)
            found.append((ctx.get(dut.margin), ctx.get(dut.reach)))
            await ctx.tick()

    rig.run(bench)
    return found[LATENCY:]


@pytest.mark.parametrize("count", [4, pytest.param(100, marks=pytest.mark.thorough)])
def test_sizes(seeds, count):
    for seed in seeds(1):
        rng = random.Random(seed)
        jobs = [(type_, size) for size in sizes(rng, count) for type_ in (PrimitiveType.POINTS, PrimitiveType.LINES)]
        jobs += [(type_, rng.choice(SIZES)) for type_ in (PrimitiveType.TRIANGLES, PrimitiveType.RHTS)]
        for (type_, size), (margin, reach) in zip(jobs, margins(jobs), strict=True):
            assert (margin, reach) == (wanted(type_, size), margin - 1), (type_, hex(size))
