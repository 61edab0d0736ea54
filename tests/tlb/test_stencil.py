"""`passes`, `stencil_holds` and `stencil_updated` against the model's functions of the same names."""

import random
from functools import cache

import pytest
from amaranth.hdl import Module, Signal

from vc4.records.state import DepthTest
from vc4.records.stencil import StencilOperation, StencilSetUp
from vc4.tlb import compare, stencil
from vc4.tlb.structs import StencilFace
from vc4sim.model.tlb.compare import passes
from vc4sim.model.tlb.stencil import stencil_holds, stencil_updated

from ..simulation import Simulation

NUMBERS = (0, 1, 2, 0x7FFFFF, 0x800000, 0xFFFFFE, 0xFFFFFF)


@cache
def comparison():
    m = Module()
    test, new, old, result = Signal(DepthTest), Signal(24), Signal(24), Signal()
    m.d.comb += result.eq(compare.passes(test, new, old))
    return Simulation(m, clock=False), (test, new, old, result)


@pytest.mark.parametrize("code", DepthTest)
def test_comparisons(code):
    rig, (test, new, old, result) = comparison()
    rng = random.Random(1)
    pairs = [(a, b) for a in NUMBERS for b in NUMBERS] + [(n, n ^ 1 << rng.randrange(24)) for n in range(1 << 7)]

    async def bench(ctx):
        ctx.set(test, code)
        for a, b in pairs:
            ctx.set(new, a)
            ctx.set(old, b)
            assert ctx.get(result) == passes(code.value, a, b)

    rig.run(bench)


@cache
def stencils():
    m = Module()
    word, face, enable = Signal(StencilSetUp), Signal(StencilFace), Signal()
    old, nearer, holds, new = Signal(8), Signal(), Signal(), Signal(8)
    write_mask = Signal(8)
    m.d.comb += [
        face.rule.eq(word.rule),
        face.enable.eq(enable),
        face.write_mask.eq(write_mask),
        holds.eq(stencil.stencil_holds(face, old)),
        new.eq(stencil.stencil_updated(face, old, holds, nearer)),
    ]
    return Simulation(m, clock=False), (word, enable, write_mask, old, nearer, holds, new)


@pytest.mark.parametrize("operation", StencilOperation)
def test_stencil(operation):
    """In each of the three places; most of the other bits are anything."""
    rig, (word, enable, write_mask, old, nearer, holds, new) = stencils()
    rng = random.Random(operation.value)
    print(f"seed {operation.value}")

    async def bench(ctx):
        for number in range(400):
            others, value = rng.getrandbits(28), rng.choice((0, 1, 0x7F, 0xFE, 0xFF, rng.getrandbits(8)))
            place = 19 + 3 * rng.randrange(3)
            set_up = others & ~(7 << place) | operation.value << place | rng.randrange(1, 4) << 30
            set_up = set_up if number % 8 else 0
            mask, closer = rng.choice((0, 0xFF, rng.getrandbits(8))), rng.randrange(2)
            ctx.set(word.as_value(), set_up or rng.getrandbits(32))
            ctx.set(enable, set_up != 0)
            ctx.set(write_mask, mask)
            ctx.set(old, value)
            ctx.set(nearer, closer)
            wanted = stencil_holds(set_up, value)
            assert ctx.get(holds) == wanted
            assert ctx.get(new) == stencil_updated(set_up, mask, value, wanted, closer)

    rig.run(bench)
