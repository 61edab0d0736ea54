"""Accumulators r0 to r3 and r5."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.common.select import select
from vc4.isa.registers import ACCUMULATOR_BASE, QUADS, write_address

from .structs import LANES, LaneWords

__all__ = ["Accumulators", "ResultWrite"]

_R5 = write_address("r5quad")
_COUNT = 4


class ResultWrite(data.Struct):
    """The result of one ALU for one quad in A2, and where it goes."""

    address: unsigned(6)
    file: unsigned(1)  # 0: A, 1: B
    mask: unsigned(LANES)  # lanes that are written
    bytes: unsigned(4)  # bytes that are written
    data: LaneWords


class Accumulators(wiring.Component):
    """r0 to r3 and r5, written at the end of A2 and read in RR, three clocks before the next instruction is in A2.

    Every accumulator is a LUT-RAM of four quads, once for the operands of the add ALU and once a lane for those of the mul
    ALU, whose address does the part of a rotation that moves whole quads (datapath: rotation up by 4 q + j takes lane i
    from quad - q, or from the one before if i + j runs over the quad). r5 has one word a quad.

    Where both ALUs write the same accumulator, the mul ALU wins.

    Interface attributes
    --------------------
    a2_quad : the quad in A2
    a2_add, a2_mul : its results
    rr_quad : the quad in RR
    rr_rotation : elements that the mul operands move up
    rr_add, rr_mul : r0 to r3 as operands of the two ALUs
    rr_r5 : r5, the same in all lanes
    r5_rotation : low four bits of element 0 of r5
    """

    a2_quad: In(range(QUADS))
    a2_add: In(ResultWrite)
    a2_mul: In(ResultWrite)
    rr_quad: In(range(QUADS))
    rr_rotation: In(4)
    rr_add: Out(data.ArrayLayout(LaneWords, _COUNT))
    rr_mul: Out(data.ArrayLayout(LaneWords, _COUNT))
    rr_r5: Out(32)
    r5_rotation: Out(4)

    def elaborate(self, platform):
        m = Module()
        lane_quads = [Signal(range(QUADS), name=f"rr_quad_{lane}") for lane in range(LANES)]
        for lane, quad in enumerate(lane_quads):
            carry = (self.rr_rotation[:2] + lane)[2]
            m.d.comb += quad.eq(self.rr_quad - self.rr_rotation[2:] - carry)
        for number in range(_COUNT):
            address = ACCUMULATOR_BASE + number
            write_data = Signal(LaneWords, name=f"a2_r{number}")
            enables = Signal(4 * LANES, name=f"a2_r{number}_bytes")
            m.d.comb += [write_data.as_value().eq(Cat(self._merged(address))), enables.eq(self._enables(address))]
            m.submodules[f"r{number}_add"] = ram = LutRam(32 * LANES, QUADS, granularity=8)
            m.d.comb += [
                ram.write_address.eq(self.a2_quad),
                ram.write_data.eq(write_data),
                ram.write_enable.eq(enables),
                ram.read_address.eq(self.rr_quad),
                self.rr_add[number].as_value().eq(ram.read_data),
            ]
            for lane in range(LANES):
                m.submodules[f"r{number}_mul_{lane}"] = ram = LutRam(32, QUADS, granularity=8)
                m.d.comb += [
                    ram.write_address.eq(self.a2_quad),
                    ram.write_data.eq(write_data[lane]),
                    ram.write_enable.eq(enables.word_select(lane, 4)),
                    ram.read_address.eq(lane_quads[lane]),
                    self.rr_mul[number][lane].eq(ram.read_data),
                ]
        self._r5(m)
        return m

    def _merged(self, address):
        """Bytes of the mul ALU where it writes, else of the add ALU."""
        mul = self.a2_mul.address == address
        for lane in range(LANES):
            for byte in range(4):
                chosen = mul & self.a2_mul.mask[lane] & self.a2_mul.bytes[byte]
                mul_byte, add_byte = (w.data[lane].word_select(byte, 8) for w in (self.a2_mul, self.a2_add))
                yield Mux(chosen, mul_byte, add_byte)

    def _enables(self, address):
        """One bit a byte."""
        writes = [(write, write.address == address) for write in (self.a2_add, self.a2_mul)]
        return Cat(
            Cat(here & write.mask[lane] & write.bytes[byte] for write, here in writes).any()
            for lane in range(LANES)
            for byte in range(4)
        )

    def _r5(self, m):
        """File A: each quad takes its first lane. File B: all quads take element 0."""
        words = Signal(data.ArrayLayout(32, QUADS), name="r5")
        first = self.a2_quad == 0
        add, mul = ((write, (write.address == _R5) & write.mask[0]) for write in (self.a2_add, self.a2_mul))
        # What the quads get is chosen twice, not for each of them: once for the first one, which both files write in its
        # own clock, and once for all others.
        for wins, quads in ((mul[1], [0]), (mul[1] & (mul[0].file == first), range(1, QUADS))):
            word = Mux(wins, mul[0].data[0], add[0].data[0])
            for quad in quads:
                here = [hit & Mux(write.file, first, self.a2_quad == quad) for write, hit in (add, mul)]
                with m.If(Cat(here).any()):
                    m.d.sync += words[quad].eq(word)
        m.d.comb += [
            self.rr_r5.eq(select(self.rr_quad, [words[quad] for quad in range(QUADS)])),
            self.r5_rotation.eq(words[0][:4]),
        ]
