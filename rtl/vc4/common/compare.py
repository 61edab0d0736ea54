"""Comparing words."""

from amaranth.hdl import Cat, Module, Signal, Value, ValueLike

__all__ = ["equal"]


def equal(m: Module, a: ValueLike, b: ValueLike, name: str) -> Value:
    """1 bit: whether two words of the same width are the same.

    Two bits of each fill a LUT of four inputs. Yosys, left alone, takes a LUT for each bit and one for each but the first: so what
    compares two bits keeps its name.
    """
    a, b = Value.cast(a), Value.cast(b)
    pairs = Signal(-(-len(a) // 2), name=name, attrs={"keep": 1})
    m.d.comb += pairs.eq(Cat(a[low : low + 2] == b[low : low + 2] for low in range(0, len(a), 2)))
    return pairs.all()
