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


async def write(ctx, dut, reference, quad, add=NO_WRITE, mul=NO_WRITE):
    """One clock of A2: where both write, the mul ALU wins."""
    ctx.set(dut.a2_quad, quad)
    ctx.set(dut.a2_add, add)
    ctx.set(dut.a2_mul, mul)
    await ctx.tick()
    reference.write(quad, add)
    reference.write(quad, mul)


def check(ctx, dut, reference, quad, rotation, note):
    """What RR sees. Behind the ALU the result moves up by `rotation` % 4 lanes, which is counted in here."""
    ctx.set(dut.rr_quad, quad)
    ctx.set(dut.rr_rotation, rotation)
    for number, register in enumerate(reference.general):
        plain = [ctx.get(dut.rr_add[number][lane]) for lane in range(4)]
        assert plain == register[4 * quad : 4 * quad + 4], note
        for lane in range(4):
            element = 4 * quad + (lane + rotation) % 4
            assert ctx.get(dut.rr_mul[number][lane]) == register[(element - rotation) % 16], note
    assert ctx.get(dut.rr_r5) == reference.r5[4 * quad], note
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
                await write(
                    ctx,
                    dut,
                    reference,
                    quad,
                    {**NO_WRITE, "address": 32 + number, "mask": 15, "bytes": 15, "data": values},
                )
        for quad in range(4):
            check(ctx, dut, reference, quad, rotation, f"{rotation=}, {quad=}")

    simulate(dut, bench)


@pytest.mark.parametrize("seed", range(2))
def test_random_writes_of_both_alus(simulate, seed):
    rng = random.Random(seed)
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for clock in range(250):
            add, mul = random_write(rng), random_write(rng)
            if rng.random() < 0.5:
                mul["address"] = add["address"]
            await write(ctx, dut, reference, rng.randrange(4), add, mul)
            check(ctx, dut, reference, rng.randrange(4), rng.randrange(16), f"seed {seed}, clock {clock}")

    simulate(dut, bench)


def test_the_mul_alu_wins_byte_by_byte(simulate):
    dut, reference = Accumulators(), Reference()
    add = {"address": R3, "file": 0, "mask": 0b0111, "bytes": 15, "data": [0x1111_1111] * 4}
    mul = {"address": R3, "file": 1, "mask": 0b1110, "bytes": 0b0100, "data": [0x2222_2222] * 4}

    async def bench(ctx):
        await write(ctx, dut, reference, 2, add, mul)
        ctx.set(dut.rr_quad, 2)
        found = [ctx.get(dut.rr_add[3][lane]) for lane in range(4)]
        assert found == [0x1111_1111, 0x1122_1111, 0x1122_1111, 0x0022_0000]

    simulate(dut, bench)


@pytest.mark.parametrize(("file", "expected"), [(0, [10, 20, 30, 40]), (1, [10, 10, 10, 10])])
def test_both_forms_of_r5(simulate, file, expected):
    """File A: the first element of each quad for its quad; file B: element 0 for all."""
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for quad in range(4):
            values = [10 * (quad + 1) + lane for lane in range(4)]
            await write(
                ctx, dut, reference, quad, {"address": R5, "file": file, "mask": 15, "bytes": 15, "data": values}
            )
        found = []
        for quad in range(4):
            ctx.set(dut.rr_quad, quad)
            found.append(ctx.get(dut.rr_r5))
        assert found == expected
        assert ctx.get(dut.r5_rotation) == 10

    simulate(dut, bench)


def test_r5_keeps_its_word_where_the_condition_of_the_first_lane_fails(simulate):
    dut, reference = Accumulators(), Reference()

    async def bench(ctx):
        for file in (0, 1):
            await write(
                ctx, dut, reference, 0, {"address": R5, "file": file, "mask": 0b1110, "bytes": 15, "data": [9] * 4}
            )
            check(ctx, dut, reference, 0, 0, f"{file=}")
        assert ctx.get(dut.rr_r5) == 0

    simulate(dut, bench)
