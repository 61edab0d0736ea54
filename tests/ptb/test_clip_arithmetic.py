"""`ClipArithmetic` against the model's `truncated`: thousands of pairs, with extremes and gaps."""

import random

import pytest

from vc4.ptb.clip_arithmetic import ClipArithmetic, ClipTag
from vc4.ptb.clip_steps import ClipSign, Operation
from vc4sim.model.ptb.truncated import add, bits, div, mul, number

from ..simulation import simulation_of

SIGN, LARGEST, SMALLEST, ONE = 1 << 31, 0x7F7F_FFFF, 0x0080_0000, 0x3F80_0000
#: Zero, the smallest numbers, the largest ones, and what is next to powers of two.
EXTREMES = [0, SMALLEST, SMALLEST + 1, 0x00FF_FFFF, 0x0C00_0000, ONE - 1, ONE, ONE + 1, 0x4000_0000, 0x4B00_0000]
EXTREMES += [0x4B7F_FFFF, 0x7E80_0000, 0x7EFF_FFFF, 0x7F00_0000, LARGEST - 1, LARGEST]
EXTREMES += [pattern | SIGN for pattern in EXTREMES if pattern]
FUNCTIONS = {Operation.ADD: add, Operation.MUL: mul, Operation.DIV: div}
#: Clocks after the last result.
LATE = 40


def some_number(rng):
    """Half of them are near to each other."""
    exponent = rng.choice((rng.randrange(1, 255), rng.randrange(120, 135), 127, rng.choice((1, 2, 24, 25, 253, 254))))
    pattern = exponent << 23 | rng.choice((rng.getrandbits(23), 0, 1, (1 << 23) - 1))
    return rng.choice((0, SIGN)) | pattern if rng.random() < 0.95 else rng.choice(EXTREMES)


def near(rng, pattern):
    """A number next to another one, of any sign."""
    other = (pattern & ~SIGN) + rng.randrange(-3, 4)
    return other | rng.choice((0, SIGN)) if SMALLEST <= other <= LARGEST else pattern


def signed(a, b, sign, minus_side):
    """What becomes of b."""
    if sign in (ClipSign.LIKE, ClipSign.UNLIKE):
        return b & ~SIGN | (a & SIGN) ^ (SIGN if sign is ClipSign.UNLIKE else 0)
    flips = sign in (ClipSign.MINUS, ClipSign.MINUS_SIDE)
    if sign in (ClipSign.SIDE, ClipSign.MINUS_SIDE):
        flips ^= minus_side
    return b ^ SIGN if flips else b


def compute(operations, rng, gap):
    """(operation, a, b, sign, side) each: results by the number of the operation, and the clocks from each to its result."""
    rig, dut = simulation_of(ClipArithmetic)
    found, took = {}, {}
    under_way = {}  # number and clock of each, by its address

    async def bench(ctx):
        clock, left, divides, late = 0, list(enumerate(operations)), False, LATE
        while late:
            stb = bool(left) and rng.random() >= gap and not (divides and left[0][1][0] is Operation.DIV)
            ctx.set(dut.stb, stb)
            if stb:
                index, (operation, a, b, sign, minus_side) = left.pop(0)
                # The address is its number: fewer are under way than there are.
                ctx.set(dut.tag, ClipTag.const({"address": index % 512, "action": index % 5, "axis": index % 3}))
                ctx.set(dut.operation, operation)
                ctx.set(dut.a, a)
                ctx.set(dut.b, b)
                ctx.set(dut.sign, sign)
                ctx.set(dut.minus_side, minus_side)
                under_way[index % 512] = index, clock
                divides |= operation is Operation.DIV
            elif not left and ctx.get(dut.idle):
                late -= 1
            if ctx.get(dut.o_stb):
                result = ctx.get(dut.o)
                index, began = under_way.pop(result.tag.address)
                assert (result.tag.action.value, result.tag.axis) == (index % 5, index % 3)
                operation, a, b, *_ = operations[index]
                divides &= operation is not Operation.DIV
                if operation is not Operation.DIV:
                    assert (result.a_negative, result.b_negative) == (a >> 31, b >> 31)
                found[index] = result.value
                took[index] = clock - began
            await ctx.tick()
            clock += 1

    rig.run(bench)
    return found, took


def check(operations, rng, gap=0.0):
    found, took = compute(operations, rng, gap)
    assert sorted(found) == list(range(len(operations)))
    for index, (operation, a, b, sign, minus_side) in enumerate(operations):
        changed = signed(a, b, sign, minus_side)
        wanted = bits(FUNCTIONS[operation](number(a), number(changed)))
        assert found[index] == wanted, (operation, hex(a), hex(changed), hex(found[index]), hex(wanted))
    return took


@pytest.mark.parametrize("count", [700, pytest.param(4_000, marks=pytest.mark.thorough)])
def test_sums_and_products(seeds, count):
    """They are those of the QPU, with the largest number in place of infinity."""
    for seed in seeds(1):
        rng = random.Random(seed)
        operations = []
        for _ in range(count):
            a = some_number(rng)
            b = rng.choice((some_number, lambda rng, a=a: near(rng, a)))(rng)
            operation = rng.choice((Operation.ADD, Operation.MUL))
            operations.append((operation, a, b, rng.choice(list(ClipSign)), rng.randrange(2)))
        took = check(operations, rng, gap=0.1)
        assert set(took.values()) == {ClipArithmetic.LATENCY}


@pytest.mark.parametrize("operation", [Operation.ADD, Operation.MUL])
def test_extremes(operation):
    pairs = [(a, b) for a in EXTREMES for b in EXTREMES]
    check([(operation, a, b, ClipSign.OWN, 0) for a, b in pairs], random.Random(1))


@pytest.mark.parametrize("count", [80, pytest.param(600, marks=pytest.mark.thorough)])
def test_quotients(seeds, count):
    """Also beside sums and products, which go first."""
    for seed in seeds(1):
        rng = random.Random(seed)
        operations = []
        for _ in range(count):
            a, b = some_number(rng), some_number(rng)
            if rng.random() < 0.3:
                b = near(rng, a)
            # A quotient that is exact, but for the last bit of it.
            if rng.random() < 0.2:
                a = near(rng, bits(mul(number(a), number(b))))
            operations.append((Operation.DIV, a, b, ClipSign.OWN, 0))
            for _ in range(rng.choice((0, 0, 0, 40))):
                operations.append((Operation.ADD, some_number(rng), some_number(rng), ClipSign.OWN, 0))
        check(operations, rng, gap=rng.choice((0, 0.3)))


def test_extreme_quotients():
    some = [pattern for pattern in EXTREMES if pattern & 0x0200_0000 or not pattern & SIGN][:16]
    operations = [(Operation.DIV, a, b, ClipSign.OWN, 0) for a in some for b in some]
    check(operations, random.Random(1))


def test_clocks():
    """Of a quotient, whether or not its first bit is 0."""
    pairs = ((ONE + 1, ONE), (ONE, ONE + 1))
    took = [check([(Operation.DIV, a, b, ClipSign.OWN, 0)], random.Random(1))[0] for a, b in pairs]
    assert took == [15, 15]
