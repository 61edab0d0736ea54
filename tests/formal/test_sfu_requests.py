"""`SfuRequests`: every quad leaves once, vectors take turns, and `busy` tells when their last quads leave."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from vc4.isa.registers import QUADS
from vc4.slice import sfu_requests
from vc4.slice.sfu_port import SfuRequest

pytestmark = pytest.mark.thorough

_WIDTH = data.Layout.cast(SfuRequest).size


class SfuRequestsProof(wiring.Component):
    """Any gaps before any quads of vectors, and a scoreboard that follows one quad, whichever `follow` and `who` choose.

    The scoreboard holds the quad and how many of its QPU are in front of it.
    """

    def __init__(self, qpus: int):
        self._count = qpus
        numbers = range(qpus)
        members = {"valid": In(qpus), "follow": In(1), "who": In(range(qpus)), "unfinished": In(1)}
        members |= {"last": In(qpus), "after_last": In(qpus)}
        self.views = {"unfinished": "requests.unfinished", "last": "requests.last"}
        self.views["after_last"] = "requests.turn.after_last"
        for number in numbers:
            queue = f"requests.queue_{number}"
            members |= {f"request_{number}": In(SfuRequest)}
            members |= {f"read_{number}": In(range(QUADS)), f"write_{number}": In(range(QUADS))}
            members |= {f"level_{number}": In(range(QUADS + 1)), f"vectors_{number}": In(range(3))}
            members |= {f"place_{number}_{place}": In(_WIDTH) for place in range(QUADS)}
            self.views |= {
                f"read_{number}": f"{queue}.places.read_address",
                f"write_{number}": f"{queue}.places.write_address",
                f"level_{number}": f"{queue}.level",
                f"vectors_{number}": f"requests.vectors_{number}",
                **{f"place_{number}_{place}": f"{queue}.places.memory[{place}]" for place in range(QUADS)},
            }
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = dut = sfu_requests.SfuRequests(self._count)
        leaves = dut.o_onehot
        m.d.comb += [
            Assert(sum(leaves) <= 1, "quads of two QPUs leave"),
            Assert(~self.unfinished | ~(leaves & ~self.last).any(), "a vector begins in the midst of another one"),
        ]
        after = []  # quads of each QPU that have left, modulo those of a vector
        for number in range(self._count):
            after.append(self._qpu(m, dut, number))
        inside = Cat(left != 0 for left in after)  # QPUs of which a part of a vector has left
        m.d.comb += [
            Assert(inside == Mux(self.unfinished, self.last, 0), "two vectors are under way, or none is known"),
            Assert(~self.unfinished | (sum(self.last) == 1), "a vector of nobody is under way"),
        ]
        self._follow(m, dut)
        self._turns(m, dut, leaves)
        return m

    def _qpu(self, m, dut, number):
        """Its vectors, `busy` and the invariants of its queue."""
        stream, request = dut.requests[number], getattr(self, f"request_{number}")
        level, read, write, vectors = (
            getattr(self, f"{name}_{number}") for name in ("level", "read", "write", "vectors")
        )
        came, left = (Signal(range(QUADS), name=f"{name}_{number}") for name in ("came", "left"))
        comes, leaves = stream.valid & stream.ready, dut.o_onehot[number]
        m.d.sync += [came.eq(came + comes), left.eq(left + leaves)]
        m.d.comb += [
            *(stream.valid.eq(self.valid[number]), stream.payload.eq(request)),
            Assume(request.quad == came),
            Assert(~leaves | (dut.o.quad == left), "quads leave in another order"),
            Assert(~leaves | (level != 0), "a quad leaves that is not there"),
            Assert(came == (left + level)[: len(came)], "quads are lost or doubled"),
            Assert(write == (read + level)[: len(write)], "the places between read and write are not the quads"),
        ]
        places = Array(getattr(self, f"place_{number}_{place}") for place in range(QUADS))
        for ahead in range(QUADS):
            place = SfuRequest(places[(read + ahead)[: len(read)]])
            m.d.comb += Assert(
                (level <= ahead) | (place.quad == (left + ahead)[: len(left)]), "a quad in another place"
            )
        # Vectors that have begun to come: those of which nothing has left, and the one under way.
        whole = ((left + level + QUADS - 1) >> 2) - (left == QUADS - 1)
        m.d.comb += [
            Assert(vectors == whole, "the number of vectors is wrong"),
            Assert(dut.busy[number] == (whole != 0), "busy is wrong"),
            Cover(dut.busy[number] & (level == 1) & (left == 0), "a vector has just begun"),
        ]
        return left

    def _follow(self, m, dut):
        """The quad that came as the n-th of its QPU leaves as the n-th of it, unchanged."""
        waiting, item, ahead, who = Signal(), Signal(SfuRequest), Signal(range(QUADS)), Signal(range(self._count))
        numbers = range(self._count)
        comes = Array(stream.valid & stream.ready for stream in dut.requests)[self.who]
        request = Array(Value.cast(getattr(self, f"request_{number}")) for number in numbers)[self.who]
        levels = Array(getattr(self, f"level_{number}") for number in numbers)
        leaves = dut.o_onehot.bit_select(who, 1)
        with m.If(waiting & leaves):
            m.d.sync += [ahead.eq(ahead - 1), waiting.eq(ahead != 0)]
        with m.Elif(~waiting & self.follow & comes & (self.who < self._count)):
            m.d.sync += [waiting.eq(1), who.eq(self.who), item.as_value().eq(request)]
            m.d.sync += ahead.eq(levels[self.who] - dut.o_onehot.bit_select(self.who, 1))
        m.d.comb += [
            Assert(who < self._count, "nobody has this number"),
            Assert(~(waiting & leaves & (ahead == 0)) | (dut.o == item), "another quad leaves in its place"),
            Assert(~waiting | (ahead < levels[who]), "the quad is not among those inside"),
            Cover(waiting & leaves & (ahead == 0), "it leaves"),
        ]
        for number in numbers:
            places = Array(getattr(self, f"place_{number}_{place}") for place in range(QUADS))
            here = places[(getattr(self, f"read_{number}") + ahead)[: len(ahead)]]
            m.d.comb += Assert(~waiting | (who != number) | (here == item.as_value()), "the quad is not in its place")

    def _turns(self, m, dut, leaves):
        """No QPU sees more vectors of others begin than there are others before its own does."""
        count = self._count
        last = Signal(range(count), init=count - 1)  # whose vector began last
        begins = leaves.any() & (dut.o.quad == 0)
        for number in range(count):
            with m.If(leaves[number]):
                m.d.sync += last.eq(number)
        m.d.comb += [
            Assert(last < count, "nobody has this number"),
            Assert(self.after_last == Cat(last < number for number in range(count)), "the turn is wrong"),
            Assert(~self.unfinished | (self.last == 1 << last), "the vector under way is that of another one"),
        ]
        for number in range(count):
            waited = Signal(range(count + 1), name=f"waited_{number}")  # vectors of others that began since it waits
            level = getattr(self, f"level_{number}")
            with m.If((level == 0) | leaves[number]):
                m.d.sync += waited.eq(0)
            with m.Elif(begins):
                m.d.sync += waited.eq(waited + 1)
            others_first = Mux(last < number, number - 1 - last, number - 1 - last + count)
            m.d.comb += [
                Assert(waited + others_first < count, "more go first than the others in turn"),
                Cover(waited == count - 1, "a QPU waits for all others"),
            ]


@pytest.mark.parametrize("qpus", [2, 3, 4])
def test_order_and_turns(prover, qpus):
    prover.holds(SfuRequestsProof(qpus), depth=2, cover=4 + QUADS * qpus)


_FAULTS = {
    "mixed": ("(last[number] | ~unfinished)", "(last[number] | 1)", "in the midst"),
    "lost": ("queue.o.ready.eq(leaves)", "queue.o.ready.eq(leaves | (queue.o.payload.quad == 0))", "lost"),
    "doubled": ("queue.o.ready.eq(leaves)", "queue.o.ready.eq(leaves & ~last[number])", "doubled"),
    "turn": ("turn.advance.eq(1)", "turn.advance.eq(unfinished)", "turn"),
    "end": ("quad != QUADS - 1", "quad != QUADS - 2", "under way"),
    "busy": ("quad == QUADS - 2", "quad == QUADS - 1", "number of vectors"),
    "payload": ("reduce(or_, chosen)", "chosen[0]", "another"),
}


@pytest.mark.parametrize("fault", _FAULTS)
def test_faults(prover, faulty, monkeypatch, fault):
    old, new, said = _FAULTS[fault]
    monkeypatch.setattr(sfu_requests, "SfuRequests", faulty(sfu_requests.SfuRequests, old, new))
    assert said in prover.refuted(SfuRequestsProof(2), depth=12)
