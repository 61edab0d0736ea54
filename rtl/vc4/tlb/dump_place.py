"""Where the dump of a tile is."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["DumpPlace"]

#: Numbers of tiles in a row, and in front of a tile; a dump in units of 512 bytes.
_ACROSS_BITS, _COUNT_BITS, _UNIT_BITS, _UNIT = 12, 20, 7, 9
_ROW_BITS = 8


class DumpPlace(wiring.Component):
    """(row · tiles of a row + column) dumps after the address of a frame (docs/reference/rendering.md, tile buffer in memory).

    Behaviour: `done` comes 17 clocks after the start; `address` stays. Both products by addition.

    Interface attributes
    --------------------
    starts : strobe; what follows stays until `done`
    base : address of the first dump
    row, column : of the tile
    across : tiles of a row
    units : size of a dump, in 512 bytes
    address : of the dump
    done : strobe
    """

    starts: In(1)
    base: In(32)
    row: In(_ROW_BITS)
    column: In(_ROW_BITS)
    across: In(_ACROSS_BITS)
    units: In(_UNIT_BITS)
    address: Out(32)
    done: Out(1)

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(_ROW_BITS + 1))
        factor = Signal(_ROW_BITS)
        total = Signal(32)  # the product so far, from the highest bit on
        second = Signal()
        number = Signal(_COUNT_BITS)
        sum_ = Signal(32)
        active = Signal()
        m.d.comb += [
            sum_.eq((total << 1) + Mux(factor[-1], Mux(second, number, self.across), 0)),
            self.done.eq(active & second & (left == 0)),
            self.address.eq(self.base + (total << _UNIT)),
        ]
        with m.If(self.starts):
            m.d.sync += [active.eq(1), second.eq(0), left.eq(_ROW_BITS), factor.eq(self.row), total.eq(0)]
        with m.Elif(left != 0):
            m.d.sync += [left.eq(left - 1), factor.eq(factor << 1), total.eq(sum_)]
        with m.Elif(active & ~second):
            m.d.sync += [second.eq(1), left.eq(_ROW_BITS), factor.eq(self.units)]
            m.d.sync += [number.eq(total + self.column), total.eq(0)]
        with m.Elif(active):
            m.d.sync += active.eq(0)
        return m
