"""Conditions and the flags of a QPU, against their definitions written in Python (guide, tables 2 and 11)."""

import itertools
import random

import pytest
from amaranth.hdl import Module, Signal

from vc4.isa.ops import BranchCondition, Condition
from vc4.qpu.flags import Flags, QuadFlags, passing

CONDITIONS = [lambda n, z, c: False, lambda n, z, c: True]
CONDITIONS += [lambda n, z, c: z, lambda n, z, c: not z, lambda n, z, c: n, lambda n, z, c: not n]
CONDITIONS += [lambda n, z, c: c, lambda n, z, c: not c]


def holds(code, n, z, c):
    """Whether a branch is taken, from lists of sixteen flags."""
    if code >= 12:
        return code == 15
    flags = [z, n, c][code // 4]
    return [all(flags), not any(flags), any(flags), not all(flags)][code % 4]


@pytest.mark.parametrize("condition", Condition)
def test_conditions_of_elements(simulate, condition):
    flags, lanes = Signal(QuadFlags), Signal(4)
    m = Module()
    m.d.comb += lanes.eq(passing(Signal(Condition, init=condition), flags))

    async def bench(ctx):
        for values in itertools.product(range(8), repeat=4):  # the three flags of each lane
            n, z, c = (sum((value >> bit & 1) << lane for lane, value in enumerate(values)) for bit in range(3))
            ctx.set(flags, {"n": n, "z": z, "c": c})
            await ctx.delay(1e-9)
            for lane, value in enumerate(values):
                expected = CONDITIONS[condition.value](value & 1, value >> 1 & 1, value >> 2 & 1)
                assert ctx.get(lanes) >> lane & 1 == expected

    simulate(m, bench, clock=False)


@pytest.mark.parametrize("seed", range(4))
def test_random_writes(simulate, seed):
    """Partial writes; conditions of A1 before them and a branch with the last quad; whole vectors of one value are frequent."""
    rng = random.Random(seed)
    dut = Flags()
    held = {name: [0] * 16 for name in "nzc"}

    def quad_value():
        return rng.choice([0, 15, 15, rng.randrange(16)])

    async def bench(ctx):
        style = {}
        for clock in range(800):
            if clock % 16 == 0:
                style = {name: rng.choice([lambda: 0, lambda: 15, quad_value]) for name in "nzc"}
            quad, mask = rng.randrange(4), rng.choice([15, rng.randrange(16)])
            new = {name: style[name]() for name in "nzc"}
            asked, condition = rng.randrange(4), rng.choice(list(BranchCondition))
            ours = [rng.choice(list(Condition)) for _ in range(2)]
            ctx.set(dut.wb_quad, quad)
            ctx.set(dut.wb_mask, mask)
            ctx.set(dut.wb_flags, new)
            ctx.set(dut.a1_quad, asked)
            ctx.set(dut.a1_add, ours[0])
            ctx.set(dut.a1_mul, ours[1])
            ctx.set(dut.branch_condition, condition)
            lanes = [[held[name][4 * asked + lane] for name in "nzc"] for lane in range(4)]
            wanted = [sum(CONDITIONS[one.value](*flags) << n for n, flags in enumerate(lanes)) for one in ours]
            for name in "nzc":
                for lane in range(4):
                    if mask >> lane & 1:
                        held[name][4 * quad + lane] = new[name] >> lane & 1
            expected = holds(condition.value, *held.values())
            if quad == 3:
                assert ctx.get(dut.branch_holds) == expected, f"seed {seed}, clock {clock}: {condition} of {held}"
            await ctx.tick()
            assert [ctx.get(dut.a2_add), ctx.get(dut.a2_mul)] == wanted, (
                f"seed {seed}, clock {clock}: {ours} of quad {asked}"
            )

    simulate(dut, bench)


def test_both_answers_of_every_branch_condition(simulate):
    """All flags set, all clear, and one element that is different, in each place."""
    dut = Flags()
    vectors = [
        0x0000,
        0xFFFF,
        *(1 << element for element in range(16)),
        *(0xFFFF ^ 1 << element for element in range(16)),
    ]

    async def bench(ctx):
        answers = set()
        ctx.set(dut.wb_mask, 15)
        for vector in vectors:
            for quad in range(4):
                part = vector >> 4 * quad & 15
                ctx.set(dut.wb_quad, quad)
                ctx.set(dut.wb_flags, dict.fromkeys("nzc", part))
                await ctx.tick()
            for condition in BranchCondition:
                ctx.set(dut.branch_condition, condition)
                flags = [vector >> element & 1 for element in range(16)]
                assert ctx.get(dut.branch_holds) == holds(condition.value, flags, flags, flags)
                answers.add((condition, ctx.get(dut.branch_holds)))
        assert len(answers) == 12 * 2 + 4

    simulate(dut, bench)
