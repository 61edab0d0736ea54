"""`Accumulators` against lists of sixteen words."""

import random
from dataclasses import dataclass

import pytest

from vc4.qpu.accumulators import Accumulators

from ..simulation import simulation_of

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


@dataclass(frozen=True)
class Slot:
    """An instruction: what each quad writes, and what its operands name."""

    add: tuple = (NO_WRITE,) * 4
    mul: tuple = (NO_WRITE,) * 4
    names: tuple = (0, 1, 2, 3)
    rotation: int = 0


async def run(ctx, dut, slots, note=""):
    """Instructions one after the other: each operand gets what all before have written. Returns what they got.

    After the ALU the result moves up by `rotation` % 4 lanes, which is counted in here.
    """
    reference, found = Reference(), []
    slots = [*slots, Slot(), Slot()]
    for this, after, last in zip(slots, slots[1:], slots[2:], strict=False):
        for quad in range(4):
            in_ra2 = after if quad < 3 else last
            ctx.set(dut.quad, quad)
            ctx.set(dut.a2_add, this.add[quad])
            ctx.set(dut.a2_mul, this.mul[quad])
            ctx.set(dut.ra2_names, in_ra2.names)
            ctx.set(dut.ru_names, after.names)
            ctx.set(dut.ru_rotation, after.rotation)
            await ctx.tick()
            reference.write(quad, this.add[quad])
            reference.write(quad, this.mul[quad])
            for operand, name in enumerate(after.names):
                values = [ctx.get(dut.rr_values[operand][lane]) for lane in range(4)]
                assert values == expected(reference, operand, name, quad, after.rotation), (note, operand, after)
                found.append(values)
            assert ctx.get(dut.r5_rotation) == reference.r5[0] % 16, note
    return found


def expected(reference, operand, name, quad, rotation):
    if name > 3:
        return [reference.r5[4 * quad] if name == 5 else 0] * 4
    up = rotation if operand >= 2 else 0
    return [reference.general[name][(4 * quad + (lane + up) % 4 - up) % 16] for lane in range(4)]


def result(address, values, **fields):
    """What all quads write, from sixteen words."""
    whole = {"address": address, "file": 0, "mask": 15, "bytes": 15} | fields
    return tuple({**whole, "data": values[4 * quad : 4 * quad + 4]} for quad in range(4))


def random_result(rng):
    address, file = rng.choice([32, 33, 34, 35, 35, 37, 37, 36, 39, rng.randrange(64)]), rng.randrange(2)
    enables = rng.choice([15, rng.randrange(16)])
    return tuple(
        {
            "address": address,
            "file": file,
            "mask": rng.choice([15, rng.randrange(16)]),
            "bytes": enables,
            "data": [rng.getrandbits(32) for _ in range(4)],
        }
        for _ in range(4)
    )


def random_slots(rng, count):
    written = set()
    for _ in range(count):
        add, mul = tuple({**quad, "bytes": 15} for quad in random_result(rng)), random_result(rng)
        if rng.random() < 0.5:
            mul = tuple({**quad, "address": add[0]["address"]} for quad in mul)
        names = tuple(rng.choice([0, 1, 2, 3, 5, rng.randrange(8)]) for _ in range(4))
        # An instruction does not rotate what the one before writes.
        rotation = 0 if rng.random() < 0.3 or written & set(names[2:]) else rng.randrange(16)
        yield Slot(add, mul, names, rotation)
        written = {write[0]["address"] - R0 for write in (add, mul)}


@pytest.mark.parametrize("rotation", range(16))
def test_every_rotation(rotation):
    """Two instructions write; one after the next, all of it is rotated."""
    words = [[0x100 * number + element for element in range(16)] for number in range(4)]
    slots = [
        Slot(result(32, words[0]), result(33, words[1])),
        Slot(result(34, words[2]), result(35, words[3])),
        Slot(names=(3, 2, 1, 0), rotation=0),
        *(Slot(names=names, rotation=rotation) for names in [(0, 1, 2, 3), (3, 2, 1, 0)]),
    ]
    simulation, dut = simulation_of(Accumulators)

    async def bench(ctx):
        await run(ctx, dut, slots)

    simulation.run(bench)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("alu", ["add", "mul"])
def test_the_last_quad_is_rotated_while_it_is_written(number, alu):
    """Instructions write an accumulator, do nothing, and rotate it by whole quads."""
    slots = []
    for amount in (4, 8, 12, 1, 15):
        values = [0x1000 * amount + element for element in range(16)]
        slots += [Slot(**{alu: result(R0 + number, values)}), Slot(), Slot(names=(number,) * 4, rotation=amount)]
    simulation, dut = simulation_of(Accumulators)

    async def bench(ctx):
        await run(ctx, dut, slots)

    simulation.run(bench)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 4))])
def test_random_writes_of_both_alus(seed):
    simulation, dut = simulation_of(Accumulators)

    async def bench(ctx):
        await run(ctx, dut, random_slots(random.Random(seed), 100), f"seed {seed}")

    simulation.run(bench)


def test_the_mul_alu_wins_byte_by_byte():
    simulation, dut = simulation_of(Accumulators)
    add = ({"address": R3, "file": 0, "mask": 0b0111, "bytes": 15, "data": [0x1111_1111] * 4},) * 4
    mul = ({"address": R3, "file": 1, "mask": 0b1110, "bytes": 0b0100, "data": [0x2222_2222] * 4},) * 4

    async def bench(ctx):
        found = await run(ctx, dut, [Slot(add, mul), *[Slot(names=(3,) * 4)] * 2])
        assert found[:32] == [[0x1111_1111, 0x1122_1111, 0x1122_1111, 0x0022_0000]] * 32

    simulation.run(bench)


@pytest.mark.parametrize(("file", "words"), [(0, [10, 20, 30, 40]), (1, [10, 10, 10, 10])])
def test_both_forms_of_r5(file, words):
    """File A: the first element of each quad for its quad; file B: element 0 for all."""
    simulation, dut = simulation_of(Accumulators)
    values = [10 * (element // 4 + 1) + element % 4 for element in range(16)]

    async def bench(ctx):
        found = await run(ctx, dut, [Slot(result(R5, values, file=file)), Slot(names=(5,) * 4)])
        assert found[:16] == [[word] * 4 for word in words for _ in range(4)]
        assert ctx.get(dut.r5_rotation) == 10

    simulation.run(bench)


@pytest.mark.parametrize("file", [0, 1])
def test_r5_keeps_its_word_where_the_condition_of_the_first_lane_fails(file):
    simulation, dut = simulation_of(Accumulators)

    async def bench(ctx):
        found = await run(ctx, dut, [Slot(result(R5, [9] * 16, file=file, mask=0b1110)), Slot(names=(5,) * 4)])
        assert found[:16] == [[0] * 4] * 16

    simulation.run(bench)
