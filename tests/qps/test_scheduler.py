"""`Scheduler` before QPUs written in Python: every program runs once, in order, where and when it may."""

import random
from collections import deque
from dataclasses import dataclass, field

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.sim import Simulator

from vc4.qps.scheduler import Scheduler
from vc4.regs.scheduler import KINDS, REQUESTS

USER, FRAGMENT, VERTEX, COORDINATE = range(len(KINDS))
THREADS = 2


@dataclass
class Program:
    kind: int
    number: int
    threaded: bool
    clocks: int

    @property
    def payload(self):
        """Its kind and number stand in every field."""
        uniforms = self.kind << 24 | self.number
        return {"pc": 8 * self.number, "uniforms": uniforms, "length": self.number % 4096, "threaded": self.threaded}


@dataclass
class Qpu:
    threads: list = field(default_factory=lambda: [None] * THREADS)  # (program, clocks left)

    def step(self):
        """A clock passes; the threads in which a program ends."""
        ended = 0
        for number, thread in enumerate(self.threads):
            if thread is not None:
                program, left = thread
                self.threads[number] = (program, left - 1) if left > 1 else None
                ended |= (left <= 1) << number
        return ended

    @property
    def running(self):
        return [thread[0] for thread in self.threads if thread is not None]

    def room(self, threaded):
        if threaded:
            return len(self.running) < THREADS and all(program.threaded for program in self.running)
        return not self.running


class World:
    """A scheduler, its QPUs and its sources."""

    def __init__(self, qpus, seed=0):
        self.rng = random.Random(seed)
        self.seed = seed
        self.qpus = [Qpu() for _ in range(qpus)]
        self.waiting = [deque() for _ in KINDS]  # programs that are on their way in, of the user: in the queue
        self.reservations = [0] * qpus
        self.started = []  # (clock, QPU, program, whether beside another one)
        self.ended = []
        self.clock = 0
        self.gap = 0.0  # chance that a QPU has no room in a clock
        self.source_gap = 0.0  # chance that the next program of a shader does not come in a clock
        self.numbers = [0] * len(KINDS)
        self.offered = [False] * len(KINDS)

    def build(self):
        m = Module()
        m.submodules.scheduler = dut = self.dut = Scheduler(len(self.qpus))
        self.rooms = [Signal(2, name=f"room_{number}") for number in range(len(self.qpus))]
        for port, room in zip(dut.starts, self.rooms, strict=True):
            m.d.comb += port.ready.eq(Mux(port.payload.threaded, room[1], room[0]))
        return m

    def run(self, bench):
        simulator = Simulator(self.build())
        simulator.add_clock(1e-8)
        simulator.add_testbench(bench)
        simulator.run()

    def program(self, kind, *, threaded=False, clocks=20):
        self.numbers[kind] += 1
        return Program(kind, self.numbers[kind], threaded, clocks)

    def request(self, ctx, **fields):
        """A user program for the clock that comes; `tick` takes it back."""
        program = self.program(USER, **fields)
        payload = program.payload
        ctx.set(self.dut.user_pc, payload["pc"])
        ctx.set(self.dut.user_uniforms, payload["uniforms"])
        ctx.set(self.dut.user_length, payload["length"])
        ctx.set(self.dut.user_pc_stb, 1)
        return program

    async def tick(self, ctx):
        """One clock; returns the QPU on which a program starts, or `None`."""
        dut = self.dut
        ended = places = 0
        for number, qpu in enumerate(self.qpus):
            before = list(qpu.threads)
            bits = qpu.step()
            self.ended += [before[thread][0] for thread in range(THREADS) if bits >> thread & 1]
            ended |= bits << THREADS * number
            places |= (0 if qpu.threads[0] is None else 1) << number
            open_now = self.rng.random() >= self.gap
            ctx.set(self.rooms[number], (qpu.room(False) | qpu.room(True) << 1) if open_now else 0)
            ctx.set(dut.reservations[number], self.reservations[number])
        ctx.set(dut.ended, ended)
        ctx.set(dut.places, places)
        for kind, source in enumerate((dut.fragments, dut.vertices, dut.coordinates), FRAGMENT):
            self.offered[kind] = self.offered[kind] or self.rng.random() >= self.source_gap
            there = bool(self.waiting[kind]) and self.offered[kind]
            ctx.set(source.valid, there)
            if there:
                ctx.set(source.payload, self.waiting[kind][0].payload)
        started = self._starts(ctx)
        for kind, source in enumerate((dut.fragments, dut.vertices, dut.coordinates), FRAGMENT):
            taken = ctx.get(source.valid) and ctx.get(source.ready)
            assert taken == (started is not None and self.started[-1][2].kind == kind), self.where
        await ctx.tick()
        ctx.set(dut.user_pc_stb, 0)
        self.clock += 1
        return started

    def _starts(self, ctx):
        dut = self.dut
        valid = [number for number, port in enumerate(dut.starts) if ctx.get(port.valid)]
        assert len(valid) <= 1, f"programs start on {valid}, {self.where}"
        for number in valid:
            payload = ctx.get(dut.starts[number].payload)
            kind = payload["uniforms"] >> 24
            program = self.waiting[kind].popleft()
            assert {name: payload[name] for name in program.payload} == program.payload, self.where
            assert ctx.get(dut.starts[number].ready), self.where
            assert self.eligible(program, number), self.where
            assert self.qpus[number].room(program.threaded), self.where
            threads = self.qpus[number].threads
            self.started.append((self.clock, number, program, bool(self.qpus[number].running)))
            self.offered[kind] = False
            threads[0 if threads[0] is None else 1] = (program, program.clocks)
            return number
        return None

    def eligible(self, program, number):
        return not self.reservations[number] >> program.kind & 1

    @property
    def where(self):
        return f"clock {self.clock}, seed {self.seed}"


@pytest.mark.parametrize(
    ("qpus", "gap", "seed"),
    [
        (2, 0.3, 2),
        *(
            pytest.param(*run, marks=pytest.mark.thorough)
            for run in ((1, 0.0, 1), (4, 0.0, 3), (4, 0.6, 4), (12, 0.2, 5))
        ),
    ],
)
def test_random_programs(qpus, gap, seed):
    """All kinds at once with random gaps: `World` checks each start, here is what was asked for, and what came of it."""
    world = World(qpus, seed)
    rng = world.rng
    world.gap = world.source_gap = gap
    # Each kind keeps at least the last QPU.
    world.reservations = [rng.choice([0, 0, rng.randrange(16)]) for _ in range(qpus - 1)] + [0]
    made, most = 0, 40

    async def bench(ctx):
        nonlocal made
        dut = world.dut
        ctx.set(dut.vertex_limit, rng.randrange(4))
        ctx.set(dut.coordinate_limit, rng.randrange(4))
        for kind in (FRAGMENT, VERTEX, COORDINATE):
            for _ in range(most):
                threaded = kind == FRAGMENT and rng.random() < 0.8
                world.waiting[kind].append(world.program(kind, threaded=threaded, clocks=rng.randrange(1, 40)))
        for _ in range(20_000):
            program = None
            users = len(world.waiting[USER])
            assert ctx.get(dut.queued) == users, world.where
            assert ctx.get(dut.busy) == bool(
                users or any(one.kind == USER for qpu in world.qpus for one in qpu.running)
            )
            if made < most and users < REQUESTS and rng.random() < 0.1:
                program = world.request(ctx, clocks=rng.randrange(1, 40))
                made += 1
            await world.tick(ctx)
            if program is not None:
                world.waiting[USER].append(program)
            assert ctx.get(dut.completed) == sum(one.kind == USER for one in world.ended) % 256, world.where
            assert ctx.get(dut.made) == made, world.where
            if len(world.ended) == len(KINDS) * most:
                break
        for kind in range(len(KINDS)):
            numbers = [program.number for _, _, program, _ in world.started if program.kind == kind]
            assert numbers == list(range(1, most + 1)), f"{KINDS[kind]}, seed {seed}"
        assert not ctx.get(dut.error)

    world.run(bench)


def test_user_programs_start_back_to_back():
    """One in every clock, on the QPU with the lowest number; and in the first clock in which a QPU has room."""
    world = World(4)

    async def bench(ctx):
        for clock in range(10):
            program = world.request(ctx, clocks=100 if clock < 2 else 30)
            started = await world.tick(ctx)
            assert started == (clock - 1 if 1 <= clock <= 4 else None)
            world.waiting[USER].append(program)
        ends = [clock + program.clocks for clock, _, program, _ in world.started]
        while len(world.started) < 6:
            await world.tick(ctx)
        assert [number for _, number, _, _ in world.started] == [0, 1, 2, 3, 2, 3]
        assert [clock for clock, _, _, _ in world.started[4:]] == ends[2:]

    world.run(bench)


def test_the_lowest_qpu_that_has_room_and_may():
    """QPUs 0, 2 and 5 may; 0 has something to do."""
    world = World(6)
    world.reservations = [0, 1 << USER, 14, 1 << USER, 1 << USER, 0]

    async def bench(ctx):
        for expected in None, 0, 2, 5:
            program = world.request(ctx, clocks=100)
            assert await world.tick(ctx) == expected
            world.waiting[USER].append(program)

    world.run(bench)


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_a_reservation_keeps_one_kind_away(kind):
    """A QPU that runs all but one kind runs all but this one."""
    world = World(1)
    world.reservations = [1 << kind]

    async def bench(ctx):
        program = world.request(ctx)
        for other in (FRAGMENT, VERTEX, COORDINATE):
            world.waiting[other].append(world.program(other, threaded=other == FRAGMENT))
        await world.tick(ctx)
        world.waiting[USER].append(program)
        for _ in range(200):
            await world.tick(ctx)
        assert sorted(one.kind for _, _, one, _ in world.started) == [one for one in range(4) if one != kind]
        world.reservations = [0]
        for _ in range(20):
            await world.tick(ctx)
        assert world.started[-1][2].kind == kind

    world.run(bench)


def test_a_full_queue_loses_requests_until_the_error_is_cleared():
    world = World(1)
    world.reservations = [1 << USER]

    async def bench(ctx):
        dut = world.dut
        for number in range(1, REQUESTS + 1):
            world.waiting[USER].append(world.request(ctx))
            await world.tick(ctx)
            assert ctx.get(dut.queued) == number
            assert not ctx.get(dut.error)
        world.request(ctx)
        await world.tick(ctx)
        assert ctx.get(dut.error)
        world.reservations = [0]
        await world.tick(ctx)
        assert ctx.get(dut.queued) == REQUESTS - 1
        world.request(ctx)  # there is room now, but the error is not cleared
        await world.tick(ctx)
        assert (ctx.get(dut.queued), ctx.get(dut.made)) == (REQUESTS - 1, REQUESTS + 2)
        ctx.set(dut.clear_error, 1)
        await world.tick(ctx)
        ctx.set(dut.clear_error, 0)
        assert not ctx.get(dut.error)
        last = world.request(ctx)
        await world.tick(ctx)
        world.waiting[USER].append(last)
        while len(world.ended) < REQUESTS + 1:  # `World` compares each program
            await world.tick(ctx)
        assert (ctx.get(dut.made), ctx.get(dut.completed)) == (REQUESTS + 3, REQUESTS + 1)

    world.run(bench)


def test_clear_the_queue():
    """What runs goes on, what waits is gone, what comes later is first."""
    world = World(1)

    async def bench(ctx):
        dut = world.dut
        for _ in range(5):
            program = world.request(ctx)
            await world.tick(ctx)
            world.waiting[USER].append(program)
        assert ctx.get(dut.queued) == 4
        ctx.set(dut.clear_queue, 1)
        await world.tick(ctx)
        ctx.set(dut.clear_queue, 0)
        world.waiting[USER].clear()
        assert ctx.get(dut.queued) == 0
        assert ctx.get(dut.busy)
        later = world.request(ctx)
        await world.tick(ctx)
        world.waiting[USER].append(later)
        while len(world.ended) < 2:
            await world.tick(ctx)
        assert [program.number for program in world.ended] == [1, later.number]
        assert (ctx.get(dut.made), ctx.get(dut.completed)) == (6, 2)
        assert not ctx.get(dut.busy)

    world.run(bench)


def test_counters_wrap_and_clear():
    world = World(4)

    async def bench(ctx):
        dut = world.dut
        for _ in range(300):
            program = world.request(ctx, clocks=3)
            await world.tick(ctx)
            world.waiting[USER].append(program)
        for _ in range(10):
            await world.tick(ctx)
        assert (ctx.get(dut.made), ctx.get(dut.completed)) == (300 % 256, 300 % 256)
        for name, other in (("made", "completed"), ("completed", "made")):
            kept = ctx.get(getattr(dut, other))
            ctx.set(getattr(dut, f"clear_{name}"), 1)
            await world.tick(ctx)
            ctx.set(getattr(dut, f"clear_{name}"), 0)
            assert (ctx.get(getattr(dut, name)), ctx.get(getattr(dut, other))) == (0, kept)

    world.run(bench)


def test_programs_that_end_at_once_all_count():
    world = World(4)

    async def bench(ctx):
        for number in range(4):
            program = world.request(ctx, clocks=20 - number)
            await world.tick(ctx)
            world.waiting[USER].append(program)
        counts = []
        for _ in range(30):
            await world.tick(ctx)
            counts.append(ctx.get(world.dut.completed))
        assert set(counts) == {0, 4}

    world.run(bench)


@pytest.mark.parametrize("field", ["vertex_limit", "coordinate_limit"])
@pytest.mark.parametrize("limit", range(4))
def test_second_threads_pass_over_a_waiting_shader(field, limit):
    """A QPU on which threads come and go is never free; after 2**limit second threads it empties."""
    world = World(1)
    kind = VERTEX if field == "vertex_limit" else COORDINATE

    async def bench(ctx):
        ctx.set(world.dut.vertex_limit, limit if kind == VERTEX else 0)
        ctx.set(world.dut.coordinate_limit, limit if kind == COORDINATE else 0)
        for _ in range(60):
            world.waiting[FRAGMENT].append(world.program(FRAGMENT, threaded=True, clocks=20))
        await world.tick(ctx)
        for _ in range(55):
            await world.tick(ctx)
        assert world.qpus[0].running
        for _ in range(3):
            world.waiting[kind].append(world.program(kind, clocks=10))
        before = len(world.started)
        while len(world.waiting[kind]) == 3:
            await world.tick(ctx)
        while_it_waited = world.started[before:-1]
        assert len(while_it_waited) == 1 << limit
        assert all(beside for _, _, _, beside in while_it_waited)

    # Threads overlap, so that one of them always runs: the second program begins half-way through the first.
    original = world.program

    def overlapping(kind, **fields):
        program = original(kind, **fields)
        if kind == FRAGMENT and program.number == 1:
            program.clocks = 10
        return program

    world.program = overlapping
    world.run(bench)


def test_second_threads_go_on_without_a_shader_that_waits():
    world = World(1)

    async def bench(ctx):
        for number in range(40):
            world.waiting[FRAGMENT].append(world.program(FRAGMENT, threaded=True, clocks=20 if number else 10))
        while world.waiting[FRAGMENT]:
            await world.tick(ctx)
        assert all(beside for _, _, _, beside in world.started[1:])

    world.run(bench)


@pytest.mark.parametrize("qpus", [1, 3])
def test_no_kind_starves(qpus):
    """All kinds wait all the time, at every phase of their programs: they take turns on each QPU."""
    world = World(qpus)

    async def bench(ctx):
        for kind in (FRAGMENT, VERTEX, COORDINATE):
            for _ in range(300):
                world.waiting[kind].append(world.program(kind, clocks=4 * (1 + world.rng.randrange(3))))
        for _ in range(900):
            program = world.request(ctx, clocks=4) if len(world.waiting[USER]) < REQUESTS else None
            await world.tick(ctx)
            if program is not None:
                world.waiting[USER].append(program)
        for number in range(qpus):
            kinds = [program.kind for _, place, program, _ in world.started if place == number][4:]
            assert len(kinds) > 60
            assert all(len(set(kinds[at : at + 4])) == 4 for at in range(0, len(kinds) - 4, 4))

    world.run(bench)


def test_a_kind_that_becomes_possible_is_on_offer_soon():
    """While there is room for a program that waits, one starts within as many clocks as there are kinds."""
    world = World(3, seed=7)
    rng = world.rng

    async def bench(ctx):
        for kind in (FRAGMENT, VERTEX, COORDINATE):
            for _ in range(100):
                threaded = kind == FRAGMENT and bool(rng.randrange(2))
                world.waiting[kind].append(world.program(kind, threaded=threaded, clocks=rng.randrange(1, 30)))
        ctx.set(world.dut.vertex_limit, 3)
        ctx.set(world.dut.coordinate_limit, 3)
        idle = 0
        for _ in range(1000):
            if not rng.randrange(10):
                world.reservations = [rng.randrange(16) for _ in world.qpus]
                idle = 0
            alone = [number for number, qpu in enumerate(world.qpus) if not qpu.running]
            possible = any(
                world.eligible(world.waiting[kind][0], number)
                for number in alone
                for kind in (FRAGMENT, VERTEX, COORDINATE)
                if world.waiting[kind]
            )
            idle = idle + 1 if await world.tick(ctx) is None and possible else 0
            assert idle <= len(KINDS), world.where

    world.run(bench)
