"""Coverage in place of Z and stencil: two bits for each of sixteen samples (docs/reference/rendering.md, coverage accumulation)."""

from functools import reduce
from operator import add

from amaranth.hdl import Cat, Const, Mux, Value

from vc4.records.state import CoverageUpdate, Oversample

__all__ = ["SAMPLES_16", "coverage_updated", "covered_samples", "level_of", "sixteen_of"]

#: Of a pixel.
SAMPLES_16 = 16


def covered_samples(word: Value) -> Value:
    """A bit for each sample that is covered; `word` is Z and stencil, as in memory."""
    bits = Value.cast(word)
    return Value.cast(Cat(bits.word_select(number, 2).any() for number in range(SAMPLES_16)))


def level_of(mask: Value) -> Value:
    """255 n / 16 of n samples, rounded to the nearest: 16 n, or one less if n is above 8; 8 bits."""
    quarters = [reduce(add, Value.cast(mask).word_select(number, 4)) for number in range(4)]
    count = (quarters[0] + quarters[1]) + (quarters[2] + quarters[3])
    return Value.cast(Mux(count <= 8, Cat(Const(0, 4), count[:4]), Cat(Const(0xF, 4), (count - 1)[:4])))


def sixteen_of(covered: Value, oversample: Value) -> Value:
    """Sixteen samples of a pixel: a single one stands for all, one of four for those in its quarter."""
    quarters = Cat(
        covered[2 * (number // 8) + number % 4 // 2] for number in range(SAMPLES_16)
    )  # rows of four samples, two of each in a quarter
    single = covered[0].replicate(SAMPLES_16)
    others = Mux(oversample == Oversample.NONE, single, quarters)
    return Value.cast(Mux(oversample == Oversample.X16, covered, others))


def coverage_updated(word: Value, covered: Value, update: Value, falls: Value) -> Value:
    """Coverage of a pixel: non-zero counts modulo 4, odd toggles, or sets, zero clears."""
    bits = Value.cast(word)
    counts, clears = update == CoverageUpdate.NONZERO, update == CoverageUpdate.ZERO
    sets, flips = update == CoverageUpdate.OR, counts | (update == CoverageUpdate.ODD)
    rising, falling = counts & ~falls, counts & falls
    found = []
    for number in range(SAMPLES_16):
        low, high = bits[2 * number], bits[2 * number + 1]
        changed = Cat(sets | (flips & ~low), ~clears & (high ^ ((rising & low) | (falling & ~low))))
        found.append(Mux(covered[number], changed, Cat(low, high)))
    return Value.cast(Cat(found))
