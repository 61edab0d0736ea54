"""Random numbers as hardware: the same as those of the native bench, see `bench_bits.h`."""

from amaranth import *

__all__ = ["next_random"]


def next_random(m: Module, state) -> Signal:
    """The number after `state`, which is never 0; both are 32 bits wide."""
    left = Signal(32)
    right = Signal(32)
    number = Signal(32)
    m.d.comb += [
        left.eq(state ^ (state << 13)),
        right.eq(left ^ (left >> 17)),
        number.eq(right ^ (right << 5)),
    ]
    return number
