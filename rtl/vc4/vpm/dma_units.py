"""The units of a DMA block."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .structs import DOWN_BITS, PLACE_BITS, DmaBlock, DmaUnit

__all__ = ["DmaUnits", "next_place"]

_COLUMN = slice(2, 6)  # bits of a place along a row


class DmaUnits(wiring.Component):
    """Walks through the units of DMA blocks.

    Behaviour: the first unit is there one clock after its block came, and one comes every clock. The next block is
    taken when the last unit of the one before has gone.

    Choices where the QPU facts are silent: rows count modulo 128, columns modulo 16, and addresses modulo 4 GiB.

    Interface attributes
    --------------------
    i : stream of `DmaBlock`
    o : stream of `DmaUnit`
    """

    i: In(stream.Signature(DmaBlock))
    o: Out(stream.Signature(DmaUnit))

    def elaborate(self, platform):
        m = Module()
        active = Signal()
        block = Signal(DmaBlock)  # from the unit at the output on
        carries = Signal(PLACE_BITS)  # the place, with ones where the sum is to pass through
        place = Signal(PLACE_BITS)  # of the next unit
        unit = self.o.payload
        m.d.comb += [
            self.i.ready.eq(~active),
            self.o.valid.eq(active),
            unit.vertical.eq(block.vertical),
            unit.place.eq(block.place),
            unit.length.eq(block.length),
            unit.address.eq(block.address),
            unit.final.eq(block.units == 0),
            carries.eq(block.place),
            place.eq(next_place(block.vertical, carries, block.place_step)),
        ]
        with m.If(block.keep_column):
            m.d.comb += [carries[_COLUMN].eq(~0), place[_COLUMN].eq(block.place[_COLUMN])]
        with m.If(self.i.valid & ~active):
            m.d.sync += [active.eq(1), block.eq(self.i.payload)]
        with m.Elif(active & self.o.ready):
            m.d.sync += [
                active.eq(block.units != 0),
                block.units.eq(block.units - 1),
                block.place.eq(place),
                block.address.eq(block.address + block.address_step),
            ]
        return m


def next_place(vertical: Value, place: Value, step: Value) -> Value:
    """`place` + `step`; a row that is passed down a column is not carried into the column."""
    low = place[:DOWN_BITS] + step[:DOWN_BITS]
    high = place[DOWN_BITS:] + step[DOWN_BITS:] + (low[DOWN_BITS] & ~vertical)
    return Value.cast(Cat(low[:DOWN_BITS], high)[:PLACE_BITS])
