"""`Sequencer`: every instruction of a thread is issued once and in order, whatever happens around it."""

from types import SimpleNamespace

from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, connect, flipped

from vc4.isa.registers import QUADS
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, SWITCH_SLOTS
from vc4.isa.word import ALIGNED_BITS, WORD_BYTES
from vc4.qpu import sequencer
from vc4.qpu.structs import FetchedWord

#: Clocks from the end of the slot in which a branch leaves SP to the clock in which its decision is there.
DECISION = 8


class Outcome(data.Struct):
    """How a branch will be decided."""

    taken: 1
    target: 32


class Shadow(data.Struct):
    """Where the programs are between two instructions: the specification."""

    pc: 32  # of the next instruction
    thread: 1
    delay_slots: range(DELAY_SLOTS + 1)  # of the branch on the way, still to come
    since_branch: range(BRANCH_DISTANCE)  # instructions since the last branch, as far as they matter
    switch_slots: range(SWITCH_SLOTS + 1)  # of a switch, still to come
    ending: 1
    end_slots: range(END_SLOTS + 1)  # instructions that may still come after the end


class SequencerProof(wiring.Component):
    """A sequencer between any instruction words, stalls, threads and decisions; it is never halted.

    Bits of a word make it a branch, an end or a switch. How a branch will be decided is known here when it is issued; the
    sequencer is told `DECISION` clocks later.
    """

    enters: In(1)
    offers: In(1)
    pc: In(32)
    entered: In(1)
    instructions: In(stream.Signature(FetchedWord))
    stalled: In(1)
    link_pending: In(1)
    outcome: In(Outcome)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = dut = sequencer.Sequencer()
        connect(m, flipped(self.instructions), dut.instructions)
        phase, slot_end, issued = Signal(range(QUADS)), Signal(), Signal()
        kinds = dut.sp_word[:3]
        addresses = self.pc, self.outcome.target, self.instructions.payload.pc
        m.d.sync += phase.eq(phase + 1)
        m.d.comb += [
            *(slot_end.eq(phase == QUADS - 1), dut.slot_end.eq(slot_end), issued.eq(dut.issue & dut.sp_valid)),
            *(dut.stalled.eq(self.stalled), dut.link_pending.eq(self.link_pending)),
            *(dut.enters.eq(self.enters), dut.offers.eq(self.offers)),
            *(dut.sp_branch.eq(kinds[0]), dut.sp_ends.eq(kinds[1]), dut.sp_switches.eq(kinds[2])),
            Assume(~(self.enters & dut.running)),
            Assume((kinds & (kinds - 1)) == 0),  # a branch has no signal, and others have one
            *(Assume(address[:ALIGNED_BITS] == 0) for address in addresses),
        ]
        state = SimpleNamespace(dut=dut, phase=phase, issued=issued)
        self._follow(m, state)
        self._decide(m, state)
        self._switch(m, state)
        self._hold(m, state)
        self._redirect(m, state)
        self._invariants(m, state)

        shadow = state.shadow
        finished = shadow.ending & (shadow.end_slots == 0)
        far = shadow.since_branch == BRANCH_DISTANCE - 1
        m.d.comb += [
            Assert(~dut.issue | (slot_end & dut.running), "a slot begins within another one, or without a thread"),
            Assert(issued == dut.issue_instruction, "issue_instruction"),
            Assert(~issued | ~self.stalled, "an instruction is issued although it has to wait"),
            Assert(~(dut.sp_valid & slot_end & ~self.stalled) | issued, "an instruction waits without a reason"),
            Assert(~dut.sp_valid | (dut.sp_pc == shadow.pc), "the instruction is not the next one of the thread"),
            Assert(~dut.sp_valid | ~finished, "an instruction comes after the last one"),
            Assert(
                (dut.issue & ~dut.sp_valid) == (slot_end & dut.running & finished & ~self.link_pending),
                "an empty slot comes if and only if the program is over",
            ),
            Assert(~dut.sp_valid | (dut.branch_close == ~(far & (shadow.switch_slots == 0))), "branch_close"),
            Cover(issued & state.jumps, "the last delay slot of a branch that is taken"),
            Cover(issued & shadow.ending, "an instruction after the end"),
            Cover(dut.issue & ~dut.sp_valid, "a program is over"),
        ]
        return m

    def _follow(self, m, state):
        """The specification: what an instruction does to the program counter, to the end and to the threads."""
        dut = state.dut
        state.shadow, state.after = shadow, after = Signal(Shadow), Signal(Shadow, name="after")
        state.outcome, state.other = outcome, other = Signal(Outcome), Signal(32)
        state.jumps, state.leaving, state.branches = Signal(), Signal(), Signal()
        state.own_pc, state.decided_to_go = Signal(32), Signal()
        alone = (shadow.switch_slots == 0) & ~shadow.ending
        m.d.comb += [
            state.jumps.eq((shadow.delay_slots == 1) & outcome.taken),
            state.leaving.eq((shadow.switch_slots == 1) & state.decided_to_go),
            state.branches.eq(
                dut.sp_branch & (shadow.since_branch == BRANCH_DISTANCE - 1) & (shadow.switch_slots == 0)
            ),
            state.own_pc.eq(Mux(state.jumps, outcome.target, shadow.pc + WORD_BYTES)),
            after.eq(shadow),
            after.pc.eq(Mux(state.leaving, other, state.own_pc)),
            after.thread.eq(shadow.thread ^ state.leaving),
            after.delay_slots.eq(Mux(state.branches, DELAY_SLOTS, shadow.delay_slots - (shadow.delay_slots != 0))),
            after.since_branch.eq(
                Mux(dut.sp_branch, 0, shadow.since_branch + (shadow.since_branch != BRANCH_DISTANCE - 1))
            ),
            after.switch_slots.eq(
                Mux(dut.sp_switches & alone, SWITCH_SLOTS, shadow.switch_slots - (shadow.switch_slots != 0))
            ),
            after.ending.eq(shadow.ending | (dut.sp_ends & alone)),
            after.end_slots.eq(Mux(dut.sp_ends & alone, END_SLOTS, shadow.end_slots - shadow.ending)),
        ]
        with m.If(state.issued):
            m.d.sync += shadow.eq(after)
        with m.If(self.enters):
            m.d.sync += [
                shadow.eq(0),
                *(shadow.pc.eq(self.pc), shadow.thread.eq(self.entered)),
                shadow.since_branch.eq(BRANCH_DISTANCE - 1),
            ]

    def _decide(self, m, state):
        """The decision of a branch: known to the proof at once, to the sequencer in time."""
        dut, branches = state.dut, state.issued & state.branches
        state.on_the_way = on_the_way = Signal(DECISION)  # the branches that have been issued, one bit a clock
        state.decided = decided = Signal(Outcome)
        m.d.sync += on_the_way.eq(Cat(branches, on_the_way))
        with m.If(branches):
            m.d.sync += state.outcome.eq(self.outcome)
        with m.If(on_the_way[-2]):
            m.d.sync += decided.eq(state.outcome)
        m.d.comb += [
            *(dut.resolved_stb.eq(on_the_way[-1]), dut.taken.eq(decided.taken), dut.target.eq(decided.target)),
        ]

    def _switch(self, m, state):
        """Asks once for every switch, and leaves once if there is another thread, whose address then stays."""
        dut, shadow = state.dut, state.shadow
        state.asked, state.going, state.left = asked, going, left = Signal(), Signal(), Signal()
        kept, resume_pc, thread = Signal(32), Signal(32), Signal()
        accepted = dut.asks & self.offers
        state.kept, state.thread, state.resume_pc = kept, thread, resume_pc
        m.d.comb += [
            state.other.eq(Mux(going, kept, self.pc)),
            dut.pc.eq(Mux(going & ~left, kept, self.pc)),
            state.decided_to_go.eq(going | accepted),
            dut.current.thread.eq(thread),
        ]
        with m.If(state.issued & (shadow.switch_slots == 1)):
            m.d.sync += [asked.eq(0), going.eq(0), left.eq(0)]
        with m.Else():
            m.d.sync += [asked.eq(asked | dut.asks), going.eq(state.decided_to_go), left.eq(left | dut.leaves)]
        with m.If(accepted):
            m.d.sync += kept.eq(self.pc)
        with m.If(dut.leaves):
            m.d.sync += [resume_pc.eq(dut.resume_pc), thread.eq(~thread)]
        with m.If(self.enters):
            m.d.sync += thread.eq(self.entered)
        last_goes = state.issued & (shadow.switch_slots == 1)
        resumes = Mux(left, resume_pc, dut.resume_pc)
        m.d.comb += [
            Assert(~dut.asks | (~asked & (shadow.switch_slots != 0)), "it asks twice or without a switch"),
            Assert(~last_goes | asked | dut.asks, "it does not ask"),
            Assert(~dut.leaves | (state.decided_to_go & ~left), "the thread leaves twice or stays"),
            Assert(~(last_goes & state.leaving) | ((left | dut.leaves) & (resumes == state.own_pc)), "resume_pc"),
            Assert(~state.issued | (dut.sp_leaves == state.leaving), "sp_leaves"),
            Assert(~dut.sp_valid | (dut.sp_view.thread == shadow.thread), "the instruction is of the other thread"),
            Cover(last_goes & state.leaving & state.jumps, "a branch and a switch at once"),
            Cover(state.issued & (shadow.switch_slots == 0) & shadow.thread, "the other thread goes on"),
        ]

    def _hold(self, m, state):
        """A word of the address that comes next is taken once, held, and issued; one of another address is dropped."""
        dut, issued, shadow, after = state.dut, state.issued, state.shadow, state.after
        offered = dut.instructions.payload
        state.wanted = Mux(dut.sp_valid, after.pc, shadow.pc)
        # Which thread the next word is of is only known after this clock.
        state.open = dut.asks & dut.sp_valid & (shadow.switch_slots == 1)
        fits = dut.instructions.valid & dut.running & (offered.pc == state.wanted) & ~state.open
        taken = fits & dut.instructions.ready
        held, word = Signal(), Signal(FetchedWord)
        with m.If(taken):
            m.d.sync += [held.eq(1), word.eq(offered)]
        with m.Elif(issued):
            m.d.sync += held.eq(0)
        went = Signal()  # the instruction in SP, a clock ago
        m.d.sync += went.eq(issued)
        room = ~dut.sp_valid & ~(shadow.ending & (shadow.end_slots == 0))
        drops = dut.instructions.valid & dut.running & (offered.pc != state.wanted) & ~state.open
        m.d.comb += [
            Assert(dut.sp_valid == held, "a word is lost or doubled"),
            Assert(~held | (Cat(dut.sp_pc, dut.sp_word, dut.sp_error) == word.as_value()), "a word is changed"),
            Assert(~held | dut.running, "a word is held without a thread"),
            Assert(~(room & fits) | dut.instructions.ready, "there is room, but the word is not taken"),
            Assert(~drops | dut.instructions.ready, "a word of another address is not dropped"),
            Cover(taken & went, "a word is taken in the clock after the one that issues the word before"),
        ]

    def _redirect(self, m, state):
        """The stream goes on elsewhere for a thread and for a branch of this program that is taken, and only then."""
        dut, redirect = state.dut, state.dut.redirect
        state.mine = mine = Signal()  # the last branch was one of this program
        state.boundary = boundary = Signal(32)  # after its delay slots
        switches = dut.asks & self.offers
        with m.If(state.issued & state.branches):
            m.d.sync += [mine.eq(1), boundary.eq(state.after.pc + DELAY_SLOTS * WORD_BYTES)]
        with m.Elif(self.enters):
            m.d.sync += mine.eq(0)
        jumps = dut.resolved_stb & state.outcome.taken & mine & ~self.enters
        target = (redirect.target == state.outcome.target) & (redirect.boundary == boundary)
        m.d.comb += [
            Assert(dut.redirect_stb == (self.enters | jumps | switches), "the stream goes on at the wrong time"),
            Assert(~(self.enters | switches) | (redirect.target == dut.pc), "not at the thread that begins"),
            Assert(~self.enters | redirect.restart, "what was fetched before is kept"),
            Assert(~(jumps & switches), "two redirections at once"),
            Assert(~jumps | (target & ~redirect.restart), "not the target, or not after the delay slots"),
            Cover(jumps & dut.redirect_stb, "a branch redirects the stream"),
            Cover(dut.resolved_stb & state.outcome.taken & ~mine & dut.running, "one is decided after its program"),
            Cover(switches & ~redirect.restart, "a switch redirects the stream"),
        ]

    def _invariants(self, m, state):
        """None: an unbounded proof adds its own."""
