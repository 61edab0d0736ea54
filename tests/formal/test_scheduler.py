"""`Scheduler`: every program starts once, in order, where it may; the counts of user programs; the limits."""

from functools import reduce
from operator import or_

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In

from vc4.qps import scheduler, user_requests
from vc4.qpu.structs import THREADS, ProgramStart
from vc4.regs.scheduler import KINDS

from .order import Order

pytestmark = pytest.mark.thorough

_USER, _FRAGMENT, _VERTEX, _COORDINATE = range(len(KINDS))
_LAYOUT = data.Layout.cast(ProgramStart)
_WIDTH = _LAYOUT.size
#: Of a place of the queue: Yosys keeps nothing from `threaded` on, as no user program sets it.
_KEPT_WIDTH = _LAYOUT["threaded"].offset
_REQUESTS = 3
_SHADERS = {"fragments": _FRAGMENT, "vertices": _VERTEX, "coordinates": _COORDINATE}
_CLEARS = tuple(f"clear_{name}" for name in ("error", "queue", "made", "completed"))


def _kind(program):
    """The proof lets the low bits of the address of the uniforms tell the kind."""
    return program.uniforms[:2]


class SchedulerProof(wiring.Component):
    """Any programs before QPUs that have room as they like, and a scoreboard that follows one user program.

    The scoreboard holds the program and how many are in front of it, in the queue.
    """

    def __init__(self, qpus: int):
        self._count = qpus
        self._orders = [Order(len(KINDS), f"before_{number}") for number in range(qpus)]
        members = {
            **{name: In(1) for name in ("user_pc_stb", "follow", "valid", *_CLEARS)},
            **{name: In(stream.Signature(ProgramStart)) for name in _SHADERS},
            "program": In(ProgramStart),
            "reservations": In(data.ArrayLayout(unsigned(len(KINDS)), qpus)),
            **{name: In(2) for name in ("vertex_limit", "coordinate_limit")},
            **{name: In(qpus) for name in ("room", "room_threaded", "places", "users")},
            "ended": In(THREADS * qpus),
            "kind": In(len(KINDS)),
            **{name: In(range(_REQUESTS)) for name in ("read", "write")},
            **{f"place_{number}": In(_KEPT_WIDTH) for number in range(_REQUESTS)},
            **{name: In(4) for name in ("passed_user", "passed_vertex", "passed_coordinate")},
            **{f"single_{number}": In(1) for number in range(qpus)},
            **{f"occupied_{number}": In(THREADS) for number in range(qpus)},
        }
        queue = "scheduler.user_requests"
        self.views = {
            "valid": f"{queue}.valid",
            "read": f"{queue}.places.read_address",
            "write": f"{queue}.places.write_address",
            **{f"place_{number}": f"{queue}.places.memory[{number}]" for number in range(_REQUESTS)},
            **{f"passed_{name}": f"scheduler.passed_{name}" for name in ("user", "vertex", "coordinate")},
            **{name: f"scheduler.{name}" for name in ("kind", "users")},
            **{
                f"{name}_{number}": f"scheduler.{name}_{number}"
                for name in ("occupied", "single")
                for number in range(qpus)
            },
        }
        for number, order in enumerate(self._orders):
            members |= order.members
            self.views |= order.views(f"scheduler.choice_{number}")
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.scheduler = dut = scheduler.Scheduler(self._count)
        names = ("user_pc_stb", *_CLEARS, "reservations", "vertex_limit", "coordinate_limit", "places", "ended")
        m.d.comb += [
            *(getattr(dut, name).eq(getattr(self, name)) for name in names),
            *(getattr(dut, f"user_{name}").eq(getattr(self.program, name)) for name in ("pc", "uniforms", "length")),
            Assume((_kind(self.program) == _USER) & (self.program.as_value()[_KEPT_WIDTH:] == 0)),
            Assert((self.kind != 0) & ((self.kind & (self.kind - 1)) == 0), "two kinds are on offer, or none"),
        ]
        started = Signal(self._count)
        program = Signal(ProgramStart)
        payloads = [Value.cast(port.payload) & port.valid.replicate(_WIDTH) for port in dut.starts]
        m.d.comb += [
            started.eq(Cat(port.valid for port in dut.starts)),
            program.as_value().eq(reduce(or_, payloads)),
            Assert(sum(started) <= 1, "two programs start at once"),
        ]
        beside = Signal(self._count)  # another program runs there
        users = [self._qpu(m, dut, number, _kind(program), beside[number]) for number in range(self._count)]
        user_starts = started.any() & (_kind(program) == _USER)
        for name, kind in _SHADERS.items():
            ours, theirs = getattr(self, name), getattr(dut, name)
            wiring.connect(m, wiring.flipped(ours), theirs)
            starts = started.any() & (_kind(program) == kind)
            m.d.comb += [
                Assume(_kind(ours.payload) == kind),
                Assert(starts == (theirs.valid & theirs.ready), "a program starts that is not taken, or is lost"),
                Assert(~starts | (program == ours.payload), "another program starts"),
                Cover(starts & started[-1], f"one of the {name} starts"),
            ]
        self._requests(m, dut, user_starts, program, Cat(users))
        self._limits(m, dut, user_starts, (started & beside).any())
        return m

    def _qpu(self, m, dut, number, kind, beside):
        """What may start here; returns whether a user program ends."""
        port, occupied = dut.starts[number], getattr(self, f"occupied_{number}")
        ended = self.ended[THREADS * number : THREADS * (number + 1)]
        running = Signal(THREADS, name=f"running_{number}")
        user = Signal(name=f"user_{number}")  # it is a user program
        left = Signal(THREADS, name=f"left_{number}")
        single = Signal(name=f"fragments_alone_{number}")  # it is a shader of fragments that does not share
        place = Mux(self.places[number], 2, 1)
        starts = port.valid
        room = Mux(port.payload.threaded, self.room_threaded[number], self.room[number])
        m.d.sync += [
            running.eq(left | Mux(starts, place, 0)),
            user.eq(Mux(starts, kind == _USER, user & left.any())),
            single.eq(Mux(starts, (kind == _FRAGMENT) & ~port.payload.threaded, single)),
        ]
        m.d.comb += [
            *(left.eq(running & ~ended), port.ready.eq(room), beside.eq(left.any())),
            Assume((ended & ~running) == 0),
            Assume(~(self.room | self.room_threaded)[number] | ((left & place) == 0)),
            Assume(~self.room_threaded[number] | ~(user & left.any())),
            Assume(~self.room[number] | left.any() | ~self.places[number]),
            Assert(~starts | port.ready, "a program starts where it cannot"),
            Assert(
                ~starts | port.payload.threaded | (left == 0) | ((kind == _FRAGMENT) & single),
                "it does not start alone, nor after fragments that do not share",
            ),
            Assert(~starts | ~self.reservations[number].bit_select(kind, 1), "it starts where it must not"),
            Assert(occupied == running, "the scheduler does not know what runs"),
            Assert(self.users[number] == user, "nor whether it is a user program"),
            Assert(getattr(self, f"single_{number}") == single, "nor whether it shades fragments and does not share"),
            Assert(~(user & single), "a user program shades fragments"),
            Assert(~user | (running == 1) | (running == 2), "a user program is not alone"),
            *self._orders[number].invariants(self),
            Cover(running == 3, "two programs share a QPU"),
        ]
        self._turns(m, dut, number, starts, kind, left.any())
        return user & ended.any()

    def _turns(self, m, dut, number, starts, kind, beside):
        """While a kind waits that might start here, each other kind does so once at the most."""
        for one, waits in enumerate((self.valid, *(getattr(dut, name).valid for name in _SHADERS))):
            passed = Signal(len(KINDS), name=f"passed_{number}_{one}")
            may = waits & ~self.reservations[number][one] & ~beside
            passes = Mux(starts & may, 1 << kind, 0)
            own = starts & (kind == one)
            m.d.sync += passed.eq(Mux(own, 0, passed | passes))
            m.d.comb += [
                Assert(own | ((passed & passes) == 0), "a kind starts again while another one waits"),
                *(
                    Assert(~passed[other] | self._orders[number].before(self, one, other), "the order is wrong")
                    for other in range(len(KINDS))
                    if other != one
                ),
                Assert(~passed[one], "a kind waits for itself"),
            ]

    def _requests(self, m, dut, leaves, program, ends):
        """The n-th user program that is queued and not dropped is the n-th that starts, unchanged; and the counts."""
        inside, ahead = Signal(range(_REQUESTS + 1)), Signal(range(_REQUESTS + 1))
        made, completed, error = Signal(8), Signal(8), Signal()
        waiting, item = Signal(), Signal(ProgramStart)
        comes = self.user_pc_stb & ~error & (inside != _REQUESTS)
        m.d.sync += [
            inside.eq(Mux(self.clear_queue, 0, inside + comes - leaves)),
            made.eq(Mux(self.clear_made, 0, made) + self.user_pc_stb),
            completed.eq(Mux(self.clear_completed, 0, completed) + sum(ends)),
            error.eq((error & ~self.clear_error) | (self.user_pc_stb & (inside == _REQUESTS))),
        ]
        with m.If(self.clear_queue):
            m.d.sync += waiting.eq(0)
        with m.Elif(waiting & leaves):
            m.d.sync += [ahead.eq(ahead - 1), waiting.eq(ahead != 0)]
        with m.Elif(~waiting & comes & self.follow):
            m.d.sync += [waiting.eq(1), item.eq(self.program), ahead.eq(inside - leaves)]
        places = [getattr(self, f"place_{number}") for number in range(_REQUESTS)]
        m.d.comb += [
            Assert(dut.queued == inside, "the queue has another length"),
            Assert(self.valid == (inside != 0), "the queue is wrong about being empty"),
            Assert(~(leaves & program.threaded) & (item.as_value()[_KEPT_WIDTH:] == 0), "a user program is threaded"),
            Assert(~leaves | (inside != 0), "a user program starts that nobody asked for"),
            Assert(~(waiting & leaves & (ahead == 0)) | (program == item), "another user program starts in its place"),
            Assert(~waiting | (ahead < inside), "the program is not among those that wait"),
            Assert((dut.made == made) & (dut.completed == completed), "a count is wrong"),
            Assert(dut.error == error, "the error is wrong"),
            Assert(dut.busy == ((inside != 0) | self.users.any()), "busy is wrong"),
            Cover(waiting & (ahead == _REQUESTS - 1), "the program is the last one of a full queue"),
            Cover(waiting & (ahead == 0) & leaves & (made == 3), "it starts"),
            Cover(error & ~self.user_pc_stb, "a request is lost"),
            Cover(completed == 2, "user programs end"),
            # Where the programs lie.
            Assert((self.read < _REQUESTS) & (self.write < _REQUESTS), "there is no such place"),
            Assert((self.read + inside - self.write) % _REQUESTS == 0, "the places are not those of the programs"),
            Assert(
                ~(waiting & (ahead < _REQUESTS))
                | (Array(places)[(self.read + ahead) % _REQUESTS] == item.as_value()[:_KEPT_WIDTH]),
                "the program is not in its place",
            ),
            *(
                Assert(
                    (inside <= ahead)
                    | (
                        _kind(
                            ProgramStart(
                                Cat(Array(places)[(self.read + ahead) % _REQUESTS], C(0, _WIDTH - _KEPT_WIDTH))
                            )
                        )
                        == _USER
                    ),
                    "what waits is no user program",
                )
                for ahead in range(_REQUESTS)
            ),
        ]

    def _limits(self, m, dut, user_starts, passes):
        """Second threads do not pass over a program that waits, more often than the limit says."""
        for waits, starts, limit, view, kind in (
            (self.valid, user_starts, C(0), self.passed_user, _USER),
            (dut.vertices.valid, dut.vertices.ready, self.vertex_limit, self.passed_vertex, _VERTEX),
            (dut.coordinates.valid, dut.coordinates.ready, self.coordinate_limit, self.passed_coordinate, _COORDINATE),
        ):
            passed = Signal(4, name=f"reference_{kind}")
            m.d.sync += passed.eq(Mux(waits & ~starts, passed + passes, 0))
            m.d.comb += [
                Assert(view == passed, "the times a program was passed over are not counted"),
                Assert(passed <= 8, "a program is passed over too often"),
                Assert(~(waits & passes) | (passed < 1 << limit), "a second thread passes over a program"),
                Cover(passed == (1 if kind == _USER else 2), "a program is passed over as often as it may be"),
            ]


@pytest.fixture
def few_requests(monkeypatch):
    monkeypatch.setattr(user_requests, "REQUESTS", _REQUESTS)


@pytest.mark.parametrize("qpus", [1, 2, 3])
def test_each_program_starts_once_where_it_may(prover, few_requests, qpus):
    prover.holds(SchedulerProof(qpus), depth=2, cover=14)


_FAULTS = [
    ("Scheduler", "first[number] & ~first[:number].any()", "first[number]", "two programs start"),
    ("Scheduler", "& ~self.reservations[number]", "", "must not"),
    ("Scheduler", "(~held & (source", "((source", "passes over"),
    ("Scheduler", "& ~self.fragments.payload.threaded, single)", ", single)", "does not share"),
    ("Scheduler", "user, Const(0))", "user, self.vertex_limit)", "passes over"),
    ("Scheduler", "passed + passes, 0)", "passed + passes, passed)", "passed over"),
    ("Scheduler", "choice.advance.eq(starts)", "choice.advance.eq(starts & kind[0])", "order"),
    ("Scheduler", "user & ~ended.any()", "user", "user program"),
    ("Scheduler", "source.ready.eq(once & takes.any())", "source.ready.eq(once)", "lost"),
    ("UserRequests", "~full & ~self.error", "~full", "length"),
    ("UserRequests", "~full & ~self.error", "~self.error", "length"),
    ("UserRequests", "self.clear_queue, 0, level", "self.clear_queue, level, level", "length"),
    ("UserRequests", "write_enable.eq(comes)", "write_enable.eq(comes & ~leaves)", "another"),
    ("UserRequests", "self.made) + self.pc_stb", "self.made) + comes", "count"),
]


@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    _FAULTS,
)
def test_faults(prover, faulty, few_requests, monkeypatch, part, old, new, said):
    module = {"Scheduler": scheduler, "UserRequests": user_requests}[part]
    monkeypatch.setattr(scheduler, part, faulty(getattr(module, part), old, new))
    assert said in prover.refuted(SchedulerProof(2), depth=10)
