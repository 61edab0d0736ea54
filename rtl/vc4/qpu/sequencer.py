"""Stage SP: which instruction comes next, and when it may enter the pipeline."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, SWITCH_SLOTS
from vc4.isa.word import ALIGNED_BITS, WORD_BITS

from .structs import FetchedWord, Redirect, ThreadView

__all__ = ["Sequencer"]


def _behind(pc, count):
    """The address `count` instructions after `pc`."""
    return Cat(C(0, ALIGNED_BITS), (pc[ALIGNED_BITS:] + count)[: len(pc) - ALIGNED_BITS])


class Sequencer(wiring.Component):
    """Holds the instruction in SP, follows the program counter through delay slots, switches threads and ends programs.

    The instruction in SP enters the pipeline in the last clock of a slot of four unless `stalled`. The next word comes into SP at
    the earliest a clock later, so that what it does to threads and addresses does not depend on reasons to stall. After the last
    one an empty slot is issued, whose passage writes back the result of the instruction before. Fetched words whose address is not
    the one that comes next are dropped, one a clock.

    A branch, a switch or an end in the delay slots of a switch, and a switch in those of an end, does nothing.

    Interface attributes
    --------------------
    enters, offers, pc : a thread begins; the answer to `asks`; where that one goes on
    current : how the next instruction sees the register files
    instructions : fetched words, each with its address
    redirect, redirect_stb : where the instruction stream goes on
    slot_end : last clock of a slot
    stalled, link_pending : the instruction in SP must wait; an empty slot must wait
    halted : the QPU is halted; a program that is ending ends at once
    sp_branch, sp_ends, sp_switches : what the instruction in SP is
    resolved_stb, taken, target : a branch has been decided; the last two hold until the next one
    sp_valid, sp_word, sp_pc, sp_error, sp_view : the instruction in SP
    loads : the fetched word is the next instruction in SP
    sp_leaves : it is the last one before its thread is suspended
    branch_close : a branch in SP would follow another one, or a switch, too closely
    issue : a slot enters RA with the next clock: the instruction in SP, or an empty one if `sp_valid` is low
    issue_instruction : the first of these
    running : a thread has begun and not yet left SP
    asks : a switch is under way, and the words in front of it are known
    leaves, resume_pc : the thread is suspended, and where it goes on
    """

    enters: In(1)
    offers: In(1)
    pc: In(32)
    current: In(ThreadView)
    instructions: In(stream.Signature(FetchedWord))
    redirect: Out(Redirect)
    redirect_stb: Out(1)
    slot_end: In(1)
    stalled: In(1)
    link_pending: In(1)
    halted: In(1)
    sp_branch: In(1)
    sp_ends: In(1)
    sp_switches: In(1)
    resolved_stb: In(1)
    taken: In(1)
    target: In(32)
    loads: Out(1)
    sp_valid: Out(1)
    sp_word: Out(WORD_BITS)
    sp_pc: Out(32)
    sp_error: Out(1)
    sp_view: Out(ThreadView)
    sp_leaves: Out(1)
    branch_close: Out(1)
    issue: Out(1)
    issue_instruction: Out(1)
    running: Out(1)
    asks: Out(1)
    leaves: Out(1)
    resume_pc: Out(32)

    def elaborate(self, platform):
        m = Module()
        head = self.instructions.payload
        self._next_pc = Signal(32, name="next_pc")
        self._following = Signal(32, name="following_pc")  # the one after that, unless the thread changes
        self._ending = Signal(name="ending")
        self._switching = Signal(range(SWITCH_SLOTS + 1), name="switch_slots_left")  # to be issued
        self._branch_slots = Signal(range(DELAY_SLOTS + 1), name="branch_slots_left")  # to be loaded
        self._switch_loaded = Signal(name="switch_slots_loaded")
        next_pc, load = self._next_pc, self.loads
        last_loaded = self._end(m)
        expected = Signal(name="head_is_next")
        m.d.comb += expected.eq(head.pc[ALIGNED_BITS:] == next_pc[ALIGNED_BITS:])
        m.d.comb += [
            self.issue_instruction.eq(self.slot_end & self.sp_valid & ~self.stalled),
            load.eq(self.running & ~last_loaded & ~self.sp_valid & self.instructions.valid & expected),
            self.instructions.ready.eq(load | ~expected),
            self.issue.eq(
                self.issue_instruction
                | (self.slot_end & self.running & last_loaded & ~self.sp_valid & ~self.link_pending)
            ),
            self._following.eq(Mux((self._branch_slots == 1) & self.taken, self.target, _behind(next_pc, 1))),
        ]
        with m.If(load):
            m.d.sync += [
                self.sp_word.eq(head.word),
                self.sp_pc.eq(head.pc),
                self.sp_error.eq(head.error),
                self.sp_view.eq(self.current),
                self.sp_valid.eq(1),
            ]
        with m.Elif(self.issue_instruction | (last_loaded & self.halted)):
            m.d.sync += self.sp_valid.eq(0)

        self._branches(m)
        leaves_now, leaves_with_load = self._switches(m)
        # What comes next is chosen without knowing whether SP takes a word, which is known late.
        with m.If(load | self.enters | leaves_now):
            m.d.sync += next_pc[ALIGNED_BITS:].eq(
                Mux(self.enters | leaves_now | leaves_with_load, self.pc, self._following)[ALIGNED_BITS:]
            )
        return m

    def _end(self, m):
        """The end of a program: its delay slots, and the empty slot after them. Returns whether all have been loaded."""
        ending = self._ending
        slots_left = Signal(range(END_SLOTS + 1), name="end_slots_left")
        with m.If(self.issue_instruction & self.sp_ends & ~ending & (self._switching == 0)):
            m.d.sync += [ending.eq(1), slots_left.eq(END_SLOTS)]
        with m.Elif(ending & self.halted):
            m.d.sync += slots_left.eq(0)  # However short the halt is, nothing that is left comes back.
        with m.Elif(self.loads & ending):
            m.d.sync += slots_left.eq(slots_left - 1)
        with m.If(self.enters):
            m.d.sync += [self.running.eq(1), ending.eq(0)]
        with m.Elif(self.issue & ~self.sp_valid):
            m.d.sync += self.running.eq(0)
        return ending & ((slots_left == 0) | self.halted)

    def _branches(self, m):
        """Branches, and the redirection of the instruction stream by them, by switches and by threads that enter."""
        slots_left = self._branch_slots
        recent = Signal(BRANCH_DISTANCE - 1, name="recent_branches")
        undecided = Signal()  # a branch of this thread is on its way; one of the program before moves nothing
        branches = self.issue_instruction & self.sp_branch & ~self.branch_close
        m.d.comb += self.branch_close.eq(recent.any() | (self._switching != 0))
        with m.If(branches):
            m.d.sync += slots_left.eq(DELAY_SLOTS)
        with m.Elif(self.loads & (slots_left != 0)):
            m.d.sync += slots_left.eq(slots_left - 1)
        with m.If(self.issue_instruction):
            m.d.sync += recent.eq(Cat(self.sp_branch, recent))

        with m.If(undecided & self.resolved_stb):
            m.d.comb += [
                self.redirect_stb.eq(self.taken),
                self.redirect.target.eq(self.target),
            ]
        with m.If(self.enters | (self.asks & self.offers)):
            m.d.comb += [
                self.redirect_stb.eq(1),
                self.redirect.restart.eq(self.enters | self._switch_loaded),
                self.redirect.target.eq(self.pc),
            ]
        with m.If(branches):
            m.d.sync += undecided.eq(1)
        with m.Elif(self.resolved_stb | self.enters):
            m.d.sync += undecided.eq(0)
        with m.If(self.enters):
            m.d.sync += [slots_left.eq(0), recent.eq(0)]

    def _switches(self, m):
        """Thread switches: as branches that are always taken, with two delay slots, once no branch is in front of them.

        Returns whether the thread is suspended, and whether it would be with a word that SP takes.
        """
        slots_left = Signal(range(SWITCH_SLOTS + 1), name="switch_slots_to_load")
        wanted = Signal(name="switch_wanted")
        going = Signal(name="switch_going")
        last_in_sp = Signal()
        leaves_now = Signal()
        leaves_with_load = Signal()
        switches = self.issue_instruction & self.sp_switches & ~self._ending & (self._switching == 0)
        none_left = self._switch_loaded
        goes = going | (self.asks & self.offers)
        m.d.comb += [
            none_left.eq(slots_left == 0),
            self.asks.eq(wanted & (self._branch_slots == 0)),
            # A switch goes only once no branch is in front of it.
            self.redirect.boundary.eq(
                _behind(self._next_pc, Mux(self._branch_slots != 0, self._branch_slots, slots_left))
            ),
            leaves_now.eq(goes & none_left),
            leaves_with_load.eq(goes & (slots_left == 1)),
            self.leaves.eq(leaves_now | (leaves_with_load & self.loads)),
            self.resume_pc.eq(Mux(none_left, self._next_pc, self._following)),
            self.sp_leaves.eq(last_in_sp | leaves_now),
        ]
        with m.If(switches):
            m.d.sync += [wanted.eq(1), slots_left.eq(SWITCH_SLOTS), self._switching.eq(SWITCH_SLOTS)]
        with m.Else():
            with m.If(self.asks):
                m.d.sync += wanted.eq(0)
            with m.If(self.loads & ~none_left):
                m.d.sync += slots_left.eq(slots_left - 1)
            with m.If(self.issue_instruction & (self._switching != 0)):
                m.d.sync += self._switching.eq(self._switching - 1)
        m.d.sync += going.eq(goes & ~self.leaves)
        with m.If(self.leaves & ~self.issue_instruction):
            m.d.sync += last_in_sp.eq(1)
        with m.Elif(self.issue_instruction):
            m.d.sync += last_in_sp.eq(0)
        return leaves_now, leaves_with_load
