"""The trace port: every instruction as it is issued and as it is written back.

For simulation; the configuration leaves it out of hardware.
"""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import Condition
from vc4.isa.registers import ELEMENTWISE_WRITES, QUADS, write_address
from vc4.isa.word import WORD_BITS
from vc4.slice.sfu_port import SfuResult

from .accumulators import ResultWrite
from .flags import QuadFlags
from .pipeline import Issued, StageState
from .stall import Stall
from .structs import LANES, LaneWords, ProgramStart

__all__ = ["R4_SOURCES", "Trace", "TracePort", "TracedIssue", "TracedQuad", "TracedWrite", "attach_trace"]

_ELEMENTWISE = sorted(ELEMENTWISE_WRITES)
_LAST_ACCUMULATOR = write_address("r3")
#: Where what is read as r4 comes from: the special function unit, and the texture units.
R4_SOURCES = ("result", "loaded")


class TracedIssue(data.Struct):
    """An instruction that enters RA."""

    pc: unsigned(32)
    word: unsigned(WORD_BITS)
    uniform: unsigned(32)
    reads_uniform: unsigned(1)
    reads_store_busy: unsigned(1)
    store_busy: unsigned(1)
    reads_load_busy: unsigned(1)
    load_busy: unsigned(1)
    thread: unsigned(1)
    brings_result: unsigned(1)  # what comes after it sees another result in r4, which may still be on its way
    brings_loaded: unsigned(1)  # or the word that it loads


class TracedWrite(data.Struct):
    """Where the result of one ALU goes."""

    address: unsigned(6)
    file: unsigned(1)
    mask: unsigned(LANES)  # lanes that are written
    bytes: unsigned(4)  # bytes that are written


class TracedQuad(data.Struct):
    """What write-back does for one quad of an instruction."""

    add_data: LaneWords
    mul_data: LaneWords
    add: TracedWrite
    mul: TracedWrite
    quad: range(QUADS)
    sets_flags: unsigned(1)
    n: unsigned(LANES)  # flags that it computed; they are set where `flag_mask` is
    z: unsigned(LANES)
    c: unsigned(LANES)
    flag_mask: unsigned(LANES)


class TracePort(wiring.Signature):
    """What a QPU tells to those who watch. An instruction is written back after the one before, quad after quad.

    Interface attributes
    --------------------
    start, start_stb : a program begins
    issue, issue_stb : an instruction enters RA
    written, written_stb : a quad is written back
    result, result_stb, loaded, loaded_stb : a quad for r4, of a result and of a loaded word, in the order of the instructions
    slot_end : last clock of a slot
    running, sp_valid, sp_pc, stall : the instruction in SP, and why it waits
    """

    def __init__(self):
        super().__init__(
            {
                "start": Out(ProgramStart),
                "start_stb": Out(1),
                "issue": Out(TracedIssue),
                "issue_stb": Out(1),
                "written": Out(TracedQuad),
                "written_stb": Out(1),
                **{name: Out(SfuResult) for name in R4_SOURCES},
                **{f"{name}_stb": Out(1) for name in R4_SOURCES},
                "slot_end": Out(1),
                "running": Out(1),
                "sp_valid": Out(1),
                "sp_pc": Out(32),
                "stall": Out(Stall),
            }
        )


class Trace(wiring.Component):
    """Combinational: what the trace port says of issue and write-back.

    Interface attributes
    --------------------
    issued, issues : an instruction on its way into RA
    rr, wb, wb_add, wb_mul, wb_flags, wb_flag_mask : write-back
    result_due : see `R4`
    port : what it tells, but for what SP tells itself
    """

    issued: In(Issued)
    issues: In(1)
    rr: In(StageState)
    wb: In(Issued)
    wb_add: In(ResultWrite)
    wb_mul: In(ResultWrite)
    wb_flags: In(QuadFlags)
    wb_flag_mask: In(LANES)
    result_due: In(1)
    issue: Out(TracedIssue)
    issue_stb: Out(1)
    written: Out(TracedQuad)
    written_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        control, issued = self.wb.control, self.issued
        m.d.comb += [
            self.issue_stb.eq(self.issues),
            *(
                getattr(self.issue, name).eq(getattr(issued, name))
                for name in ("pc", "word", "uniform", "store_busy", "load_busy")
            ),
            self.issue.reads_uniform.eq(issued.control.reads_uniform),
            self.issue.reads_store_busy.eq(issued.control.reads_store_busy),
            self.issue.reads_load_busy.eq(issued.control.reads_load_busy),
            self.issue.thread.eq(issued.view.thread),
            self.issue.brings_result.eq(self.result_due),
            self.issue.brings_loaded.eq(issued.control.loads_tmu | issued.control.loads_tile),
            self.written_stb.eq(self.rr.live & self.wb.retires),
            self.written.add_data.eq(self.wb_add.data),
            self.written.mul_data.eq(self.wb_mul.data),
            self.written.quad.eq(self.rr.quad),
            self.written.sets_flags.eq(control.sf & (~control.branch | self.wb_flag_mask.any())),
            *(getattr(self.written, name).eq(getattr(self.wb_flags, name)) for name in ("n", "z", "c")),
            self.written.flag_mask.eq(self.wb_flag_mask),
        ]
        for traced, write, condition in (
            (self.written.add, self.wb_add, control.cond_add),
            (self.written.mul, self.wb_mul, control.cond_mul),
        ):
            elementwise = Cat(write.address == address for address in _ELEMENTWISE).any()
            whole = (condition != Condition.NEVER) & (~control.branch | write.mask.any())
            m.d.comb += [
                traced.address.eq(write.address),
                traced.file.eq(write.file),
                traced.mask.eq(Mux(elementwise, write.mask, whole.replicate(LANES))),
                traced.bytes.eq(Mux(write.address <= _LAST_ACCUMULATOR, write.bytes, 0b1111)),
            ]
        return m


def attach_trace(m, qpu):
    """The trace port of a QPU."""
    m.submodules.tracer = trace = Trace()
    front, write_back, port = qpu.front, qpu.write_back, qpu.trace
    m.d.comb += [
        trace.issued.eq(front.issued),
        trace.issues.eq(front.issues),
        trace.rr.eq(qpu.pipeline.rr),
        trace.result_due.eq(qpu.r4.due),
        *(
            getattr(trace, name).eq(getattr(write_back, name))
            for name in ("wb", "wb_add", "wb_mul", "wb_flags", "wb_flag_mask")
        ),
        *(getattr(port, name).eq(getattr(trace, name)) for name in ("issue", "issue_stb", "written", "written_stb")),
        port.start.eq(qpu.start.payload),
        port.start_stb.eq(qpu.start.valid & qpu.start.ready),
        *(port.result.eq(qpu.r4.result), port.result_stb.eq(qpu.r4.result_stb)),
        *(port.loaded.quad.eq(qpu.r4.loaded_quad), port.loaded.data.eq(qpu.r4.loaded)),
        port.loaded_stb.eq(qpu.r4.loaded_stb),
        port.slot_end.eq(qpu.pipeline.slot_end),
        *(getattr(port, name).eq(getattr(front, name)) for name in ("running", "sp_valid", "sp_pc", "stall")),
    ]
