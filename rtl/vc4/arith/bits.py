"""Counting, rotating and masking bits, with the multiplexer levels written out."""

from collections.abc import Iterable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike

__all__ = ["at_most", "below", "byte_terms", "leading_zeros", "one_of", "rotate_left", "shift_right", "words"]


def one_of(op: ValueLike, members: Iterable) -> Value:
    """1 bit: whether `op` is one of the enum `members`."""
    return Value.cast(op).matches(*members)


def words(value: Value, width: int) -> list:
    """The parts of `value`, `width` bits each, lowest first."""
    return [value[start : start + width] for start in range(0, len(value), width)]


def rotate_left(m: Module, value: Value, amount: Value, name: str) -> Value:
    """`value` rotated left by `amount` (0..2^n - 1): one level of multiplexers a bit of `amount`, largest step first."""
    for level in reversed(range(len(amount))):
        rotated = Signal(len(value), name=f"{name}_{1 << level}")
        m.d.comb += rotated.eq(Mux(amount[level], value.rotate_left(1 << level), value))
        value = rotated
    return value


def shift_right(value: Value, amount: Value) -> Value:
    """`value` shifted right by `amount`, zeros coming in."""
    for level in range(len(amount)):
        value = Mux(amount[level], value[1 << level :], value)
    return value


def at_most(value: Value, other: Value):
    """`value` <= `other`, of as many bits, in LUTs: of a few bits that is faster than a carry chain."""
    result = Const(1, 1)
    for bit, limit in zip(value, other, strict=True):
        result = Mux(bit ^ limit, limit, result)
    return result


def below(amount: Value):
    """2^n bits for the n bits of `amount`, of which bit i says i < `amount`."""
    if len(amount) == 0:
        return Const(0, 1)
    lower, top = below(amount[:-1]), amount[-1].replicate(1 << (len(amount) - 1))
    return Cat(lower | top, lower & top)


def leading_zeros(m: Module, value: Value, name: str) -> Value:
    """Zeros above the highest one of `value`, 0..len(value), the length being a power of two.

    The top bit of the count is the test for zero.
    """
    counts = list(~value)
    while len(counts) > 1:
        merged = []
        for low, high in zip(counts[::2], counts[1::2], strict=True):
            count = Signal(len(high) + 1, name=f"{name}_{len(merged)}_of_{len(counts) // 2}")
            empty = high[-1]
            m.d.comb += count.eq(Cat(Mux(empty, low[:-1], high[:-1]), empty & ~low[-1], empty & low[-1]))
            merged.append(count)
        counts = merged
    return counts[0]


def byte_terms(value: Value, spacer: ValueLike):
    """The bytes of `value` with the bit `spacer` between them, as one term of an adder that can break its carries.

    Two terms with the spacers (1, 0) pass the carry from byte to byte, (0, 0) stop it, (1, 1) start each byte with a
    carry; unless they pass it, the carry out of a byte is the sum at the spacer above it.
    """
    first, *rest = words(value, 8)
    return Cat(first, *(Cat(spacer, byte) for byte in rest))
