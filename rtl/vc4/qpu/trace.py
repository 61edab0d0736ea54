"""The trace port: every retired instruction with its effects. For simulation; the configuration leaves it out of hardware."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import Condition
from vc4.isa.registers import ELEMENTS, ELEMENTWISE_WRITES, QUADS, write_address
from vc4.isa.word import WORD_BITS

from .accumulators import ResultWrite
from .flags import QuadFlags
from .pipeline import Issued, StageState
from .stall import STALL_REASONS, Stall
from .structs import LANES

__all__ = ["Retired", "Trace", "TracePort", "TracedWrite"]

_ELEMENTWISE = sorted(ELEMENTWISE_WRITES)
_LAST_ACCUMULATOR = write_address("r3")


class TracedWrite(data.Struct):
    """Where the result of one ALU goes."""

    address: unsigned(6)
    file: unsigned(1)
    mask: unsigned(ELEMENTS)  # elements that are written
    bytes: unsigned(4)  # bytes that are written


class Retired(data.Struct):
    """An instruction and everything that it did; whole words first, for those who read them one by one."""

    pc: unsigned(32)
    word: unsigned(WORD_BITS)
    uniform: unsigned(32)
    add_data: data.ArrayLayout(unsigned(32), ELEMENTS)
    mul_data: data.ArrayLayout(unsigned(32), ELEMENTS)
    add: TracedWrite
    reads_uniform: unsigned(1)
    reads_store_busy: unsigned(1)
    store_busy: unsigned(1)
    sets_flags: unsigned(1)
    thread: unsigned(1)
    mul: TracedWrite
    _: unsigned(5)
    n: unsigned(ELEMENTS)  # flags that it computed; they are set where `flag_mask` is
    z: unsigned(ELEMENTS)
    c: unsigned(ELEMENTS)
    flag_mask: unsigned(ELEMENTS)


class TracePort(wiring.Signature):
    """What a QPU tells to those who watch.

    Interface attributes
    --------------------
    retired, retired_stb : an instruction that is done, for one clock
    running, sp_valid, sp_pc, stall : the instruction in SP, and why it waits
    cycles, instructions, stalls : clocks in which a program ran, instructions issued, clocks lost for each of
        `STALL_REASONS`
    """

    def __init__(self):
        super().__init__(
            {
                "retired": Out(Retired),
                "retired_stb": Out(1),
                "running": Out(1),
                "sp_valid": Out(1),
                "sp_pc": Out(32),
                "stall": Out(Stall),
                "cycles": Out(32),
                "instructions": Out(32),
                "stalls": Out(data.ArrayLayout(unsigned(32), len(STALL_REASONS))),
            }
        )


class Trace(wiring.Component):
    """Gathers what write-back does to the four quads of an instruction, and counts.

    Interface attributes
    --------------------
    rr, wb, wb_add, wb_mul, wb_flags, wb_flag_mask : write-back
    slot_end, issues, running, sp_valid, sp_pc, stall : SP
    port : what it tells
    """

    rr: In(StageState)
    wb: In(Issued)
    wb_add: In(ResultWrite)
    wb_mul: In(ResultWrite)
    wb_flags: In(QuadFlags)
    wb_flag_mask: In(LANES)
    slot_end: In(1)
    issues: In(1)
    running: In(1)
    sp_valid: In(1)
    sp_pc: In(32)
    stall: In(Stall)
    port: Out(TracePort())

    def elaborate(self, platform):
        m = Module()
        retired = self.port.retired
        quad = self.rr.quad
        control = self.wb.control
        m.d.comb += [
            getattr(self.port, name).eq(getattr(self, name)) for name in ("running", "sp_valid", "sp_pc", "stall")
        ]
        m.d.sync += self.port.retired_stb.eq(self.rr.live & (quad == QUADS - 1) & self.wb.retires)
        with m.If(self.rr.live):
            m.d.sync += [
                getattr(retired, name).eq(getattr(self.wb, name)) for name in ("pc", "word", "uniform", "store_busy")
            ]
            for traced, values, write, condition in (
                (retired.add, retired.add_data, self.wb_add, control.cond_add),
                (retired.mul, retired.mul_data, self.wb_mul, control.cond_mul),
            ):
                elementwise = Cat(write.address == address for address in _ELEMENTWISE).any()
                whole = (condition != Condition.NEVER) & (~control.branch | write.mask.any())
                m.d.sync += [
                    traced.address.eq(write.address),
                    traced.file.eq(write.file),
                    traced.mask.word_select(quad, LANES).eq(Mux(elementwise, write.mask, whole.replicate(LANES))),
                    traced.bytes.eq(Mux(write.address <= _LAST_ACCUMULATOR, write.bytes, 0b1111)),
                    values.as_value().word_select(quad, 32 * LANES).eq(write.data),
                ]
            m.d.sync += [
                *(
                    getattr(retired, name).word_select(quad, LANES).eq(getattr(self.wb_flags, name))
                    for name in ("n", "z", "c")
                ),
                retired.flag_mask.word_select(quad, LANES).eq(self.wb_flag_mask),
                retired.thread.eq(self.wb.view.thread),
                retired.reads_uniform.eq(control.reads_uniform),
                retired.reads_store_busy.eq(control.reads_store_busy),
                retired.sets_flags.eq(control.sf & (~control.branch | self.wb_flag_mask.any())),
            ]
        self._count(m)
        return m

    def _count(self, m):
        port = self.port
        m.d.sync += [
            port.cycles.eq(port.cycles + self.running),
            port.instructions.eq(port.instructions + self.issues),
        ]
        with m.If(self.slot_end & self.running):
            waiting = Const(1)
            for index, bit in enumerate(self.stall.as_value()):
                with m.If(waiting & bit):
                    m.d.sync += port.stalls[index].eq(port.stalls[index] + QUADS)
                waiting = waiting & ~bit
