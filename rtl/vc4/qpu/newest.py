"""Which ALU wrote a byte of r0 to r3 last."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.isa.registers import QUADS

from .structs import LANES

__all__ = ["ACCUMULATORS", "OPERANDS", "AccumulatorHits", "Newest"]

#: r0 to r3.
ACCUMULATORS = 4
#: Operands that may be accumulators: two of the add ALU, then two of the mul ALU.
OPERANDS = ("add_a", "add_b", "mul_a", "mul_b")
#: One bit a byte of a quad.
_Bytes = data.ArrayLayout(4, LANES)


class AccumulatorHits(data.Struct):
    """What an ALU writes to r0 to r3 in A2."""

    number: range(ACCUMULATORS)
    lanes: unsigned(LANES)  # 0: it writes to none of them


class Newest(wiring.Component):
    """One bit for each byte of r0 to r3: 1 if the mul ALU wrote it last.

    The quads go round in a ring of four, one place a clock, so that what is known of the quad in A2, which is also the one
    in RU, is always at the same place.

    Interface attributes
    --------------------
    a2_add, a2_mul : what both ALUs write; where both do, the mul ALU is the last
    a2_mul_bytes : the bytes that the mul ALU writes; the add ALU writes all of them
    ru_numbers : the accumulators that the operands in RU name
    ru_behind : quads by which the operands of the mul ALU are behind, lane by lane
    ru_newest : the bits of those accumulators, as they are after A2, for each operand
    """

    a2_add: In(AccumulatorHits)
    a2_mul: In(AccumulatorHits)
    a2_mul_bytes: In(4)
    ru_numbers: In(data.ArrayLayout(range(ACCUMULATORS), len(OPERANDS)))
    ru_behind: In(data.ArrayLayout(range(QUADS), LANES))
    ru_newest: Out(data.ArrayLayout(_Bytes, len(OPERANDS)))

    def elaborate(self, platform):
        m = Module()
        places = [Signal(data.ArrayLayout(_Bytes, ACCUMULATORS), name=f"newest_{place}") for place in range(QUADS)]
        after = Signal.like(places[0], name="newest_after")
        for number in range(ACCUMULATORS):
            for lane in range(LANES):
                add, mul = ((hits.number == number) & hits.lanes[lane] for hits in (self.a2_add, self.a2_mul))
                m.d.comb += after[number][lane].eq(
                    (places[0][number][lane] & ~add.replicate(4)) | (self.a2_mul_bytes & mul.replicate(4))
                )
        m.d.sync += [place.eq(source) for place, source in zip(places, (*places[1:], after), strict=True)]

        # A quad that is behind by one has been in A2 a clock ago, and is at the last place now.
        by_distance = (after, *reversed(places[1:]))
        for operand in range(len(OPERANDS)):
            behind = operand >= len(OPERANDS) // 2
            for lane in range(LANES):
                bits = [
                    select(self.ru_behind[lane], [place[number][lane] for place in by_distance])
                    if behind
                    else after[number][lane]
                    for number in range(ACCUMULATORS)
                ]
                m.d.comb += self.ru_newest[operand][lane].eq(select(self.ru_numbers[operand], bits))
        return m
