"""Stage WB: packs, register files and flags."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.pack import Pack
from vc4.common.ram import LutRam
from vc4.isa import ops
from vc4.isa.registers import FILE_REGISTERS, QUADS

from .accumulators import ResultWrite
from .flags import QuadFlags
from .pipeline import Issued, StageState
from .results import QuadResults, colour_bytes, coloured
from .structs import LANES, LaneWords

__all__ = ["WriteBack"]


class WriteBack(wiring.Component):
    """Writes an instruction back while the next one reads its operands in RR (guide, figure 2; fact sheet, 3.3).

    The results of A2 wait in a LUT-RAM of four quads until the next instruction, or an empty slot, goes through RR. So a
    register is always written after the next instruction has read it and before the one after, however long either waits.

    Interface attributes
    --------------------
    a2, a2_results : what arrives from A2
    rr : what drives it
    wb : the instruction that is written back
    wb_a, wb_b : its writes to the register files
    wb_add, wb_mul : its results as they are written, wherever they go
    wb_flags, wb_flag_mask : its flags, and the lanes in which it sets them
    """

    a2: In(StageState)
    a2_results: In(QuadResults)
    rr: In(StageState)
    wb: Out(Issued)
    wb_a: Out(ResultWrite)
    wb_b: Out(ResultWrite)
    wb_add: Out(ResultWrite)
    wb_mul: Out(ResultWrite)
    wb_flags: Out(QuadFlags)
    wb_flag_mask: Out(LANES)

    def elaborate(self, platform):
        m = Module()
        results = Signal(QuadResults, name="wb_results")
        m.submodules.waiting = waiting = LutRam(Shape.cast(QuadResults).width, QUADS)
        m.d.comb += [
            waiting.write_address.eq(self.a2.quad),
            waiting.write_data.eq(self.a2_results),
            waiting.write_enable.eq(self.a2.live),
            waiting.read_address.eq(self.rr.quad),
            results.as_value().eq(waiting.read_data),
        ]
        with m.If(self.a2.live & (self.a2.quad == 0)):
            m.d.sync += self.wb.eq(self.a2.issued)

        control = self.wb.control
        packed, pack_bytes = self._pack(m, results)
        mul_data = Signal(LaneWords, name="wb_mul_data")
        m.d.comb += mul_data.eq(coloured(control, results.mul, results.colour))
        for write, address, file, mask, value, enables in (
            (self.wb_add, control.waddr_add, control.ws, results.add_mask, results.add, Const(0b1111, 4)),
            (self.wb_mul, control.waddr_mul, ~control.ws, results.mul_mask, mul_data, colour_bytes(control)),
        ):
            packs = ~file & (address < FILE_REGISTERS) & ~control.pm
            m.d.comb += [
                write.address.eq(address),
                write.file.eq(file),
                write.mask.eq(mask & self.rr.live.replicate(LANES)),
                write.data.eq(Mux(packs, packed, value)),
                write.bytes.eq(Mux(packs, pack_bytes, enables)),
            ]
        m.d.comb += [
            Value.cast(self.wb_a).eq(Mux(control.ws, self.wb_mul, self.wb_add)),
            Value.cast(self.wb_b).eq(Mux(control.ws, self.wb_add, self.wb_mul)),
        ]
        self._flags(m, results)
        return m

    def _pack(self, m, results):
        """The result that file A gets, packed, and the bytes that it writes."""
        control = self.wb.control
        packed = Signal(LaneWords, name="wb_packed")
        enables = Signal(4, name="wb_pack_bytes")
        for lane in range(LANES):
            m.submodules[f"pack_{lane}"] = pack = Pack()
            m.d.comb += [
                pack.value.eq(Mux(control.ws, results.mul[lane], results.add[lane])),
                Value.cast(pack.mode).eq(control.pack),
                pack.is_float.eq(Mux(control.ws, control.mul_float, control.add_float)),
                pack.carry.eq(results.add_carry[lane]),
                pack.overflow.eq(results.add_overflow[lane] & ~control.ws),
                packed[lane].eq(pack.data),
            ]
        m.d.comb += enables.eq(pack.bytes)
        return packed, enables

    def _flags(self, m, results):
        """Flags come from the add ALU, or from the mul ALU if the add ALU computes nothing."""
        control = self.wb.control
        from_mul = Cat(control.op_add == op for op, count in ops.ADD_OPERANDS.items() if count == 0).any()
        mask = Mux(from_mul, results.mul_mask, results.add_mask)
        m.d.comb += self.wb_flag_mask.eq(mask & (control.sf & self.rr.live).replicate(LANES))
        for lane in range(LANES):
            value = Signal(32, name=f"wb_flag_value_{lane}")
            n, z = value[31], ~value.any()
            add_carry = results.add_carry[lane] | (results.add_carry_if_positive[lane] & ~n & ~z)
            m.d.comb += [
                value.eq(Mux(from_mul, results.mul[lane], results.add[lane])),
                self.wb_flags.n[lane].eq(n),
                self.wb_flags.z[lane].eq(z),
                self.wb_flags.c[lane].eq(Mux(from_mul, results.mul_carry[lane], add_carry)),
            ]
