"""`Sequencer` against its specification, for ever with the invariants that are here."""

import pytest
from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib.wiring import In

from vc4.isa.registers import QUADS
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, SWITCH_SLOTS
from vc4.isa.word import ALIGNED_BITS, WORD_BYTES
from vc4.qpu import sequencer

from .sequencer_proof import DECISION, SequencerProof

pytestmark = pytest.mark.thorough


class UnboundedSequencerProof(SequencerProof):
    """With the invariants that make it unbounded: what the registers are in terms of the specification."""

    next_pc: In(32)
    ending: In(1)
    end_slots_left: In(range(END_SLOTS + 1))
    branch_slots_left: In(range(DELAY_SLOTS + 1))
    recent_branches: In(BRANCH_DISTANCE - 1)
    undecided: In(1)
    switch_slots_left: In(range(SWITCH_SLOTS + 1))
    switch_slots_to_load: In(range(SWITCH_SLOTS + 1))
    switch_wanted: In(1)
    switch_going: In(1)
    last_in_sp: In(1)

    def __init__(self):
        super().__init__()
        self.views = {name: f"sequencer.{name}" for name in UnboundedSequencerProof.__annotations__}

    def _invariants(self, m, state):
        running, held, shadow = state.dut.running, state.dut.sp_valid, state.shadow
        end_slots, switch_slots = shadow.end_slots, shadow.switch_slots
        last_slot = held & (switch_slots == 1)
        addresses = shadow.pc, state.outcome.target, state.decided.target, state.kept
        m.d.comb += [
            *(Assert(address[:ALIGNED_BITS] == 0, "an address between two words") for address in addresses),
            Assert(~(running & ~state.open) | (self.next_pc == state.wanted), "next_pc"),
            Assert(~(running & state.open) | (self.next_pc == state.own_pc), "next_pc of a thread that asks"),
            Assert(~running | (self.ending == shadow.ending), "ending"),
            Assert(~(running & shadow.ending) | (self.end_slots_left == end_slots - held), "end_slots_left"),
            Assert(end_slots <= Mux(shadow.ending, END_SLOTS, 0), "end_slots"),
            Assert(self.switch_slots_left == switch_slots, "switch_slots_left"),
            Assert(self.switch_slots_to_load == Mux(switch_slots == 0, 0, switch_slots - held), "to load"),
            Assert(self.switch_wanted == ((switch_slots != 0) & ~state.asked), "switch_wanted"),
            Assert(self.switch_going == (state.going & ~state.left), "switch_going"),
            Assert(self.last_in_sp == state.left, "last_in_sp"),
            Assert(switch_slots <= Mux(running & ~shadow.ending, SWITCH_SLOTS, 0), "switch_slots"),
            Assert(~state.asked | (switch_slots != 0), "asked"),
            Assert(~state.going | state.asked, "going"),
            Assert(~state.left | (state.going & last_slot), "left"),
            Assert(~(state.going & last_slot) | state.left, "it leaves when its last instruction is in SP"),
            Assert(~state.left | (state.resume_pc == state.own_pc), "where it goes on"),
            Assert(~running | (state.thread == shadow.thread ^ state.left), "thread"),
        ]
        self._branch_invariants(m, state)

    def _branch_invariants(self, m, state):
        running, held, shadow, mine = state.dut.running, state.dut.sp_valid, state.shadow, state.mine
        delay_slots, since, on_the_way = shadow.delay_slots, shadow.since_branch, state.on_the_way
        known = state.decided == state.outcome
        behind = (self.next_pc + self.branch_slots_left * WORD_BYTES)[:32]
        m.d.comb += [
            Assert(since < BRANCH_DISTANCE, "since_branch"),
            Assert(~running | (delay_slots == 0) | (since + delay_slots <= DELAY_SLOTS), "delay_slots"),
            Assert(~running | (shadow.switch_slots == 0) | (delay_slots <= shadow.switch_slots), "both slots"),
            Assert(~running | (self.branch_slots_left == Mux(delay_slots == 0, 0, delay_slots - held)), "slots left"),
            Assert(~running | (self.recent_branches[0] == (since == 0)), "the instruction before"),
            Assert(~running | (since == 0) | (self.recent_branches[1] == (since == 1)), "the one before that"),
            Assert(self.undecided == (mine & on_the_way.any()), "undecided"),
            Assert(~self.undecided | ((self.branch_slots_left != 0) & (behind == state.boundary)), "boundary"),
            Assert(~(running & (delay_slots != 0)) | on_the_way[:-1].any() | known, "the decision is kept"),
            Assert(~on_the_way[-1] | known, "the decision is there in time"),
            Assert((on_the_way & (on_the_way - 1)) == 0, "two branches are on the way"),
        ]
        for age in range(DECISION):
            # A branch leaves SP at the end of a slot; a program starts two clocks after its predecessor's empty slot.
            slots = DELAY_SLOTS - age // QUADS
            apart = Mux(running, (age > 5) | ((age == 5) & ~held), age >= 4)
            near = Mux(running & mine, delay_slots >= slots, apart)
            m.d.comb += [
                Assert(~on_the_way[age] | ((state.phase == age % QUADS) & near), "a branch is too slow"),
                Assert(~on_the_way[age] | mine | (delay_slots == 0), "a branch of the program before"),
            ]


def test_unbounded(prover):
    prover.holds(UnboundedSequencerProof(), depth=3, cover=44)


def test_bounded(prover):
    prover.holds(SequencerProof(), depth=14, cover=40, unbounded=False)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("self.slot_end & self.sp_valid & ~self.stalled", "self.slot_end & self.sp_valid", "has to wait"),
        (".valid & expected)", ".valid)", "lost or doubled"),
        ("load | ~expected", "load | ~expected | self.stalled", "a word"),
        ("self.issue_instruction | (last_loaded & self.halted)", "last_loaded & self.halted", "lost or doubled"),
        ("(self._branch_slots == 1) & self.taken", "(self._branch_slots == 0) & self.taken", "next_pc"),
        ("self._branch_slots == 1) & self.taken", "self._branch_slots == 2) & self.taken", "next_pc"),
        ("& ~self.sp_valid & self.instr", "& self.instr", "not the next one"),
        ("slots_left.eq(DELAY_SLOTS)", "slots_left.eq(DELAY_SLOTS - 1)", "slots left"),
        ("slots_left.eq(END_SLOTS)", "slots_left.eq(END_SLOTS - 1)", "end_slots_left"),
        ("slots_left.eq(SWITCH_SLOTS)", "slots_left.eq(SWITCH_SLOTS - 1)", "to load"),
        ("recent.any() | (self._switching != 0)", "recent.any()", "branch_close"),
    ],
    ids=[
        *("stall", "address", "ready", "again", "jump", "early-jump", "room"),
        *("branch-slots", "end-slots", "switch-slots", "branch-in-switch"),
    ],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(sequencer, "Sequencer", faulty(sequencer.Sequencer, old, new))
    assert said in prover.refuted(UnboundedSequencerProof(), depth=24)
