"""Choosing one of many."""

from collections.abc import Sequence

from amaranth.hdl import Mux, Value, ValueLike

__all__ = ["select"]


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
