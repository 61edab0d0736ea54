"""The arithmetic of the clipper, with its memory and its programs."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select

from .clip_arithmetic import ClipArithmetic, ClipResult
from .clip_sequencer import ClipSequencer
from .clip_steps import CORNER_BITS, WORD_BITS, ClipProgram, ClipStep, SpareCorner
from .corner_memory import CORNER_ADDRESS_BITS, CornerMemory

__all__ = ["ClipEngine", "Corners"]

_FLOAT_BITS = 32


class Corners(data.Struct):
    """The corners that a program is about.

    half : where the polygon is; what is left of it comes into the other one
    corner, next, new : a corner, the one after it, and the next one of those that are left
    outside : of this one and the next one, this one is outside of the plane
    axis, minus_side : of the plane
    """

    half: unsigned(1)
    corner: unsigned(CORNER_BITS)
    next: unsigned(CORNER_BITS)
    new: unsigned(CORNER_BITS)
    outside: unsigned(1)
    axis: range(3)
    minus_side: unsigned(1)


class ClipEngine(wiring.Component):
    """Runs programs (`clip_steps`) on corners in its memory, from outside of which words come and go between them.

    Behaviour: a step a clock. What it writes is there for a step seven clocks later; `done` comes when all is written.

    Interface attributes
    --------------------
    starts, program, corners : strobe: this program begins; none is under way; `corners` stay but for `loops`
    more, loops : there is another corner for a program that loops; strobe: from the next clock on that is this one
    done : no program is under way
    write_address, write_data, write_stb : strobe: a word is written, while no program does that
    reads, read_address, read : strobe: a word is read, while no program is under way; it, two clocks later
    result, result_stb : strobe: a result
    """

    starts: In(1)
    program: In(ClipProgram)
    corners: In(Corners)
    more: In(1)
    loops: Out(1)
    done: Out(1)
    write_address: In(CORNER_ADDRESS_BITS)
    write_data: In(_FLOAT_BITS)
    write_stb: In(1)
    reads: In(1)
    read_address: In(CORNER_ADDRESS_BITS)
    read: Out(_FLOAT_BITS)
    result: Out(ClipResult)
    result_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.clip_sequencer = sequencer = ClipSequencer()
        m.submodules.corner_memory = memory = CornerMemory()
        m.submodules.clip_arithmetic = arithmetic = ClipArithmetic()
        step = sequencer.step
        given = Signal(ClipStep)
        stb = Signal()
        into = Signal(CORNER_ADDRESS_BITS)
        result = Signal(ClipResult)
        m.d.sync += [
            given.eq(step),
            stb.eq(sequencer.stb),
            into.eq(self._address(m, step.into, sequencer.word, "into")),
        ]
        a = self._address(m, step.a, sequencer.word, "a")
        m.d.comb += [
            *(sequencer.starts.eq(self.starts), sequencer.program.eq(self.program), sequencer.more.eq(self.more)),
            sequencer.idle.eq(~stb & arithmetic.idle),
            *(self.loops.eq(sequencer.loops), self.done.eq(~sequencer.runs & sequencer.idle)),
            memory.reads.eq(sequencer.stb | self.reads),
            memory.a_address.eq(Mux(sequencer.runs, a, self.read_address)),
            memory.b_address.eq(self._address(m, step.b, sequencer.word, "b")),
            *(arithmetic.stb.eq(stb), arithmetic.operation.eq(given.operation), arithmetic.sign.eq(given.sign)),
            *(arithmetic.a.eq(memory.a), arithmetic.b.eq(memory.b), self.read.eq(arithmetic.operand)),
            arithmetic.minus_side.eq(self.corners.minus_side),
            *(arithmetic.tag.writes.eq(given.writes), arithmetic.tag.address.eq(into)),
            *(arithmetic.tag.action.eq(given.action), arithmetic.tag.axis.eq(given.b.word)),
            *(result.eq(arithmetic.o), self.result.eq(result), self.result_stb.eq(arithmetic.o_stb)),
            memory.write_stb.eq(self.write_stb | (arithmetic.o_stb & result.tag.writes)),
            memory.write_address.eq(Mux(self.write_stb, self.write_address, result.tag.address)),
            memory.write_data.eq(Mux(self.write_stb, self.write_data, result.value)),
        ]
        return m

    def _address(self, m, operand, word, name):
        """Of an operand in memory."""
        corners = self.corners
        inner = Mux(corners.outside, corners.next, corners.corner)
        outer = Mux(corners.outside, corners.corner, corners.next)
        base = Signal(1 + CORNER_BITS, name=f"{name}_base")
        number = Signal(WORD_BITS, name=f"{name}_word")
        numbers = [Cat(corner, corners.half) for corner in (corners.corner, corners.next, inner, outer)]
        numbers.append(Cat(corners.new, ~corners.half))
        numbers += [C(spare, 1 + CORNER_BITS) for spare in SpareCorner]
        m.d.comb += [
            base.eq(select(Value.cast(operand.base), numbers)),
            number.eq(Mux(operand.varies, word, Mux(operand.along, corners.axis, operand.word))),
        ]
        return Cat(number, base)
