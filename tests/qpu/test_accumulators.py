"""`Accumulators` against lists of sixteen words."""

import random

import pytest

from vc4.qpu.accumulators import Accumulators

R0, R3, R5 = 32, 35, 37
NO_WRITE = {"address": 39, "file": 0, "mask": 0, "bytes": 0, "data": [0] * 4}


def merged(old, new, enables):
    kept = sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1)
    return old & ~kept | new & kept


class Reference:
    """r0 to r3 and r5 as programs see them."""

    def __init__(self):
        self.general = [[0] * 16 for _ in range(4)]
        self.r5 = [0] * 16

    def write(self, quad, write):
        for lane in range(4):
            if write["mask"] >> lane & 1 and R0 <= write["address"] <= R3:
                register = self.general[write["address"] - R0]
                element = 4 * quad + lane
                register[element] = merged(register[element], write["data"][lane], write["bytes"])
        if write["address"] == R5 and write["mask"] & 1:
            if write["file"] == 0:
                self.r5[4 * quad : 4 * quad + 4] = [write["data"][0]] * 4
            elif quad == 0:
                self.r5 = [write["data"][0]] * 16


async def write(ctx, dut, reference, add=NO_WRITE, mul=NO_WRITE):
    """One clock of A2, of the quad whose turn it is: where both write, the mul ALU wins."""
    ctx.set(dut.a2_add, add)
    ctx.set(dut.a2_mul, mul)
    await ctx.tick()
    reference.write(ctx.get(dut.quad), add)
    reference.write(ctx.get(dut.quad), mul)
    ctx.set(dut.a2_add, NO_WRITE)
    ctx.set(dut.a2_mul, NO_WRITE)
    turn(ctx, dut)


def turn(ctx, dut):
    ctx.set(dut.quad, (ctx.get(dut.quad) + 1) % 4)


async def read(ctx, dut, numbers, rotation=0, add=NO_WRITE, mul=NO_WRITE):
    """The operands that name the accumulators `numbers`, as an instruction in RU in this clock gets them, and r5."""
    ctx.set(dut.ru_numbers, numbers)
    ctx.set(dut.ru_rotation, rotation)
    ctx.set(dut.a2_add, add)
    ctx.set(dut.a2_mul, mul)
    newest = [[ctx.get(dut.ru_newest[operand][lane]) for lane in range(4)] for operand in range(4)]
    await ctx.tick()
    banks = [
        [[ctx.get(dut.rr_banks[operand][bank][lane]) for lane in range(4)] for bank in range(2)] for operand in range(4)
    ]
    turn(ctx, dut)
    operands = [
        [merged(old, new, enables) for old, new, enables in zip(*banks[operand], newest[operand], strict=True)]
        for operand in range(4)
    ]
    return operands, ctx.get(dut.rr_r5)


async def check(ctx, dut, reference, numbers, rotation, note, add=NO_WRITE, mul=NO_WRITE):
    """What a quad reads while the one before it is written.

    Behind the ALU the result moves up by `rotation` % 4 lanes, which is counted in here.
    """
    quad = ctx.get(dut.quad)
    operands, r5 = await read(ctx, dut, numbers, rotation, add, mul)
    reference.write(quad, add)
    reference.write(quad, mul)
    for operand, number in enumerate(numbers):
        register, up = reference.general[number], rotation if operand >= 2 else 0
        for lane in range(4):
            element = 4 * quad + (lane + up) % 4
            assert operands[operand][lane] == register[(element - up) % 16], note
    assert r5 == reference.r5[4 * quad], note
    assert ctx.get(dut.r5_rotation) == reference.r5[0] % 16, note


def random_write(rng):
    return {
        "address": rng.choice([32, 33, 34, 35, 35, 37, 37, 36, 39, rng.randrange(64)]),
        "file": rng.randrange(2),
        "mask": rng.choice([15, rng.randrange(16)]),
        "bytes": rng.choice([15, rng.randrange(16)]),
        "data": [rng.getrandbits(32) for _ in range(4)],
    }


@pytest.mark.parametrize("rotation", range(16))
def test_every_rotation(simulate, rotation):
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for number in range(4):
            for quad in range(4):
                values = [0x100 * number + 4 * quad + lane for lane in range(4)]
                result = {**NO_WRITE, "address": 32 + number, "mask": 15, "bytes": 15, "data": values}
                await write(ctx, dut, reference, result if number & 1 else NO_WRITE, NO_WRITE if number & 1 else result)
        for quad in range(4):
            await check(ctx, dut, reference, [0, 1, 2, 3], rotation, f"{rotation=}, {quad=}")
            await check(ctx, dut, reference, [3, 2, 1, 0], rotation, f"{rotation=}, {quad=}")

    simulate(dut, bench)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 4))])
def test_random_writes_of_both_alus(simulate, seed):
    rng = random.Random(seed)
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for clock in range(300):
            add, mul = {**random_write(rng), "bytes": 15}, random_write(rng)
            if rng.random() < 0.5:
                mul["address"] = add["address"]
            # An operand is read from another quad only while nothing is on its way to its accumulator.
            rotation = 0 if rng.random() < 0.5 else rng.randrange(16)
            if rotation:
                add = mul = NO_WRITE
            numbers = [rng.randrange(4) for _ in range(4)]
            await check(ctx, dut, reference, numbers, rotation, f"seed {seed}, clock {clock}", add, mul)

    simulate(dut, bench)


def test_the_mul_alu_wins_byte_by_byte(simulate):
    dut = Accumulators()
    add = {"address": R3, "file": 0, "mask": 0b0111, "bytes": 15, "data": [0x1111_1111] * 4}
    mul = {"address": R3, "file": 1, "mask": 0b1110, "bytes": 0b0100, "data": [0x2222_2222] * 4}

    async def bench(ctx):
        (found, *_), _ = await read(ctx, dut, [3] * 4, add=add, mul=mul)
        assert found == [0x1111_1111, 0x1122_1111, 0x1122_1111, 0x0022_0000]

    simulate(dut, bench)


@pytest.mark.parametrize(("file", "expected"), [(0, [10, 20, 30, 40]), (1, [10, 10, 10, 10])])
def test_both_forms_of_r5(simulate, file, expected):
    """File A: the first element of each quad for its quad; file B: element 0 for all."""
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for quad in range(4):
            values = [10 * (quad + 1) + lane for lane in range(4)]
            await write(ctx, dut, reference, {"address": R5, "file": file, "mask": 15, "bytes": 15, "data": values})
        assert [(await read(ctx, dut, [0] * 4))[1] for _ in range(4)] == expected
        assert ctx.get(dut.r5_rotation) == 10

    simulate(dut, bench)


def test_r5_keeps_its_word_where_the_condition_of_the_first_lane_fails(simulate):
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for file in (0, 1):
            while ctx.get(dut.quad) != 0:
                await read(ctx, dut, [0] * 4)
            await write(
                ctx, dut, reference, {"address": R5, "file": file, "mask": 0b1110, "bytes": 15, "data": [9] * 4}
            )
            await check(ctx, dut, reference, [0] * 4, 0, f"{file=}")
        assert ctx.get(dut.rr_r5) == 0

    simulate(dut, bench)
