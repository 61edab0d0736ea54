"""Coverage in place of Z and stencil: two bits for each of sixteen samples (docs/reference/rendering.md, coverage accumulation)."""

from functools import reduce
from operator import add

from amaranth.hdl import Cat, Const, Mux, Value

__all__ = ["SAMPLES_16", "covered_samples", "level_of"]

#: Of a pixel.
SAMPLES_16 = 16


def covered_samples(word: Value) -> Value:
    """A bit for each sample that is covered; `word` is Z and stencil, as in memory."""
    bits = Value.cast(word)
    return Cat(bits.word_select(number, 2).any() for number in range(SAMPLES_16))


def level_of(mask: Value) -> Value:
    """255 n / 16 of n samples, rounded to the nearest: 16 n, or one less if n is above 8; 8 bits."""
    quarters = [reduce(add, Value.cast(mask).word_select(number, 4)) for number in range(4)]
    count = (quarters[0] + quarters[1]) + (quarters[2] + quarters[3])
    return Value.cast(Mux(count <= 8, Cat(Const(0, 4), count[:4]), Cat(Const(0xF, 4), (count - 1)[:4])))
