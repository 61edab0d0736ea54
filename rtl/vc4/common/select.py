"""Choosing one of many."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value, ValueLike

__all__ = ["FAR", "registered_sources", "select", "select_by_keys", "select_keys", "select_registered"]

#: Attribute of registers to which the way is long, for synthesis: how many usual ways it takes besides the one that each has.
FAR = "far"


def select(index: Value, values: Sequence[ValueLike]) -> Value:
    """The value of `values` at `index`, as a tree of two-way multiplexers, the low bit first.

    An `Array` does the same with two thirds more cells: Yosys builds it from comparisons of the index. `values` has
    2 ** len(index) entries; `ValueError` otherwise.
    """
    if len(values) != 1 << len(index):
        raise ValueError(f"an index of {len(index)} bits chooses one of {1 << len(index)} values, not of {len(values)}")
    level = [Value.cast(value) for value in values]
    for bit in index:
        level = [Value.cast(Mux(bit, odd, even)) for even, odd in zip(level[::2], level[1::2], strict=True)]
    return level[0]


def select_keys(index: Value, values: int | None = None):
    """The keys of `select_by_keys` for an index of at least one bit: two for the first pair, one for each further pair.

    The first two choose the even value of the first pair (1, 0), the odd one (0, 1), all zeros (0, 0) or all ones (1, 1).
    Each further key is 0 where its own pair is chosen from. `values` is their number if the index has more.
    """
    odd, pair = index[0], index[1:]
    if len(pair) == 0:
        return Cat(~odd, odd)
    first = pair == 0
    pairs = (values or 1 << len(index)) // 2
    return Cat(odd ^ first, odd, *(pair != number for number in range(1, pairs)))


def select_by_keys(keys: Value, values: Sequence[ValueLike]) -> Value:
    """The value of `values` for which `keys` were made by `select_keys`.

    It is a chain: the first pair gives a value, or a constant by which the next pair chooses, and every further pair
    either passes what comes to it or chooses by it. So each pair is one LUT of four inputs a bit, which makes it a third
    smaller than `select`; but only if the keys are at hand, in a register. The last pair is the fastest one. `values` has
    two entries for each but the first key; `ValueError` otherwise.
    """
    if len(values) != 2 * (len(keys) - 1):
        raise ValueError(f"{len(keys)} keys choose one of {2 * (len(keys) - 1)} values, not of {len(values)}")
    (even, odd), *others = zip(values[::2], values[1::2], strict=True)
    width = max(len(Value.cast(value)) for value in values)
    ones = (keys[0] & keys[1]).replicate(width)
    chosen = Value.cast(Mux(keys[0], even, 0) | Mux(keys[1], odd, 0) | ones)
    for key, (even, odd) in zip(keys[2:], others, strict=True):
        # With the key, odd is all ones and even all zeros, so the value passes. It stands here once: a chain of terms that
        # have it twice would double with every pair.
        passes = key.replicate(width)
        low = even & ~passes
        chosen = low ^ (chosen & (low ^ (odd | passes)))
    return chosen


def select_registered(m: Module, name: str, sources: Sequence[tuple[ValueLike, ValueLike]], **options) -> Value:
    """What was chosen of `sources` a clock ago, or 0 if nothing was: an OR of `registered_sources`."""
    return reduce(or_, registered_sources(m, name, sources, **options))


def registered_sources(
    m: Module,
    name: str,
    sources: Sequence[tuple[ValueLike, ValueLike]],
    *,
    when: ValueLike = 1,
    far: int = 1,
) -> list[Value]:
    """Each of `sources` as it was a clock ago, or 0 if it was not chosen; they stay as they are unless `when` is 1.

    A source is a value, and whether it is chosen: one bit, or one for each of so many equal parts of the value. Of all sources, at
    most one is chosen for a bit. Each has a register, called `name` and its number, which is reset unless it is chosen: that costs no
    LUT, nothing is between a source and its register, and an OR of four of them is one LUT. As a source goes to several such
    registers, some of them are as `far` from it as `FAR` says.
    """
    registers = []
    for number, (value, chosen) in enumerate(sources):
        value, chosen = Value.cast(value), Value.cast(chosen)
        width = len(value) // len(chosen)
        register = Signal(len(value), name=f"{name}_{number}", reset_less=True, attrs={FAR: far})
        with m.If(when):
            for part, bit in enumerate(chosen):
                m.d.sync += register.word_select(part, width).eq(Mux(bit, value.word_select(part, width), 0))
        registers.append(register)
    return registers
