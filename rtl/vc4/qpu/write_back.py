"""Stage WB: packs, register files and flags."""

from itertools import pairwise

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.pack import Pack
from vc4.isa import ops
from vc4.isa.registers import FILE_REGISTERS, QUADS

from .accumulators import ResultWrite
from .flags import QuadFlags
from .pipeline import Issued, StageState
from .results import QuadResults, adds_nothing, colour_bytes
from .structs import LANES, LaneWords

__all__ = ["WriteBack"]


class WriteBack(wiring.Component):
    """Writes an instruction back while the next one reads its operands in RR (guide, figure 2; QPU facts, 3.3).

    The results of A2 wait until the next instruction, or an empty slot, goes through RR. So a register is always written after
    the next instruction has read it and before the one after, however long either waits. Four quads go round in a ring, one
    place a clock: a quad that has been in A2 is in front when the same quad of the next instruction may be in RR, and every
    four clocks from then on. The ring stands still when it has come round and nothing comes.

    Interface attributes
    --------------------
    a2, a2_results : what arrives from A2
    io_live : there was something a clock ago
    rr : what drives it
    taken : the last branch is taken
    wb : the instruction that is written back
    wb_a, wb_b : its writes to the register files
    wb_add, wb_mul : its results as they are written, wherever they go
    wb_flags, wb_flag_mask : its flags, and the lanes in which it sets them
    """

    a2: In(StageState)
    a2_results: In(QuadResults)
    io_live: In(1)
    rr: In(StageState)
    taken: In(1)
    wb: Out(Issued)
    wb_a: Out(ResultWrite)
    wb_b: Out(ResultWrite)
    wb_add: Out(ResultWrite)
    wb_mul: Out(ResultWrite)
    wb_flags: Out(QuadFlags)
    wb_flag_mask: Out(LANES)

    def elaborate(self, platform):
        m = Module()
        ring = [Signal(QuadResults, name=f"waiting_{place}", reset_less=True) for place in range(QUADS)]
        results = ring[0]
        with m.If(self.a2.live | self.io_live | self.rr.live):
            m.d.sync += [after.eq(before) for before, after in pairwise(ring)]
            m.d.sync += results.as_value().eq(Mux(self.a2.live, self.a2_results.as_value(), ring[-1].as_value()))
        from_mul = Signal(name="wb_flags_from_mul")
        with m.If(self.a2.live & (self.a2.quad == 0)):
            m.d.sync += [self.wb.eq(self.a2.issued), from_mul.eq(adds_nothing(self.a2.issued.control))]

        control = self.wb.control
        writes = self.rr.live & (~control.branch | self.taken)
        self._files(m, results, writes)
        mask = Mux(from_mul, results.mul_mask, results.add_mask)
        m.d.comb += [
            self.wb_flags.eq(results.flags),
            self.wb_flag_mask.eq(mask & (control.sf & writes).replicate(LANES)),
        ]
        return m

    def _files(self, m, results, writes):
        """What each file gets, and what each ALU writes, be it to a file or elsewhere: the other view of the same."""
        control = self.wb.control
        add = (results.add_mask, control.waddr_add)
        mul = (results.mul_mask, control.waddr_mul)
        for file, write in enumerate((self.wb_a, self.wb_b)):
            is_mul = control.ws ^ file
            mask, address = (Mux(is_mul, of_mul, of_add) for of_add, of_mul in zip(add, mul, strict=True))
            value = results.files[file]
            enables = Mux(is_mul, colour_bytes(control), 0b1111)
            if file == 0:
                value, pack_bytes = self._pack(m, results, value, address)
                enables = Mux(control.pm, enables, pack_bytes)
            m.d.comb += [
                write.address.eq(address),
                write.file.eq(file),
                write.mask.eq(mask & writes.replicate(LANES)),
                write.bytes.eq(enables),
                write.data.eq(value),
            ]
        m.d.comb += [
            Value.cast(self.wb_add).eq(Mux(control.ws, self.wb_b, self.wb_a)),
            Value.cast(self.wb_mul).eq(Mux(control.ws, self.wb_a, self.wb_b)),
        ]

    def _pack(self, m, results, value, address):
        """`value` packed for a register of file A, and the bytes that are written; anything else passes unchanged."""
        control = self.wb.control
        passes = control.pm | (address >= FILE_REGISTERS)
        packed = Signal(LaneWords, name="wb_packed")
        for lane in range(LANES):
            m.submodules[f"pack_{lane}"] = pack = Pack()
            m.d.comb += [
                pack.value.eq(value[lane]),
                Value.cast(pack.mode).eq(Mux(passes, ops.Pack.NONE.value, control.pack)),
                pack.is_float.eq(Mux(control.ws, control.mul_float, control.add_float)),
                pack.carry.eq(results.add_carry[lane]),
                pack.overflow.eq(results.add_overflow[lane] & ~control.ws),
                packed[lane].eq(pack.data),
            ]
        return packed, pack.bytes
