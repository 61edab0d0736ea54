"""Which ALU wrote a byte of r0 to r3 last."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.isa.registers import QUADS

__all__ = ["ACCUMULATORS", "AccumulatorTags", "AccumulatorWrite"]

#: r0 to r3.
ACCUMULATORS = 4


class AccumulatorWrite(data.Struct):
    """What an ALU writes to r0 to r3 of a lane in A2."""

    writes: unsigned(1)
    number: range(ACCUMULATORS)
    bytes: unsigned(4)  # of the word; the add ALU writes all of them
    word: unsigned(32)


class AccumulatorTags(wiring.Component):
    """Tags for the bytes of both banks of r0 to r3 of a lane: the mul ALU wrote a byte last if its tags differ.

    So each bank is written by its own ALU only, and the newest byte of two is known where both are read. To make its tag,
    an ALU looks at that of the other bank: a copy of the tags is in LUT-RAM here.

    Interface attributes
    --------------------
    quad : the quad in A2
    a2_add, a2_mul : what both ALUs write; where both do, the mul ALU is the last
    a2_add_tags, a2_mul_tags : the tags that go with them, a bit a byte
    """

    quad: In(range(QUADS))
    a2_add: In(AccumulatorWrite)
    a2_mul: In(AccumulatorWrite)
    a2_add_tags: Out(4)
    a2_mul_tags: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add = of_add = LutRam(4, ACCUMULATORS * QUADS)
        m.submodules.mul = of_mul = LutRam(4, ACCUMULATORS * QUADS, reads=2)
        add, mul = self.a2_add, self.a2_mul
        add_place, mul_place = (Cat(self.quad, write.number) for write in (add, mul))
        # An add ALU that writes the same register now has the tag of the mul ALU there.
        same = add.writes & (add.number == mul.number)
        kept = of_mul.read_data[1]
        other = Mux(same, kept, of_add.read_data)
        m.d.comb += [
            of_add.read_address.eq(mul_place),
            *(of_mul.read_address[0].eq(add_place), of_mul.read_address[1].eq(mul_place)),
            self.a2_add_tags.eq(of_mul.read_data[0]),
            self.a2_mul_tags.eq((kept & ~mul.bytes) | (~other & mul.bytes)),
            *(of_add.write_address.eq(add_place), of_mul.write_address.eq(mul_place)),
            *(of_add.write_data.eq(self.a2_add_tags), of_mul.write_data.eq(self.a2_mul_tags)),
            *(of_add.write_enable.eq(add.writes), of_mul.write_enable.eq(mul.writes)),
        ]
        return m
