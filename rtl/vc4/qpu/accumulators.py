"""Accumulators r0 to r3 and r5."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import registered_sources, select_registered
from vc4.isa import ops
from vc4.isa.registers import ACCUMULATOR_BASE, QUADS, write_address

from .accumulator_lane import OPERANDS, AccumulatorLane
from .accumulator_tags import ACCUMULATORS
from .structs import A2_FAR, LANES, LaneWords

__all__ = ["Accumulators", "ResultWrite"]

_R5 = write_address("r5quad")


class ResultWrite(data.Struct):
    """The result of one ALU for one quad in A2, and where it goes."""

    address: unsigned(6)
    file: unsigned(1)  # 0: A, 1: B
    mask: unsigned(LANES)  # lanes that are written
    bytes: unsigned(4)  # bytes that are written
    data: LaneWords


class Accumulators(wiring.Component):
    """r0 to r3 and r5, written in A2, and what the operands in RR get of them.

    The operands of the mul ALU may be rotated: what moves whole quads is where `AccumulatorLane` reads (datapath: rotation up by
    4 q + j takes lane i from quad - q, or from the one before if i + j runs over the quad).

    r5 has one word a quad. Where both ALUs write the same accumulator, the mul ALU wins.

    Interface attributes
    --------------------
    quad : the quad in A2, and in RU, which is four clocks from it
    a2_add, a2_mul : its results; the add ALU writes whole words
    takes_varying : the instruction in A2 has taken a varying; what it writes to r5 itself is lost
    a1_c, a1_c_stb : C of a quad of a varying, whose instruction is in A1; it is r5 of that quad from the next clock on
    ra2_names, ru_names : what the operands name (`isa.ops.Mux`), those of the add ALU first
    ru_rotation : elements that the operands of the mul ALU move up
    rr_values : the accumulators that the operands name; 0 for those that name none
    r5_rotation : low four bits of element 0 of r5
    """

    quad: In(range(QUADS))
    a2_add: In(ResultWrite)
    a2_mul: In(ResultWrite)
    takes_varying: In(1)
    a1_c: In(32)
    a1_c_stb: In(1)
    ra2_names: In(data.ArrayLayout(3, len(OPERANDS)))
    ru_names: In(data.ArrayLayout(3, len(OPERANDS)))
    ru_rotation: In(4)
    rr_values: Out(data.ArrayLayout(LaneWords, len(OPERANDS)))
    r5_rotation: Out(4)

    def elaborate(self, platform):
        m = Module()
        r5 = self._r5(m)
        writes = (self.a2_add, self.a2_mul)
        here = [write.address[2:] == ACCUMULATOR_BASE // ACCUMULATORS for write in writes]
        for number in range(LANES):
            m.submodules[f"lane_{number}"] = lane = AccumulatorLane()
            m.d.comb += [
                lane.quad.eq(self.quad),
                *(lane.ra2_names.eq(self.ra2_names), lane.ru_names.eq(self.ru_names)),
                lane.ru_behind.eq(self.ru_rotation[2:] + (self.ru_rotation[:2] + number)[2]),
            ]
            for one, write, is_here in zip((lane.a2_add, lane.a2_mul), writes, here, strict=True):
                m.d.comb += [
                    *(one.writes.eq(write.mask[number] & is_here), one.number.eq(write.address)),
                    *(one.bytes.eq(write.bytes), one.word.eq(write.data[number])),
                ]
            for operand, values in enumerate(self.rr_values):
                m.d.comb += values[number].eq(lane.rr_values[operand] | r5[operand])
        return m

    def _r5(self, m):
        """r5 for each operand that names it; else 0.

        File A: each quad takes its first lane. File B: all quads take element 0, when the first one is in A2. The quads go
        round in a ring: that in A2, which is also the one in RU, is at place 0, that in A1 at place 1, that in RR at the last
        one. A C never meets what an instruction writes: that in A2 takes the same varying and writes nothing; but when the first
        quad is in A1 it is the one before, and has come to the last quad.
        """
        places = [Signal(32, name=f"r5_{place}") for place in range(QUADS)]
        first = self.quad == 0
        (add, adds, add_file), (mul, muls, mul_file) = (
            (write.data[0], (write.address == _R5) & write.mask[0] & ~self.takes_varying, write.file)
            for write in (self.a2_add, self.a2_mul)
        )
        for place, after in enumerate(places):
            before = places[(place + 1) % QUADS]
            own = before is places[0]
            by_add, by_mul = (
                hit & ((first | ~file) if own else (first & file)) for hit, file in ((adds, add_file), (muls, mul_file))
            )
            sources = [(before, ~by_add & ~by_mul), (add, by_add & ~by_mul), (mul, by_mul)]
            if place == 0:
                sources = [(word, chosen & ~self.a1_c_stb) for word, chosen in sources] + [(self.a1_c, self.a1_c_stb)]
            registers = registered_sources(m, f"r5_{place}", sources, far=A2_FAR)
            m.d.comb += after.eq(reduce(or_, registers))
        # Element 0 stays where it is found whichever quad is in RU.
        c = self.a1_c_stb & (self.quad == QUADS - 1)
        firsts = [(add[:4], adds & ~muls & ~c), (mul[:4], muls & ~c), (self.a1_c[:4], c)]
        rotation = select_registered(m, "r5_rotation", firsts, when=(first & (adds | muls)) | c, far=A2_FAR)
        m.d.comb += self.r5_rotation.eq(rotation)
        rr_names_r5 = Signal(len(OPERANDS))
        m.d.sync += rr_names_r5.eq(Cat(name == ops.Mux.R5.value for name in self.ru_names))
        # The last place is that of the quad in RR. The key is in front of the OR, as one LUT can make both.
        return [reduce(or_, (one & key.replicate(32) for one in registers)) for key in rr_names_r5]
