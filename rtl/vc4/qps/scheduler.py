"""Which program runs on which QPU."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.arbiter import LeastRecent, RoundRobin
from vc4.qpu.structs import THREADS, UNIFORM_LENGTH_BITS, ProgramStart
from vc4.regs.scheduler import KINDS

from .user_requests import UserRequests

__all__ = ["Scheduler"]

_USER, _FRAGMENT = KINDS.index("user"), KINDS.index("fragment")
_LIMIT_BITS = 2
_MOST_PASSES = 1 << ((1 << _LIMIT_BITS) - 1)


class Scheduler(wiring.Component):
    """Gives programs to QPUs: user programs and those of the three shaders (guide, sections on the QPU, its registers).

    Behaviour: at most one program starts in a clock. The kinds that could go to some QPU are on offer in turn, a clock
    each; the one that is alone is on offer all the time, so its programs start in successive clocks, and in the first clock
    in which a QPU can take one. An idle QPU gets it, or else any, that with the lowest number first. A kind that becomes
    possible beside others, or after another one, is on offer a clock later, or up to `len(KINDS)`.

    A QPU that runs nothing takes of the kinds that wait and may use it the one whose last program there is the longest time
    ago: so each kind waits for one program of each other kind at the most on every QPU that it may use. A QPU with one
    thread free takes threaded programs only, or a shader of fragments after one, if both do not share. They pass over a vertex
    shader that waits for a whole QPU, 2**`vertex_limit` times at the most, then no more second threads begin until it has started;
    the same for coordinate shaders, and over a user program once.

    The ports to the QPUs are no streams in one respect: what is offered may change from clock to clock, and `valid` is high
    only where `ready` is.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    user_pc, user_pc_stb, user_uniforms, user_length : a user program is asked for, see `UserRequests`
    clear_error, clear_queue, clear_made, clear_completed : strobes of the host
    queued, made, completed : user programs that wait, that were asked for and that have ended; the last two modulo 256
    error : a user program was asked for without room for it; sticky
    busy : a user program waits or runs
    fragment : a QPU runs fragment shaders, one bit each
    fragments, vertices, coordinates : streams of programs
    reservations : the kinds that a QPU does not run, a bit for each of `KINDS`
    vertex_limit, coordinate_limit : V3D_SQCNTL
    starts : streams of programs to the QPUs; `ready` is that for a program as `threaded` as the payload, at any `valid`
    places : one bit a QPU: the thread that a program gets that starts in this clock
    ended : one bit a thread, of QPU 0 first: strobe: a program has ended, no later than the next one starts there
    """

    def __init__(self, qpus: int):
        self._count = qpus
        programs = stream.Signature(ProgramStart)
        super().__init__(
            {
                "user_pc": In(32),
                "user_pc_stb": In(1),
                "user_uniforms": In(32),
                "user_length": In(UNIFORM_LENGTH_BITS),
                **{f"clear_{name}": In(1) for name in ("error", "queue", "made", "completed")},
                "queued": Out(6),
                "made": Out(8),
                "completed": Out(8),
                "error": Out(1),
                "busy": Out(1),
                "fragment": Out(qpus),
                **{name: In(programs) for name in ("fragments", "vertices", "coordinates")},
                "reservations": In(data.ArrayLayout(unsigned(len(KINDS)), qpus)),
                "vertex_limit": In(_LIMIT_BITS),
                "coordinate_limit": In(_LIMIT_BITS),
                "starts": Out(programs).array(qpus),
                "places": In(qpus),
                "ended": In(THREADS * qpus),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.user_requests = user = UserRequests()
        sources = (user.o, self.fragments, self.vertices, self.coordinates)
        m.d.comb += [
            *(getattr(user, name).eq(getattr(self, f"user_{name}")) for name in ("pc", "pc_stb", "uniforms", "length")),
            *(getattr(user, name).eq(getattr(self, name)) for name in ("clear_queue", "clear_made", "clear_error")),
            *(getattr(self, name).eq(getattr(user, name)) for name in ("queued", "made", "error")),
        ]
        kind = Signal(len(KINDS), init=1 << _USER)  # on offer, one bit each
        program = Signal(ProgramStart)
        bits = (Value.cast(source.payload) for source in sources)
        m.d.comb += program.as_value().eq(
            reduce(or_, (value & once.replicate(len(value)) for value, once in zip(bits, kind, strict=True)))
        )

        held = Signal()  # no second thread begins
        possible = Signal(len(KINDS))
        takes, idle, first, starts, beside, users = (
            Signal(self._count, name=name) for name in ("takes", "idle", "first", "starts", "beside", "users")
        )
        m.submodules.turn = turn = RoundRobin(len(KINDS))
        choices = [
            self._qpu(m, number, sources, kind, held, starts[number], beside[number], users[number])
            for number in range(self._count)
        ]
        m.d.comb += [
            takes.eq(
                Cat((choice & kind).any() & port.ready for choice, port in zip(choices, self.starts, strict=True))
            ),
            idle.eq(takes & ~beside),
            first.eq(Mux(idle.any(), idle, takes)),
            starts.eq(Cat(first[number] & ~first[:number].any() for number in range(self._count))),
            *(port.valid.eq(start) for port, start in zip(self.starts, starts, strict=True)),
            *(port.payload.eq(program) for port in self.starts),
            *(source.ready.eq(once & takes.any()) for source, once in zip(sources, kind, strict=True)),
            possible.eq(reduce(or_, choices)),
            turn.requests.eq(possible),
            turn.advance.eq(1),
            self.busy.eq((user.queued != 0) | users.any()),
        ]
        with m.If(possible.any()):
            m.d.sync += kind.eq(turn.grant_onehot)
        self._limits(m, user.o, held, (starts & beside).any())
        self._completed(m, users)
        return m

    def _qpu(self, m, number, sources, kind, held, starts, beside, user):
        """Keeps what runs on a QPU; returns the kind that it takes next, one bit each."""
        m.submodules[f"choice_{number}"] = choice = LeastRecent(len(KINDS))
        ended = self.ended[THREADS * number : THREADS * (number + 1)]
        occupied = Signal(THREADS, name=f"occupied_{number}")  # a bit for each thread
        left = Signal(THREADS, name=f"left_{number}")  # of these, those that go on
        place = Signal(THREADS, name=f"place_{number}")
        single = Signal(name=f"single_{number}")  # what runs is a shader of fragments that does not share
        waits = Cat(source.valid for source in sources) & ~self.reservations[number]
        m.d.comb += [
            left.eq(occupied & ~ended),
            beside.eq(left.any()),
            place.eq(Mux(starts, Mux(self.places[number], 2, 1), 0)),
            choice.requests.eq(
                waits
                & Cat(
                    ~beside | (~held & (source.payload.threaded | (single if source is self.fragments else 0)))
                    for source in sources
                )
            ),
            choice.advance.eq(starts),
        ]
        m.d.sync += [
            occupied.eq(left | place),
            # A user program has the QPU for itself.
            user.eq(Mux(starts, kind[_USER], user & ~ended.any())),
            self.fragment[number].eq(Mux(starts, kind[_FRAGMENT], self.fragment[number] & left.any())),
            single.eq(Mux(starts, kind[_FRAGMENT] & ~self.fragments.payload.threaded, single)),
            Assert((ended & ~occupied) == 0, "a program ends that did not start"),
            Assert((left & place) == 0, "a program starts in a thread that has one"),
            Assert(~user | (occupied == 1) | (occupied == 2), "a user program does not run alone"),
        ]
        return choice.grant_onehot

    def _limits(self, m, user, held, passes):
        """Counts how often each program that may wait for a whole QPU has been passed over by a second thread."""
        full = []
        for name, source, limit in (
            ("user", user, Const(0)),
            ("vertex", self.vertices, self.vertex_limit),
            ("coordinate", self.coordinates, self.coordinate_limit),
        ):
            passed = Signal(range(_MOST_PASSES + 1), name=f"passed_{name}")
            waits = source.valid & ~source.ready
            m.d.sync += [
                passed.eq(Mux(waits, passed + passes, 0)),
                Assert(passed <= _MOST_PASSES, "a program is passed over too often"),
            ]
            full.append(source.valid & (passed >= 1 << limit))
        m.d.comb += held.eq(Cat(full).any())

    def _completed(self, m, users):
        """Counts the user programs that end; there may be several in a clock."""
        ends = (user & self.ended[THREADS * number : THREADS * (number + 1)].any() for number, user in enumerate(users))
        m.d.sync += self.completed.eq(Mux(self.clear_completed, 0, self.completed) + sum(ends))
