"""Which ALU wrote a byte of r0 to r3 last."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.isa.registers import QUADS

from .structs import LANES

__all__ = ["ACCUMULATORS", "AccumulatorHits", "AccumulatorTags"]

#: r0 to r3.
ACCUMULATORS = 4


class AccumulatorHits(data.Struct):
    """What an ALU writes to r0 to r3 in A2."""

    number: range(ACCUMULATORS)
    lanes: unsigned(LANES)  # 0: it writes to none of them


class AccumulatorTags(wiring.Component):
    """Tags for the bytes of both banks of r0 to r3: the mul ALU wrote a byte last if its tags differ.

    So each bank is written by its own ALU only, and the newest byte of two is known where both are read. To make its tag,
    an ALU looks at that of the other bank: a copy of the tags is in LUT-RAM here.

    Interface attributes
    --------------------
    quad : the quad in A2
    a2_add, a2_mul : what both ALUs write; where both do, the mul ALU is the last
    a2_mul_bytes : the bytes that the mul ALU writes; the add ALU writes all of them
    a2_add_tags, a2_mul_tags : the tags that go with them, a bit a byte
    """

    quad: In(range(QUADS))
    a2_add: In(AccumulatorHits)
    a2_mul: In(AccumulatorHits)
    a2_mul_bytes: In(4)
    a2_add_tags: Out(data.ArrayLayout(4, LANES))
    a2_mul_tags: Out(data.ArrayLayout(4, LANES))

    def elaborate(self, platform):
        m = Module()
        add_place, mul_place = (Cat(self.quad, hits.number) for hits in (self.a2_add, self.a2_mul))
        for lane in range(LANES):
            m.submodules[f"add_{lane}"] = of_add = LutRam(4, ACCUMULATORS * QUADS)
            m.submodules[f"mul_{lane}"] = of_mul = LutRam(4, ACCUMULATORS * QUADS, reads=2)
            m.d.comb += [
                of_add.read_address.eq(mul_place),
                *(of_mul.read_address[0].eq(add_place), of_mul.read_address[1].eq(mul_place)),
                self.a2_add_tags[lane].eq(of_mul.read_data[0]),
            ]
            # An add ALU that writes the same register now has the tag of the mul ALU there.
            same = self.a2_add.lanes[lane] & (self.a2_add.number == self.a2_mul.number)
            kept = of_mul.read_data[1]
            other = Mux(same, kept, of_add.read_data)
            m.d.comb += self.a2_mul_tags[lane].eq((kept & ~self.a2_mul_bytes) | (~other & self.a2_mul_bytes))
            for tags, place, hits, written in (
                (of_add, add_place, self.a2_add, self.a2_add_tags),
                (of_mul, mul_place, self.a2_mul, self.a2_mul_tags),
            ):
                m.d.comb += [
                    tags.write_address.eq(place),
                    tags.write_data.eq(written[lane]),
                    tags.write_enable.eq(hits.lanes[lane]),
                ]
        return m
