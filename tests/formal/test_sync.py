"""`Sync`: semaphores count each operation once and not too far, one QPU has the mutex, and nobody is passed over twice."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from vc4.isa.sync import SEMAPHORE_MAX, SEMAPHORES
from vc4.qps import sync
from vc4.qps.port import SyncRequest

from .order import Order

pytestmark = pytest.mark.thorough


class SyncProof(wiring.Component):
    """QPUs that ask for anything, take what they are granted or give up, and free the mutex if they have it.

    The specification follows one semaphore, whichever `number` has been from power-on on.
    """

    def __init__(self, qpus: int):
        self._count = qpus
        self._order = Order(qpus)
        self.views = {
            **self._order.views("sync.turn"),
            **{name: f"sync.{name}" for name in ("possible", "locked")},
            **{f"semaphore_{number}": f"sync.semaphore_{number}" for number in range(SEMAPHORES)},
        }
        super().__init__(
            {
                "requests": In(data.ArrayLayout(SyncRequest, qpus)),
                **{name: In(qpus) for name in ("valid", "take", "free", "possible")},
                "locked": In(1),
                "number": In(range(SEMAPHORES)),
                **{f"semaphore_{number}": In(range(SEMAPHORE_MAX + 1)) for number in range(SEMAPHORES)},
                **self._order.members,
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.sync = dut = sync.Sync(self._count)
        started, followed = Signal(), Signal.like(self.number)
        count = Signal(range(SEMAPHORE_MAX + 1))
        owner = Signal(self._count)  # of the mutex
        granted = Signal(self._count)
        up, down, locks = (Signal(self._count, name=name) for name in ("up", "down", "locks"))
        m.d.sync += [started.eq(1), followed.eq(self.number)]
        m.d.comb += [
            granted.eq(Cat(port.granted for port in dut.qpus)),
            Assume(~started | (self.number == followed)),
            Assume((self.take & ~(granted & self.valid)) == 0),
            Assume((self.free & ~owner) == 0),
            Assert(sum(granted) <= 1, "two are granted"),
        ]
        with m.If(self.free.any()):
            m.d.sync += owner.eq(0)
        with m.If(locks.any()):
            m.d.sync += owner.eq(locks)
        m.d.sync += count.eq(count + sum(up) - sum(down))

        semaphores = Array(getattr(self, f"semaphore_{number}") for number in range(SEMAPHORES))
        possible = [self._qpu(m, dut.qpus[number], number, up, down, locks) for number in range(self._count)]
        for number in range(self._count):
            m.d.comb += [
                # What was possible stays so until something is taken; a mutex that is freed makes more possible.
                Assert(~self.possible[number] | ~self.valid[number] | possible[number], "it is not possible any more"),
                Assert(~(granted[number] & self.valid[number]) | possible[number], "the impossible is granted"),
            ]
        m.d.comb += [
            Assert(~(down.any() & (count == 0)), "the semaphore counts below 0"),
            Assert(~(up.any() & (count == SEMAPHORE_MAX)), "the semaphore counts too far"),
            Assert(semaphores[self.number] == count, "an operation is lost or doubled"),
            Assert(~locks.any() | (owner == 0), "the mutex has two owners"),
            Assert((owner & (owner - 1)) == 0, "it has two owners"),
            Assert(self.locked == owner.any(), "the mutex is locked by nobody, or is free while one has it"),
            *self._order.invariants(self),
            Cover(down.any() & (count == 2), "it counts down"),
            Cover(locks[-1] & started, "the last QPU takes the mutex"),
        ]
        self._progress(m, granted, Cat(possible))
        self._turns(m, granted)
        return m

    def _progress(self, m, granted, fulfilled):
        """While nobody is granted, who can be served is known in the next clock, and one of these granted in the one after."""
        idle, known, decided = Signal(), Signal(self._count), Signal()
        m.d.comb += idle.eq(~granted.any() & ~self.take.any())
        m.d.sync += [
            known.eq(Mux(idle, fulfilled & self.valid, 0)),
            decided.eq(idle & (self.possible & self.valid).any()),
        ]
        m.d.comb += [
            Assert(self.possible == known, "it is not known who can be served"),
            Assert(~decided | granted.any(), "nobody is granted"),
        ]

    def _qpu(self, m, port, number, up, down, locks):
        """Connects a QPU; returns whether its request can be fulfilled by what the semaphores and the mutex are now."""
        request = self.requests[number]
        last, waits = Signal(SyncRequest, name=f"last_{number}"), Signal(name=f"waits_{number}")
        m.d.sync += [last.eq(request), waits.eq(self.valid[number] & ~self.take[number])]
        again = Signal(name=f"again_{number}")  # the clock after a request was taken
        m.d.sync += again.eq(self.take[number])
        takes = self.take[number]
        ours = takes & ~request.mutex & (request.number == self.number)
        m.d.comb += [
            *(port.request.eq(request), port.request_valid.eq(self.valid[number])),
            *(port.take.eq(takes), port.free_mutex.eq(self.free[number])),
            Assume(~(waits & self.valid[number]) | (request == last)),
            Assume(~(again & self.valid[number])),
            Assert(~again | ~port.granted, "a grant stays after it was taken"),
            up[number].eq(ours & ~request.acquire),
            down[number].eq(ours & request.acquire),
            locks[number].eq(takes & request.mutex),
            # A grant and a possibility are those of a request that was there in the clock before.
            Assert(~(port.granted | self.possible[number]) | waits | again, "nobody asked"),
        ]
        semaphores = Array(getattr(self, f"semaphore_{index}") for index in range(SEMAPHORES))
        count = semaphores[request.number]
        return Mux(request.mutex, ~self.locked, Mux(request.acquire, count != 0, count != SEMAPHORE_MAX))

    def _turns(self, m, granted):
        """Who could be served sees each other one be granted once at the most, until it is granted itself."""
        before = Signal(self._count)
        could = Signal(self._count)  # in the clock before, when it was decided
        begins = granted & ~before
        m.d.sync += [before.eq(granted), could.eq(self.possible & self.valid)]
        for number in range(self._count):
            passed = Signal(self._count, name=f"passed_{number}")
            passes = Mux(could[number] & ~begins[number], begins, 0)
            m.d.sync += passed.eq(Mux(begins[number], 0, passed | passes))
            m.d.comb += [
                Assert((passed & passes) == 0, "one is passed over twice"),
                Assert(~passed[number], "one waits for itself"),
                *(
                    Assert(
                        ~((passed | passes)[other] & ~begins[number]) | self._order.before(self, number, other),
                        "one who was granted goes first",
                    )
                    for other in range(self._count)
                    if other != number
                ),
                Cover(sum(passed) == self._count - 1, "one is passed over by all others"),
            ]


@pytest.mark.parametrize("qpus", [1, 2, 3])
def test_counts_owner_and_turns(prover, qpus):
    prover.holds(SyncProof(qpus), depth=2, cover=16)


_FAULTS = {
    "turn": ("turn.advance.eq(~granted.any())", "turn.advance.eq(1)", "goes first"),
    "stale": ("fulfilled & ~granted.any()", "fulfilled", ""),
    "withdrawn": ("turn.requests.eq(possible & valid)", "turn.requests.eq(possible)", "nobody asked"),
    "stays": ("granted & valid & ~takes", "granted & valid", "after it was taken"),
    "taken": ("locked.eq(1), ", "locked.eq(taken.acquire), ", "locked"),
    "freed": ("locked.eq(0)", "locked.eq(locked)", "locked"),
    "direction": ("Mux(taken.acquire, -1, 1)", "1", "lost"),
    "neighbour": ("taken.number == number", "taken.number[1:] == number >> 1", "lost"),
    "below": ("count != 0 for count", "1 for count", "known"),
}


@pytest.mark.parametrize("fault", _FAULTS)
def test_faults(prover, faulty, monkeypatch, fault):
    old, new, said = _FAULTS[fault]
    monkeypatch.setattr(sync, "Sync", faulty(sync.Sync, old, new))
    assert said in prover.refuted(SyncProof(2), depth=12)
