"""`Scoreboard`: nobody passes an older fragment of a place, and somebody can always go on."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib.wiring import In

from vc4.tlb import scoreboard
from vc4.tlb.structs import fragment_quad

from .proof import Proof

pytestmark = pytest.mark.thorough

#: They leave room for every kind of conflict, and no more.
THREADS, PLACES = 3, 2


class ScoreboardProof(Proof):
    """Any vectors, each of a thread that has none, which go when they like.

    Two threads are followed, and one place: whether the older one has it, and then the younger one.
    """

    def __init__(self):
        follows = {"older": In(range(THREADS)), "younger": In(range(THREADS)), "place": In(range(PLACES))}
        inputs = {"valid": In(1), "quad": In(fragment_quad(THREADS)), "lets_go": In(THREADS), **follows}
        super().__init__("scoreboard", inputs)

    def elaborate(self, platform):
        m = Module()
        m.submodules.scoreboard = dut = scoreboard.Scoreboard(THREADS)
        m.d.comb += [dut.i.valid.eq(self.valid), dut.i.payload.eq(self.quad), dut.lets_go.eq(self.lets_go)]
        self._environment(m, dut)
        taken = Signal()
        here = Signal()  # a quad of the place
        has = Signal()  # the older vector
        passes = Signal()  # the younger one came after it
        gone = Signal()
        before = Signal()  # a vector of the younger thread has begun while the older one was there
        m.d.comb += [
            taken.eq(self.valid & dut.i.ready),
            here.eq(taken & (self.quad.place.x[: len(self.place)] == self.place)),
            gone.eq(~dut.there.bit_select(self.older, 1)),
        ]
        with m.If(here & (self.quad.thread == self.older)):
            m.d.sync += has.eq(1)
        with m.Elif(gone):
            m.d.sync += has.eq(0)
        with m.If(gone | ~dut.there.bit_select(self.younger, 1)):
            m.d.sync += passes.eq(0)
        with m.If(here & (self.quad.thread == self.younger) & has & ~gone):
            m.d.sync += passes.eq(1)
        with m.If(~gone & (self.older != self.younger) & taken & self.quad.first & (self.quad.thread == self.younger)):
            m.d.sync += before.eq(1)
        younger_waits = dut.waits.bit_select(self.younger, 1)
        rests = Signal(range(4))  # clocks without a quad
        m.d.sync += rests.eq(Mux(taken, 0, rests + (rests != 3)))
        m.d.comb += [
            Assert(~passes | gone | younger_waits, "a fragment passes an older one of its place"),
            Assert((dut.waits & ~dut.there) == 0, "who waits is not there"),
            Assert((rests != 3) | self.open | ~dut.there.any() | (dut.there & ~dut.waits).any(), "nobody can go on"),
            Cover(passes & ~gone & (rests == 3) & younger_waits, "it waits"),
            Cover(gone & ~younger_waits & dut.there.bit_select(self.younger, 1) & before, "it is let in"),
            Cover((dut.there == 0b101) & (dut.waits == 0), "two have places of their own"),
        ]
        return m

    def _environment(self, m, dut):
        """Quads of a vector follow each other; what is offered stays; who is followed, too."""
        begun = Signal()
        followed = Cat(self.older, self.younger, self.place)
        before = Signal.like(followed)
        offered, quad = Signal(), Signal.like(self.quad)
        self.open = Signal()  # a vector is not complete
        m.d.sync += [begun.eq(1), before.eq(followed), offered.eq(self.valid & ~dut.i.ready), quad.eq(self.quad)]
        thread = Signal(range(THREADS))
        with m.If(self.valid & dut.i.ready):
            m.d.sync += [self.open.eq(~self.quad.last), thread.eq(self.quad.thread)]
        m.d.comb += [
            Assume(~begun | (followed == before)),
            Assume((self.older < THREADS) & (self.younger < THREADS) & (self.older != self.younger)),
            Assume(~offered | (self.valid & (self.quad.as_value() == quad.as_value()))),
            Assume(~self.valid | (self.quad.thread < THREADS)),
            Assume(~self.valid | (self.quad.first == ~self.open)),
            Assume(~self.valid | ~self.open | (self.quad.thread == thread)),
            Assume(~self.valid | self.open | ~dut.there.bit_select(self.quad.thread, 1)),
        ]


@pytest.fixture(autouse=True)
def few_places(monkeypatch):
    monkeypatch.setattr(scoreboard, "WORDS", PLACES)


def test_bounded(prover):
    prover.holds(ScoreboardProof(), depth=14, unbounded=False)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("~looks | (place != owners.write_address)", "1", "read in the clock that writes it"),
        ("& (self.lets_go | ending) & ~self.waits", "& (self.lets_go | ending)", "who waits is not there"),
        ("starts | (waits & ~(finds & known.last))", "0", "passes an older one"),
        ("waits & ~(finds & known.last)", "waits", "nobody can go on"),
        ("waits | found) & self.there[other] & ~goes[other]", "waits | found)", "nobody can go on"),
    ],
    ids=["same place", "turn", "own quads", "complete", "gone"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(scoreboard, "Scoreboard", faulty(scoreboard.Scoreboard, old, new))
    assert said in prover.refuted(ScoreboardProof(), depth=14)
