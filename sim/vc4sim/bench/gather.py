"""The record of a retired instruction, what arrives in r4, and how it is gathered from the trace port in a simulation without native code."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.isa.registers import ELEMENTS, QUADS
from vc4.isa.word import WORD_BITS
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import LANES
from vc4.qpu.trace import R4_SOURCES, TracedIssue, TracePort

__all__ = ["Gather", "Retired", "RetiredWrite", "Vector"]

#: Instructions between issue and the end of write-back, at most.
_IN_FLIGHT = 8
#: All elements of a register.
Vector = data.ArrayLayout(unsigned(32), ELEMENTS)


class RetiredWrite(data.Struct):
    """Where the result of one ALU went."""

    address: unsigned(6)
    file: unsigned(1)
    mask: unsigned(ELEMENTS)  # elements that were written
    bytes: unsigned(4)  # bytes that were written


class Retired(data.Struct):
    """An instruction and everything that it did; whole words first, for those who read them one by one."""

    pc: unsigned(32)
    word: unsigned(WORD_BITS)
    uniform: unsigned(32)
    add_data: Vector
    mul_data: Vector
    add: RetiredWrite
    reads_uniform: unsigned(1)
    reads_store_busy: unsigned(1)
    store_busy: unsigned(1)
    reads_load_busy: unsigned(1)
    load_busy: unsigned(1)
    mul: RetiredWrite
    thread: unsigned(1)
    sets_flags: unsigned(1)
    brings_result: unsigned(1)
    brings_loaded: unsigned(1)
    _: unsigned(1)
    n: unsigned(ELEMENTS)  # flags that it computed; they are set where `flag_mask` is
    z: unsigned(ELEMENTS)
    c: unsigned(ELEMENTS)
    flag_mask: unsigned(ELEMENTS)


class Gather(wiring.Component):
    """Puts the four quads of an instruction together, and counts the clocks that stalls have cost.

    Interface attributes
    --------------------
    trace : the trace port of a QPU
    retired, retired_stb : an instruction that is done, for one clock
    result, result_stb, loaded, loaded_stb : a vector for r4 is complete, for one clock
    stalls : clocks lost for each of `STALL_REASONS`
    """

    trace: In(TracePort())
    retired: Out(Retired)
    retired_stb: Out(1)
    result: Out(Vector)
    result_stb: Out(1)
    loaded: Out(Vector)
    loaded_stb: Out(1)
    stalls: Out(data.ArrayLayout(unsigned(32), len(STALL_REASONS)))

    def elaborate(self, platform):
        m = Module()
        m.submodules.issued = issued = Queue(TracedIssue, _IN_FLIGHT)
        trace, written, retired = self.trace, self.trace.written, self.retired
        last = trace.written_stb & (written.quad == QUADS - 1)
        m.d.comb += [
            issued.i.valid.eq(trace.issue_stb),
            issued.i.payload.eq(trace.issue),
            issued.o.ready.eq(last),
        ]
        m.d.sync += self.retired_stb.eq(last)
        with m.If(trace.written_stb):
            for alu in ("add", "mul"):
                to, quad = getattr(retired, alu), getattr(written, alu)
                values = getattr(retired, f"{alu}_data").as_value()
                m.d.sync += [
                    *(getattr(to, name).eq(getattr(quad, name)) for name in ("address", "file", "bytes")),
                    to.mask.word_select(written.quad, LANES).eq(quad.mask),
                    values.word_select(written.quad, 32 * LANES).eq(getattr(written, f"{alu}_data")),
                ]
            m.d.sync += [
                *(
                    getattr(retired, name).word_select(written.quad, LANES).eq(getattr(written, name))
                    for name in ("n", "z", "c", "flag_mask")
                ),
                retired.sets_flags.eq(written.sets_flags),
                *(
                    getattr(retired, name).eq(getattr(issued.o.payload, name))
                    for name in TracedIssue.as_shape().members
                ),
            ]
        for name in R4_SOURCES:
            quad, stb, vector = getattr(trace, name), getattr(trace, f"{name}_stb"), getattr(self, name)
            m.d.sync += getattr(self, f"{name}_stb").eq(stb & (quad.quad == QUADS - 1))
            with m.If(stb):
                m.d.sync += vector.as_value().word_select(quad.quad, 32 * LANES).eq(quad.data)
        with m.If(trace.slot_end & trace.running):
            waiting = Const(1)
            for index, bit in enumerate(trace.stall.as_value()):
                with m.If(waiting & bit):
                    m.d.sync += self.stalls[index].eq(self.stalls[index] + QUADS)
                waiting = waiting & ~bit
        return m
