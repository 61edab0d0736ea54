"""A blend of two levels."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .four_halves import HALF_FIXED_BITS

__all__ = ["LevelBlend"]

_FRACTION = 8
_BYTE_BITS = 16
#: Multipliers have 18 bits: the wide value is multiplied in parts, of which the last one has the sign.
_PART = 17
_WIDE_BITS = HALF_FIXED_BITS + _FRACTION
_HALF = 1 << 2 * _FRACTION - 1


class LevelBlend(wiring.Component):
    """Values of a level, or of two that follow each other, each times how much it counts.

    A wide value has three multipliers. It is either a half float or the first of four bytes, which needs but one: then the other
    two have the next two bytes.

    Behaviour: values a clock. What the first of two levels counts is kept for the second. The blend of that, or of a level
    alone, is there `LevelBlend.LATENCY` clocks later, and that of bytes `LevelBlend.BYTES` clocks later.

    Interface attributes
    --------------------
    wide, bytes : values of a level: a half float in units of 2^-24 or a byte, and three bytes; bytes in units of 1/256
    stb, other_stb : a clock before them: there are values; there is a wide one of another row, whose levels come in clocks between
    halves : a clock before them: the wide one is a half float, and there are no bytes
    first, second, weight : a clock before them: it is one of two levels, and how much the second counts, in units of 1/256
    o, bytes_o : a half float in units of 2^-32; four bytes, rounded
    """

    LATENCY, BYTES = 3, 2

    wide: In(signed(HALF_FIXED_BITS))
    bytes: In(data.ArrayLayout(_BYTE_BITS, 3))
    stb: In(1)
    other_stb: In(1)
    halves: In(1)
    first: In(1)
    second: In(1)
    weight: In(_FRACTION)
    o: Out(signed(_WIDE_BITS))
    bytes_o: Out(data.ArrayLayout(8, 4))

    def elaborate(self, platform):
        m = Module()
        # What is kept is cleared after the last level of a blend: by the reset of its registers, which are then no LUTs. So that of the
        # GPU is one reason among others.
        self._reset = ResetSignal("sync", allow_reset_less=True)
        count = Signal(_FRACTION + 1)
        with m.If(self.first):
            m.d.sync += count.eq((1 << _FRACTION) - self.weight)
        with m.Elif(self.second):
            m.d.sync += count.eq(self.weight)
        with m.Else():
            m.d.sync += count.eq(1 << _FRACTION)
        halves = self._delayed(m, "halves", self.halves, 1)
        first = self._delayed(m, "first", self.first, 3)
        stb = self._delayed(m, "stb", self.stb, 3)
        other = self._delayed(m, "other", self.other_stb, 3)

        # Parts of a half float, or the first three bytes.
        low, middle, high = self.wide[:_PART], self.wide[_PART : 2 * _PART], self.wide[2 * _PART :].as_signed()
        second_part = Signal(_PART)
        third_part = Signal(signed(_PART + 1))
        products = [
            *(Signal(_PART + len(count), name=f"product_{number}") for number in range(2)),
            Signal(signed(len(third_part) + len(count) + 1), name="product_2"),
            Signal(_BYTE_BITS + len(count), name="product_3"),
        ]
        m.d.comb += [
            second_part.eq(Mux(halves[0], middle, self.bytes[0])),
            third_part.eq(Mux(halves[0], high, self.bytes[1])),
        ]
        for product, part in zip(products, (low, second_part, third_part, self.bytes[2]), strict=True):
            m.d.sync += product.eq(part * count)
        for number, product in enumerate(products):
            self._byte(m, number, product[: _BYTE_BITS + _FRACTION], stb[1], first[1])
        lower = Signal(2 * _PART + len(count))
        upper = Signal.like(products[2])
        m.d.sync += [lower.eq((products[1] << _PART) + products[0]), upper.eq(products[2])]
        # Not a sum of three: that costs two LUTs a bit.
        total = Signal(signed(_WIDE_BITS))
        m.d.comb += total.eq(Cat(lower[: 2 * _PART], lower[2 * _PART :] + upper))
        self._wide(m, total, stb[2], other[2], first[2])
        return m

    def _byte(self, m, number, product, stb, first):
        """A byte; what is kept holds one half for the rounding."""
        sum_ = Signal(len(product), name=f"sum_{number}")
        kept = Signal(len(product), name=f"kept_byte_{number}", init=_HALF, reset_less=True)
        later = Signal(8, name=f"byte_{number}")
        m.d.comb += sum_.eq(product + kept)
        m.d.sync += later.eq(sum_[2 * _FRACTION :])
        with m.If(stb | self._reset):
            m.d.sync += kept.eq(Mux(first & ~self._reset, sum_, _HALF))
        m.d.comb += self.bytes_o[number].eq(later)

    def _wide(self, m, product, stb, other, first):
        """The wide value, of one of two rows."""
        rows = [Signal(signed(_WIDE_BITS), name=f"kept_{row}", reset_less=True) for row in range(2)]
        sum_ = Signal(signed(_WIDE_BITS))
        m.d.comb += sum_.eq(product + Mux(other, rows[1], rows[0]))
        m.d.sync += self.o.eq(sum_)
        for row, there in zip(rows, (stb, other), strict=True):
            with m.If(there | self._reset):
                m.d.sync += row.eq(Mux(first & ~self._reset, sum_, 0))

    def _delayed(self, m, name, value, count):
        """The value of each of the clocks that follow."""
        values = []
        for clock in range(count):
            before, value = value, Signal(name=f"{name}_{clock}")
            m.d.sync += value.eq(before)
            values.append(value)
        return values
