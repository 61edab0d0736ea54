"""Accumulators r0 to r3 and r5."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.isa.registers import ACCUMULATOR_BASE, QUADS, write_address

from .newest import ACCUMULATORS, OPERANDS, Newest
from .structs import LANES, LaneWords

__all__ = ["Accumulators", "ResultWrite"]

_R5 = write_address("r5quad")
_BANKS = ("add", "mul")


class ResultWrite(data.Struct):
    """The result of one ALU for one quad in A2, and where it goes."""

    address: unsigned(6)
    file: unsigned(1)  # 0: A, 1: B
    mask: unsigned(LANES)  # lanes that are written
    bytes: unsigned(4)  # bytes that are written
    data: LaneWords


class Accumulators(wiring.Component):
    """r0 to r3 and r5, written at the end of A2 and read in RR, three clocks before the next instruction is in A2.

    Each ALU has a bank of its own for what it writes to r0 to r3, so that nothing is chosen on the way in; `ru_newest` says
    of each byte which bank to take. A bank is a LUT-RAM of sixteen words a lane, read at once for the four operands. Those of
    the mul ALU are read from other quads for the part of a rotation that moves whole quads (datapath: rotation up by 4 q + j
    takes lane i from quad - q, or from the one before if i + j runs over the quad). r5 has one word a quad.

    Where both ALUs write the same accumulator, the mul ALU wins.

    Interface attributes
    --------------------
    quad : the quad in A2, and in RU, which is four clocks from it
    a2_add, a2_mul : its results; the add ALU writes whole words
    takes_varying : the instruction in A2 has taken a varying; what it writes to r5 itself is lost
    a1_c, a1_c_stb : C of a quad of a varying, whose instruction is in A1; it is r5 of that quad from the next clock on
    ru_numbers : which of r0 to r3 the operands name, those of the add ALU first
    ru_rotation : elements that the operands of the mul ALU move up
    ru_newest : for each operand and lane, the bytes that come from the bank of the mul ALU
    rr_banks : the operands from the bank of each ALU
    rr_r5 : r5, the same in all lanes
    r5_rotation : low four bits of element 0 of r5
    """

    quad: In(range(QUADS))
    a2_add: In(ResultWrite)
    a2_mul: In(ResultWrite)
    takes_varying: In(1)
    a1_c: In(32)
    a1_c_stb: In(1)
    ru_numbers: In(data.ArrayLayout(range(ACCUMULATORS), len(OPERANDS)))
    ru_rotation: In(4)
    ru_newest: Out(data.ArrayLayout(data.ArrayLayout(4, LANES), len(OPERANDS)))
    rr_banks: Out(data.ArrayLayout(data.ArrayLayout(LaneWords, len(_BANKS)), len(OPERANDS)))
    rr_r5: Out(32)
    r5_rotation: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.newest = newest = Newest()
        m.d.comb += [
            newest.a2_mul_bytes.eq(self.a2_mul.bytes),
            newest.ru_numbers.eq(self.ru_numbers),
            self.ru_newest.eq(newest.ru_newest),
        ]
        for lane in range(LANES):
            carry = (self.ru_rotation[:2] + lane)[2]
            m.d.comb += newest.ru_behind[lane].eq(self.ru_rotation[2:] + carry)
        for bank, (write, hits) in enumerate(((self.a2_add, newest.a2_add), (self.a2_mul, newest.a2_mul))):
            here = write.address[2:] == ACCUMULATOR_BASE // ACCUMULATORS
            m.d.comb += [
                hits.number.eq(write.address),
                hits.lanes.eq(write.mask & here.replicate(LANES)),
            ]
            self._bank(m, bank, write, hits.lanes, newest.ru_behind)
        self._r5(m)
        return m

    def _bank(self, m, bank, write, lanes, behind):
        for lane in range(LANES):
            m.submodules[f"{_BANKS[bank]}_{lane}"] = ram = LutRam(
                32, ACCUMULATORS * QUADS, granularity=8, reads=len(OPERANDS)
            )
            m.d.comb += [
                ram.write_address.eq(Cat(self.quad, write.address[:2])),
                ram.write_data.eq(write.data[lane]),
                ram.write_enable.eq(write.bytes & lanes[lane].replicate(4)),
            ]
            for operand, name in enumerate(OPERANDS):
                quad = self.quad - behind[lane] if name.startswith("mul") else self.quad
                m.d.sync += ram.read_address[operand].eq(Cat(quad[: len(self.quad)], self.ru_numbers[operand]))
                m.d.comb += self.rr_banks[operand][bank][lane].eq(ram.read_data[operand])

    def _r5(self, m):
        """File A: each quad takes its first lane. File B: all quads take element 0, when the first one is in A2.

        The quads go round in a ring, as in `Newest`: that in A2 is at place 0, that in A1 at place 1, that in RR at the last one.
        A C never meets what an instruction writes: that in A2 takes the same varying and writes nothing; but when the first quad
        is in A1 it is the one before, and has come to the last quad.
        """
        places = [Signal(32, name=f"r5_{place}") for place in range(QUADS)]
        first = self.quad == 0
        add, mul = (
            (write, (write.address == _R5) & write.mask[0] & ~self.takes_varying)
            for write in (self.a2_add, self.a2_mul)
        )
        for place, after in enumerate(places):
            before = places[(place + 1) % QUADS]
            own = before is places[0]
            hits = [hit & ((first | ~write.file) if own else (first & write.file)) for write, hit in (add, mul)]
            word = Mux(Cat(*hits).any(), Mux(hits[1], mul[0].data[0], add[0].data[0]), before)
            m.d.sync += after.eq(Mux(self.a1_c_stb, self.a1_c, word) if place == 0 else word)
        m.d.comb += self.rr_r5.eq(places[-1])
        # Element 0 stays where it is found whichever quad is in RU.
        writes_first = Cat(first & (add[1] | mul[1]), self.a1_c_stb & (self.quad == QUADS - 1))
        with m.If(writes_first.any()):
            word = Mux(self.a1_c_stb, self.a1_c, Mux(mul[1], mul[0].data[0], add[0].data[0]))
            m.d.sync += self.r5_rotation.eq(word)
