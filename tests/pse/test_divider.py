"""`Divider` against the model's quotients."""

import random

import pytest

from vc4.pse.divider import Divider
from vc4.pse.divisor import Divisor
from vc4.pse.structs import Axis, DivisionItem
from vc4sim.model.arith.fixed_point import quotient
from vc4sim.model.pse.pse import z_gain

from ..simulation import Simulation, simulation_of

Place = DivisionItem.Place
#: Of the area of a triangle, of a float's numerator, of a gain's.
LARGEST_AREA, LARGEST_DIFFERENCE, LARGEST_NUMERATOR = (1 << 35) - 1, (1 << 17) - 1, (1 << 50) - 1


def expected(place, numerator, denominator):
    return z_gain(numerator, denominator) if place == Place.Z else quotient(numerator, denominator)


def divided(groups, *, seed=1, gap=0.0, pause=0.0):
    """Quotients of groups (denominator, [(place, axis, numerator)]), those of a group by place and axis; and clocks.

    gap, pause : chance in each clock that no item is there, and that no quotient is taken
    """
    rng = random.Random(seed)
    rig, dut = simulation_of(Divider)
    divisors = [abs(denominator) for denominator, _ in groups]
    items = [
        (number, place, axis, numerator, denominator < 0, n == len(group) - 1)
        for number, (denominator, group) in enumerate(groups)
        for n, (place, axis, numerator) in enumerate(group)
    ]
    wanted = [len(group) for _, group in groups]
    found = [{} for _ in groups]
    clocks = [0]

    async def bench(ctx):
        done = 0
        while done < len(groups):
            ctx.set(dut.o.ready, rng.random() >= pause)
            ctx.set(dut.divisors.valid, bool(divisors))
            ctx.set(dut.divisors.payload, divisors[0] if divisors else 0)
            offered = bool(items) and rng.random() >= gap
            ctx.set(dut.i.valid, offered)
            if offered:
                _, place, axis, numerator, negative, is_last = items[0]
                ctx.set(
                    dut.i.payload,
                    {"place": place, "axis": axis, "numerator": numerator, "negative": negative, "is_last": is_last},
                )
            if divisors and ctx.get(dut.divisors.ready):
                divisors.pop(0)
            if offered and ctx.get(dut.i.ready):
                items.pop(0)
            if ctx.get(dut.o.valid) and ctx.get(dut.o.ready):
                result = ctx.get(dut.o.payload)
                assert (result.place, result.axis) not in found[done]
                found[done][result.place, result.axis] = result.value
                done += len(found[done]) == wanted[done]
            await ctx.tick()
            clocks[0] += 1
            assert clocks[0] < 100 * len(groups)
        ctx.set(dut.divisors.valid, 0)

    rig.run(bench)
    return found, clocks[0]


def check(groups, **options):
    found, _ = divided(groups, **options)
    for (denominator, group), results in zip(groups, found, strict=True):
        for place, axis, numerator in group:
            wanted = expected(place, numerator, denominator)
            assert results[place, axis] == wanted, (place, numerator, denominator)


def some_number(rng, largest):
    """Not 0: of any length, often a power of two or next to one."""
    size = rng.randrange(1 << rng.randint(1, largest.bit_length()))
    if rng.random() < 0.3:
        size = (1 << rng.randint(0, largest.bit_length())) + rng.randint(-1, 1)
    return max(1, min(size, largest)) * rng.choice((1, -1))


def some_group(rng):
    """A divisor with some of what there is."""
    places = [(place, axis) for place in Place for axis in Axis]
    rng.shuffle(places)
    group = []
    for place, axis in places[: rng.randint(1, len(places))]:
        largest = LARGEST_NUMERATOR if place == Place.Z else LARGEST_DIFFERENCE
        group.append((place, axis, some_number(rng, largest) if rng.random() >= 0.1 else 0))
    return some_number(rng, LARGEST_AREA), group


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 8), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_quotients_of_the_model(seeds):
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        check(
            [some_group(rng) for _ in range(60)], seed=seed, gap=rng.choice((0, 0.3, 0.8)), pause=rng.choice((0.3, 0.8))
        )


def test_extremes():
    """The largest and the smallest of both, with all signs, and numbers that are multiples."""
    denominators = (1, 2, 3, LARGEST_AREA, LARGEST_AREA - 1, 1 << 34, (1 << 35), (1 << 36) - 1)
    groups = []
    for denominator in denominators:
        for sign in (1, -1):
            for gain in (LARGEST_NUMERATOR, -LARGEST_NUMERATOR - 1 + 1, 1, -1, denominator, -3 * denominator):
                numerator = max(-LARGEST_NUMERATOR, min(gain, LARGEST_NUMERATOR))
                small = max(-LARGEST_DIFFERENCE, min(gain, LARGEST_DIFFERENCE))
                groups.append((sign * denominator, [(Place.Z, Axis.X, numerator), (Place.SECOND, Axis.Y, small)]))
    check(groups)


def test_reciprocals():
    """Of upper bits and one more, rounded down, of numbers of all lengths."""
    rng = random.Random(1)
    numbers = [abs(some_number(rng, LARGEST_AREA)) for _ in range(40)] + [1, LARGEST_AREA, (1 << 36) - 1]
    dut = Divisor()

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for number in numbers:
            ctx.set(dut.i.payload, number)
            ctx.set(dut.i.valid, 1)
            await ctx.tick()
            ctx.set(dut.i.valid, 0)
            await ctx.tick().until(dut.o.valid)
            found, shift = ctx.get(dut.o.payload), 37 - number.bit_length()
            moved = number << shift
            assert (found.shift, found.number | 1 << 36) == (shift, moved)
            assert found.reciprocal == (1 << 36) // ((moved >> 18) + 1)

    Simulation(dut).run(bench)


def test_clocks():
    """Of a triangle: 12 for the reciprocal, 18 in the ring, 6 in front of it and behind; 20 for each one more."""
    group = [(Place.SECOND, Axis.X, 5), (Place.SECOND, Axis.Y, 7), (Place.THIRD, Axis.X, -9), (Place.THIRD, Axis.Y, 4)]
    group += [(Place.Z, Axis.X, 12345), (Place.Z, Axis.Y, -777)]
    clocks = [divided([(12345, group)] * count)[1] for count in (1, 2, 5)]
    assert clocks == [36, 56, 116]
