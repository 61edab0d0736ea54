"""`RoundRobin` and `LeastRecent`: who is granted, and how long the others wait."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from vc4.common import arbiter

from .order import Order

pytestmark = pytest.mark.thorough


class ArbiterProof(wiring.Component):
    """Requests and turns as they come; a counter of the grants that each requester has waited for."""

    views = {"after_last": "arbiter.after_last"}

    def __init__(self, count: int):
        self._count = count
        super().__init__({"requests": In(count), "advance": In(1), "after_last": In(count)})

    def elaborate(self, platform):
        m = Module()
        count = self._count
        m.submodules.arbiter = dut = arbiter.RoundRobin(count)
        granted, used = dut.grant_onehot, Signal()
        m.d.comb += [
            *(dut.requests.eq(self.requests), dut.advance.eq(self.advance)),
            used.eq(self.advance & self.requests.any()),
            Assert(sum(granted) <= 1, "two requesters are granted at once"),
            Assert(~(granted & ~self.requests).any(), "a grant goes to one who did not ask"),
            Assert(granted.any() == self.requests.any(), "nobody is granted although somebody asks"),
            Assert(granted == self.requests.any() << dut.grant, "the two forms of the grant differ"),
            Assert(dut.grant < count, "nobody has this number"),
            Cover(used & granted[-1], "the last requester is granted"),
        ]

        last = Signal(range(count), init=count - 1)  # who was granted last
        with m.If(used):
            m.d.sync += last.eq(dut.grant)
        m.d.comb += [
            Assert(last < count, "nobody has this number"),
            Assert(self.after_last == Cat(last < number for number in range(count)), "the turn is wrong"),
        ]
        for number in range(count):
            waited = Signal(range(count + 1), name=f"waited_{number}")  # grants to others since it asks
            others_first = Mux(last < number, number - 1 - last, number - 1 - last + count)
            with m.If(~self.requests[number] | (granted[number] & used)):
                m.d.sync += waited.eq(0)
            with m.Elif(used):
                m.d.sync += waited.eq(waited + 1)
            m.d.comb += [
                Assert(waited + others_first < count, "more go first than the others in turn"),
                Cover(waited == count - 1, "a requester waits for all others"),
            ]
        return m


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8])
def test_fair_and_exclusive(prover, count):
    prover.holds(ArbiterProof(count), depth=2, cover=2 * count)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("self.requests & after_last", "self.requests & after_last[1:]", "go first"),
        ("m.If(self.advance & self.requests.any())", "m.If(self.requests.any())", "the turn"),
        ("~(self.grant_onehot | (self.grant_onehot - 1))", "~(self.grant_onehot - 1)", "the turn"),
        ("chosen_from & -chosen_from", "chosen_from", "two requesters"),
        ("self.grant.eq(number)", "self.grant.eq(number & 2)", "two forms"),
    ],
    ids=["neighbour", "turn", "last", "exclusive", "number"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(arbiter, "RoundRobin", faulty(arbiter.RoundRobin, old, new))
    assert said in prover.refuted(ArbiterProof(4), depth=8)


class LeastRecentProof(wiring.Component):
    """Requests and turns as they come; a note of who has been granted while another one asked."""

    def __init__(self, count: int):
        self._count = count
        self._order = Order(count)
        self.views = self._order.views("arbiter")
        super().__init__({"requests": In(count), "advance": In(1), **self._order.members})

    def elaborate(self, platform):
        m = Module()
        numbers = range(self._count)
        m.submodules.arbiter = dut = arbiter.LeastRecent(self._count)
        granted = dut.grant_onehot
        m.d.comb += [
            *(dut.requests.eq(self.requests), dut.advance.eq(self.advance)),
            Assert(sum(granted) <= 1, "two requesters are granted at once"),
            Assert(~(granted & ~self.requests).any(), "a grant goes to one who did not ask"),
            Assert(granted.any() == self.requests.any(), "nobody is granted although somebody asks"),
            *self._order.invariants(self),
        ]
        for number in numbers:
            passed = Signal(
                self._count, name=f"passed_{number}"
            )  # who was granted while it asked, since its last grant
            passes = Mux(self.advance & self.requests[number], granted, 0)
            m.d.sync += passed.eq(Mux(passes[number], 0, passed | passes))
            m.d.comb += [
                Assert((passed & passes) == 0, "one is granted again while another one asks"),
                *(
                    Assert(~passed[other] | self._order.before(self, number, other), "one who was granted goes first")
                    for other in numbers
                    if other != number
                ),
                Assert(~passed[number], "one waits for itself"),
                Cover(sum(passed) == self._count - 1, "a requester waits for all others"),
            ]
        return m


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8])
def test_strictly_fair_and_exclusive(prover, count):
    prover.holds(LeastRecentProof(count), depth=2, cover=2 * count)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "m.If(self.advance & self.grant_onehot[first])",
            "m.If(self.advance & self.grant_onehot[first] & ~order)",
            "goes first",
        ),
        ("order.eq(1)", "order.eq(self.requests[0])", "goes first"),
        ("m.If(self.advance & self.grant_onehot[second])", "m.If(self.grant_onehot[second])", ""),
        ("self.requests[other] & (before", "(before", "nobody"),
        ("& ~beaten", "& ~(beaten & self.requests[0])", "two requesters"),
    ],
    ids=["first", "second", "turn", "blocked", "exclusive"],
)
def test_faults_of_the_order(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(arbiter, "LeastRecent", faulty(arbiter.LeastRecent, old, new))
    assert said in prover.refuted(LeastRecentProof(4), depth=8)
