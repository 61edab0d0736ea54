"""Stage SP: which instruction comes next, and when it may enter the pipeline."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS
from vc4.isa.word import WORD_BITS, WORD_BYTES

from .structs import FetchedWord, ProgramStart, Redirect

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Holds the instruction in SP, follows the program counter through delay slots, starts and ends programs.

    The instruction in SP enters the pipeline in the last clock of a slot of four unless `stalled`. After the last one an
    empty slot is issued, whose passage writes back the result of the instruction before. Fetched words whose address is
    not the one that comes next are dropped, one a clock.

    Interface attributes
    --------------------
    start : programs; taken when the QPU is idle
    instructions : fetched words, each with its address
    redirect, redirect_stb : where the instruction stream goes on
    slot_end : last clock of a slot
    stalled, link_pending : the instruction in SP must wait; an empty slot must wait
    sp_branch, sp_ends : what the instruction in SP is
    resolved_stb, taken, target : a branch has been decided; the last two hold until the next one
    sp_valid, sp_word, sp_pc, sp_error : the instruction in SP
    branch_close : a branch in SP would follow another one too closely
    issue : a slot enters RA with the next clock: the instruction in SP, or an empty one if `sp_valid` is low
    running : a program has started and not yet left SP
    """

    start: In(stream.Signature(ProgramStart))
    instructions: In(stream.Signature(FetchedWord))
    redirect: Out(Redirect)
    redirect_stb: Out(1)
    slot_end: In(1)
    stalled: In(1)
    link_pending: In(1)
    sp_branch: In(1)
    sp_ends: In(1)
    resolved_stb: In(1)
    taken: In(1)
    target: In(32)
    sp_valid: Out(1)
    sp_word: Out(WORD_BITS)
    sp_pc: Out(32)
    sp_error: Out(1)
    branch_close: Out(1)
    issue: Out(1)
    running: Out(1)

    def elaborate(self, platform):
        m = Module()
        head = self.instructions.payload
        next_pc = Signal(32)
        issue_instruction = Signal()
        load = Signal()
        ending = Signal()
        slots_left = Signal(range(END_SLOTS + 1))
        last_loaded = ending & (slots_left == 0)

        m.d.comb += [
            self.start.ready.eq(~self.running),
            issue_instruction.eq(self.slot_end & self.sp_valid & ~self.stalled),
            load.eq(
                self.running
                & ~last_loaded
                & (~self.sp_valid | issue_instruction)
                & self.instructions.valid
                & (head.pc == next_pc)
            ),
            self.instructions.ready.eq(load | (head.pc != next_pc)),
            self.issue.eq(
                issue_instruction | (self.slot_end & self.running & last_loaded & ~self.sp_valid & ~self.link_pending)
            ),
        ]
        with m.If(load):
            m.d.sync += [
                self.sp_word.eq(head.word),
                self.sp_pc.eq(head.pc),
                self.sp_error.eq(head.error),
                self.sp_valid.eq(1),
            ]
        with m.Elif(issue_instruction):
            m.d.sync += self.sp_valid.eq(0)

        with m.If(issue_instruction & self.sp_ends & ~ending):
            m.d.sync += [ending.eq(1), slots_left.eq(END_SLOTS - load)]
        with m.Elif(load & ending):
            m.d.sync += slots_left.eq(slots_left - 1)
        with m.If(self.issue & ~self.sp_valid):
            m.d.sync += self.running.eq(0)

        self._branches(m, issue_instruction, load, next_pc)
        with m.If(self.start.valid & self.start.ready):
            m.d.sync += [
                self.running.eq(1),
                ending.eq(0),
                next_pc.eq(self.start.payload.pc & ~(WORD_BYTES - 1)),
            ]
        return m

    def _branches(self, m, issue_instruction, load, next_pc):
        """The program counter, and the redirection of the instruction stream by branches and starts."""
        slots_left = Signal(range(DELAY_SLOTS + 1), name="delay_slots_left")
        recent = Signal(BRANCH_DISTANCE - 1, name="recent_branches")
        boundary = Signal(32, name="branch_boundary")
        undecided = Signal()  # a branch of this program is on its way; one of the program before moves nothing
        branches = issue_instruction & self.sp_branch & ~self.branch_close

        m.d.comb += self.branch_close.eq(recent.any())
        with m.If(load):
            m.d.sync += next_pc.eq(Mux((slots_left == 1) & self.taken, self.target, next_pc + WORD_BYTES))
        with m.If(branches):
            m.d.sync += [slots_left.eq(DELAY_SLOTS - load), boundary.eq(next_pc + DELAY_SLOTS * WORD_BYTES)]
        with m.Elif(load & (slots_left != 0)):
            m.d.sync += slots_left.eq(slots_left - 1)
        with m.If(issue_instruction):
            m.d.sync += recent.eq(Cat(self.sp_branch, recent))

        starting = self.start.valid & self.start.ready
        m.d.comb += [
            self.redirect_stb.eq(starting | (undecided & self.resolved_stb & self.taken)),
            self.redirect.restart.eq(starting),
            self.redirect.boundary.eq(boundary),
            self.redirect.target.eq(Mux(starting, self.start.payload.pc & ~(WORD_BYTES - 1), self.target)),
        ]
        with m.If(branches):
            m.d.sync += undecided.eq(1)
        with m.Elif(self.resolved_stb | starting):
            m.d.sync += undecided.eq(0)
        with m.If(starting):
            m.d.sync += [slots_left.eq(0), recent.eq(0)]
