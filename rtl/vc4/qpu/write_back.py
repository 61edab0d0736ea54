"""Stage WB: packs, register files and flags."""

from itertools import pairwise

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.pack import Pack, PackKeys, pack_keys
from vc4.common.select import select_registered
from vc4.isa import ops
from vc4.isa.registers import FILE_REGISTERS, QUADS

from .accumulators import ResultWrite
from .flags import QuadFlags
from .pipeline import Issued, StageState
from .results import QuadMarks, QuadResults, adds_nothing, colour_bytes
from .structs import A2_FAR, LANES, LaneWords

__all__ = ["WriteBack"]


class _Waiting(data.Struct):
    """A quad in the ring."""

    files: data.ArrayLayout(LaneWords, 2)  # what goes to file A and to file B
    marks: QuadMarks


class WriteBack(wiring.Component):
    """Writes an instruction back while the next one reads its operands in RR (guide, figure 2; QPU facts, 3.3).

    The results of A2 wait until the next instruction, or an empty slot, goes through RR. So a register is always written after
    the next instruction has read it and before the one after, however long either waits. Four quads go round in a ring, one
    place a clock: a quad that has been in A2 is in front when the same quad of the next instruction may be in RR, and every
    four clocks from then on. The ring waits when it has come round and nothing comes.

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
        ring = [Signal(_Waiting, name=f"waiting_{place}", reset_less=True) for place in range(QUADS)]
        results, last = ring[0], ring[-1]
        moves = self.a2.live | self.io_live | self.rr.live
        arrived = Signal(QuadMarks, reset_less=True)
        with m.If(moves):
            m.d.sync += [after.eq(before) for before, after in pairwise(ring)]
            m.d.sync += arrived.eq(Mux(self.a2.live, self.a2_results.marks, last.marks))
        m.d.comb += results.marks.eq(arrived)
        for file, (value, again) in enumerate(zip(results.files, last.files, strict=True)):
            is_mul, live = self.a2.issued.control.ws ^ file, self.a2.live
            sources = [(self.a2_results.add, live & ~is_mul), (self.a2_results.mul, live & is_mul), (again, ~live)]
            m.d.comb += value.eq(select_registered(m, f"file_{'ab'[file]}", sources, when=moves, far=A2_FAR))
        from_mul, keys = Signal(name="wb_flags_from_mul"), Signal(PackKeys, name="wb_pack_keys")
        with m.If(self.a2.live & (self.a2.quad == 0)):
            m.d.sync += [self.wb.eq(self.a2.issued), from_mul.eq(adds_nothing(self.a2.issued.control))]
            m.d.sync += [keys[name].eq(key) for name, key in self._keys(self.a2.issued.control)]

        control = self.wb.control
        writes = self.rr.live & (~control.branch | self.taken)
        self._files(m, results, writes, keys)
        mask = Mux(from_mul, results.marks.mul_mask, results.marks.add_mask)
        m.d.comb += [
            self.wb_flags.eq(results.marks.flags),
            self.wb_flag_mask.eq(mask & (control.sf & writes).replicate(LANES)),
        ]
        return m

    def _files(self, m, results, writes, keys):
        """What each file gets, and what each ALU writes, be it to a file or elsewhere: the other view of the same."""
        control = self.wb.control
        add = (results.marks.add_mask, control.waddr_add)
        mul = (results.marks.mul_mask, control.waddr_mul)
        for file, write in enumerate((self.wb_a, self.wb_b)):
            is_mul = control.ws ^ file
            mask, address = (Mux(is_mul, of_mul, of_add) for of_add, of_mul in zip(add, mul, strict=True))
            value = results.files[file]
            enables = Mux(is_mul, colour_bytes(control), 0b1111)
            if file == 0:
                value = self._pack(m, results, value, keys)
                enables = Mux(control.pm, enables, keys.bytes)
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

    @staticmethod
    def _keys(control):
        """How a result is packed for a register of file A; anything else passes unchanged."""
        address = Mux(control.ws, control.waddr_mul, control.waddr_add)
        passes = control.pm | (address >= FILE_REGISTERS)
        mode = Mux(passes, ops.Pack.NONE.value, control.pack)
        return pack_keys(mode, Mux(control.ws, control.mul_float, control.add_float))

    def _pack(self, m, results, value, keys):
        packed = Signal(LaneWords, name="wb_packed")
        for lane in range(LANES):
            m.submodules[f"pack_{lane}"] = pack = Pack()
            m.d.comb += [
                pack.value.eq(value[lane]),
                pack.keys.eq(keys),
                pack.carry.eq(results.marks.carry[lane]),
                pack.overflow.eq(results.marks.overflow[lane]),
                packed[lane].eq(pack.data),
            ]
        return packed
