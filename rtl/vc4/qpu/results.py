"""Stage A2: which results go where, lane by lane."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa import ops

from .accumulators import ResultWrite
from .control import Control
from .flags import QuadFlags
from .lane import AddResult, MulResult
from .structs import LANES, LaneWords

__all__ = ["QuadMarks", "QuadResults", "Results", "adds_nothing", "colour_bytes", "packs_colour"]


class QuadMarks(data.Struct):
    """What write-back needs to know of one quad beside the words, one bit a lane."""

    add_mask: unsigned(LANES)
    mul_mask: unsigned(LANES)
    carry: unsigned(LANES)  # of the add ALU
    overflow: unsigned(LANES)  # of the add ALU, if its result goes to file A
    flags: QuadFlags


class QuadResults(data.Struct):
    """Everything that write-back needs to know of one quad."""

    add: LaneWords
    mul: LaneWords
    marks: QuadMarks


class Results(wiring.Component):
    """Combinational: what is written, flags, and the colour pack of the mul ALU (QPU facts, 2.2 and 3.4).

    A colour pack with the low three bits 0 converts nothing; with bit 2 it writes one byte, else all four.

    A branch is decided too late to write an accumulator from here. It does so in the empty slot that follows it then, where
    its control and its result are still to be seen; the other writes of a branch wait for the decision where they happen.

    Interface attributes
    --------------------
    control, live : the instruction in A2
    writes : it may write accumulators
    add_mask, mul_mask : lanes in which the conditions hold
    add, mul : results of the lanes, rotated
    add_write, mul_write : for accumulators
    quad : for everything else
    """

    control: In(Control)
    live: In(1)
    writes: In(1)
    add_mask: In(LANES)
    mul_mask: In(LANES)
    add: In(data.ArrayLayout(AddResult, LANES))
    mul: In(data.ArrayLayout(MulResult, LANES))
    add_write: Out(ResultWrite)
    mul_write: Out(ResultWrite)
    quad: Out(QuadResults)

    def elaborate(self, platform):
        m = Module()
        control, marks = self.control, self.quad.marks
        writes = self.writes.replicate(LANES)
        m.d.comb += [
            marks.add_mask.eq(self.add_mask & self.live.replicate(LANES)),
            marks.mul_mask.eq(self.mul_mask & self.live.replicate(LANES)),
        ]
        for lane in range(LANES):
            add, mul = self.add[lane], self.mul[lane]
            m.d.comb += [
                self.quad.add[lane].eq(add.value),
                self.quad.mul[lane].eq(mul.written),
                marks.carry[lane].eq(add.carry),
                marks.overflow[lane].eq(add.overflow & ~control.ws),
            ]
            self._flags(m, lane, add, mul)
        m.d.comb += [
            self.add_write.address.eq(control.waddr_add),
            self.add_write.file.eq(control.ws),
            self.add_write.mask.eq(self.add_mask & writes),
            self.add_write.bytes.eq(0b1111),
            self.add_write.data.eq(self.quad.add),
            self.mul_write.address.eq(control.waddr_mul),
            self.mul_write.file.eq(~control.ws),
            self.mul_write.mask.eq(self.mul_mask & writes),
            self.mul_write.bytes.eq(colour_bytes(control)),
            self.mul_write.data.eq(self.quad.mul),
        ]
        return m

    def _flags(self, m, lane, add, mul):
        """Flags come from the add ALU, or from the mul ALU if the add ALU computes nothing; the colour has none."""
        from_mul, flags = adds_nothing(self.control), self.quad.marks.flags
        n, z = add.value[31], add.zero
        m.d.comb += [
            flags.n[lane].eq(Mux(from_mul, mul.negative, n)),
            flags.z[lane].eq(Mux(from_mul, mul.zero, z)),
            flags.c[lane].eq(Mux(from_mul, mul.carry, add.carry | (add.carry_if_positive & ~n & ~z))),
        ]


def adds_nothing(control):
    """1 if the add ALU has no operation."""
    return Cat(control.op_add == op for op, count in ops.ADD_OPERANDS.items() if count == 0).any()


def packs_colour(control):
    """1 if the mul ALU writes colours."""
    return control.pm & control.pack[:3].any()


def colour_bytes(control):
    """Bytes that the mul ALU writes."""
    one = Const(1, 4) << control.pack[:2]
    return Mux(packs_colour(control) & control.pack[2], one[:4], 0b1111)
