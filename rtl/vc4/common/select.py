"""Choosing one of many."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Mux, Value, ValueLike

__all__ = ["select", "select_by_keys", "select_keys"]


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
