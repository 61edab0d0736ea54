"""`Vri` against the model: programs that take varyings of several threads, with gaps, and end at any time."""

import random
from collections import deque
from functools import cache

import pytest

from vc4.fep.structs import PLANE_SLOTS, PLANES
from vc4.slice.varying_sums import VaryingSums
from vc4.slice.vri import Vri
from vc4sim.model.arith.float import WORD, itof
from vc4sim.model.slice.vri import distance, partial_result

from ..simulation import Simulation

CENTRE = 8
MOST = PLANES // PLANE_SLOTS
PATIENCE = 4000


@cache
def simulation(qpus, lanes):
    dut = Vri(qpus, lanes)
    return Simulation(dut), dut


def some_float(rng):
    return rng.getrandbits(32) if rng.random() < 0.3 else rng.getrandbits(25) | rng.choice((0x3E, 0xBE)) << 24


class Vector:
    """Four quads, and what their varyings are.

    takes : varyings that the program takes, more than there are or less
    """

    def __init__(self, rng, qpu, thread, slots, count, takes):
        self.qpu, self.thread, self.takes = qpu, thread, takes
        self.primitives = []
        for slot in slots:
            planes = [tuple(some_float(rng) for _ in range(3)) for _ in range(count)]
            self.primitives.append((slot, planes, rng.randrange(-65536, 65536), rng.randrange(-65536, 65536)))
        self.quads = []
        for _ in range(4):
            x, y = (2 * rng.randrange(2048) for _ in range(2))
            self.quads.append((x, y, rng.choice(self.primitives)))
        self.came = self.ended = False

    @property
    def slots(self):
        return {slot for slot, *_ in self.primitives}

    def writes(self, rng):
        """What is told of it, in order: coefficients and slots, then quads."""
        for slot, planes, x, y in self.primitives:
            base = slot * MOST
            for number, (a, b, c) in enumerate(planes):
                yield "plane_write", {"number": base + number, "plane": {"a": a, "b": b, "c": c}}
            yield "slot_write", slot, {"base": base, "count": len(planes), "x": x, "y": y}
        for number, (x, y, (slot, *_)) in enumerate(self.quads):
            place = {"x": x % 64 // 2, "y": y % 64 // 2, "buffer": 0}
            quad = {"thread": self.thread, "quad": number, "x": x, "y": y, "place": place, "slot": slot}
            yield "quad", quad | {"real": rng.randrange(2), "z": [rng.getrandbits(24)] * 4}, self

    def wanted(self, varying, quad):
        """Partial results and C."""
        x, y, (_, planes, left, low) = self.quads[quad]
        if varying >= len(planes):
            return [0] * 4, 0
        a, b, c = planes[varying]
        dx = [distance(x + n, CENTRE, left) for n in range(2)]
        dy = [distance(y + n, CENTRE, low) for n in range(2)]
        return [partial_result(a, b, dx[n % 2], dy[n // 2]) for n in range(4)], c


class Programs:
    """Those of a QPU: a varying is taken quad by quad, of one thread or the other."""

    def __init__(self, ctx, port, rng, pause):
        self.ctx, self.port, self.rng, self.pause = ctx, port, rng, pause
        self.vectors = [None, None]
        self.taken = [0, 0]
        self.now = None  # vector, varying and quad that is taken next
        self.checks = None
        self.ends = []
        self.clocks = []

    def before(self, clock):
        ctx, port, rng = self.ctx, self.port, self.rng
        there = ctx.get(port.there)
        if self.checks is not None:
            partial, c, shows = self.checks
            found = ctx.get(port.taken)
            wanted = [partial if shows >> number & 1 else [0] * 4 for number in range(2)]
            assert ([list(one) for one in found.partials], found.c) == (wanted, c), clock
        self.checks = None
        goes = rng.random() >= self.pause
        self.ends = []
        for thread, vector in enumerate(self.vectors):
            busy = self.now and self.now[0] is vector
            if (
                vector
                and vector.came
                and self.taken[thread] >= vector.takes
                and not busy
                and rng.random() >= self.pause
            ):
                self.ends.append(thread)
        if self.now is None and goes:
            able = [
                thread
                for thread, vector in enumerate(self.vectors)
                if vector and vector.came and there >> thread & 1 and self.taken[thread] < vector.takes
            ]
            if able:
                thread = rng.choice(able)
                self.now = self.vectors[thread], self.taken[thread], 0
                self.taken[thread] += 1
                self.clocks.append(clock)
        takes = self.now is not None and goes
        ctx.set(port.take, takes)
        if takes:
            vector, varying, quad = self.now
            ctx.set(port.thread, vector.thread)
            ctx.set(port.quad, quad)
            shows = rng.randrange(4)
            ctx.set(port.shows, shows)
            self.checks = *vector.wanted(varying, quad), shows
            self.now = (vector, varying, quad + 1) if quad < 3 else None
        ctx.set(port.ended, sum(1 << thread for thread in self.ends))

    def after(self):
        for thread in self.ends:
            self.vectors[thread].ended = True
            self.vectors[thread] = None
            self.taken[thread] = 0


def run(qpus, lanes, vectors, *, seed=1, gap=0.0, pause=0.0):
    """Vectors, each as soon as its thread and its slots are free, from `vectors(rng, qpu, thread, slots)`, until that gives
    `None`; returns the clocks in which varyings were taken.
    """
    rng = random.Random(seed)
    rig, dut = simulation(qpus, lanes)
    clocks = []

    async def bench(ctx):
        programs = [Programs(ctx, port, rng, pause) for port in dut.ports]
        writes, clock, alive, comes = deque(), 0, True, False
        while alive or writes or any(any(one.vectors) for one in programs):
            if not writes and alive:
                used = {slot for one in programs for vector in one.vectors if vector for slot in vector.slots}
                free = [(one, thread) for one in programs for thread in range(2) if not one.vectors[thread]]
                if free:
                    one, thread = rng.choice(free)
                    slots = [slot for slot in range(PLANE_SLOTS) if slot not in used]
                    vector = vectors(rng, programs.index(one), thread, slots)
                    alive = vector is not None
                    if vector:
                        one.vectors[thread] = vector
                        writes.extend(vector.writes(rng))
            for name in ("plane_write", "slot_write"):
                ctx.set(getattr(dut, f"{name}_stb"), 0)
            ctx.set(dut.quad_stb, 0)
            came = comes
            comes = None
            if writes and rng.random() >= gap:
                name, *what = writes.popleft()
                if name == "plane_write":
                    ctx.set(dut.plane_write, what[0])
                    ctx.set(dut.plane_write_stb, 1)
                elif name == "slot_write":
                    ctx.set(dut.slot, what[0])
                    ctx.set(dut.slot_write, what[1])
                    ctx.set(dut.slot_write_stb, 1)
                else:
                    quad, vector = what
                    ctx.set(dut.quad, quad)
                    ctx.set(dut.quad_stb, 1 << vector.qpu)
                    comes = vector if quad["quad"] == 3 else None
            if came:
                came.came = True
            for one in programs:
                one.before(clock)
            await ctx.tick()
            for one in programs:
                one.after()
            clock += 1
            assert clock < PATIENCE * 20
        ctx.set(dut.quad_stb, 0)
        for one in programs:
            ctx.set(one.port.ended, 0)
            clocks.extend(one.clocks)

    rig.run(bench)
    return sorted(clocks)


def some_vectors(count, most):
    left = [count]

    def next_one(rng, qpu, thread, slots):
        left[0] -= 1
        if left[0] < 0 or not slots:
            return None
        varyings = rng.randint(0, most)
        takes = max(0, varyings + rng.randint(-2, 3)) if rng.random() < 0.7 else rng.randint(0, 2)
        chosen = rng.sample(slots, min(len(slots), rng.randint(1, 2)))
        return Vector(rng, qpu, thread, chosen, varyings, takes)

    return next_one


@pytest.mark.parametrize("lanes", [1, *(pytest.param(count, marks=pytest.mark.thorough) for count in (2, 4))])
@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 3), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_programs_of_the_model(lanes, seeds):
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        gap, pause = rng.choice((0, 0.2)), rng.choice((0, 0, 0.3, 0.8))
        run(rng.choice((1, 2, 4)), lanes, some_vectors(30, 6), seed=seed, gap=gap, pause=pause)


def test_vectors_that_end_at_once():
    """What was under way for one does not reach the next one."""

    def next_one(rng, qpu, thread, slots, left=iter(range(60))):
        if next(left, None) is None:
            return None
        return Vector(rng, qpu, thread, slots[:1], rng.randint(0, 2), 0)

    run(1, 1, next_one, pause=0.8)


def test_all_varyings():
    counts = iter([MOST])

    def one(rng, qpu, thread, slots):
        count = next(counts, None)
        return None if count is None else Vector(rng, qpu, thread, slots[3:4], count, count + 2)

    run(1, 4, one)


@pytest.mark.thorough
@pytest.mark.parametrize(("lanes", "clocks"), [(1, 16), (2, 8), (4, 4)])
def test_clocks_of_a_varying(lanes, clocks):
    """Of all eight threads of a slice, each of whose programs takes what is there."""
    counts = iter(range(8))

    def eight(rng, qpu, thread, slots):
        number = next(counts, None)
        return None if number is None else Vector(rng, qpu, thread, slots[:1], 20, 10)

    taken = run(4, lanes, eight)
    # Between those that were computed ahead and the last ones, when threads have ended.
    assert (taken[50] - taken[30]) / 20 == clocks


@pytest.mark.parametrize(("lanes", "clocks"), [(1, 31), pytest.param(2, 22, marks=pytest.mark.thorough), (4, 17)])
def test_clocks_of_the_first_varying(lanes, clocks):
    """From the last quad of the vector on."""
    rig, dut = simulation(1, lanes)
    vector = Vector(random.Random(1), 0, 0, [0], 1, 1)
    found = []

    async def bench(ctx):
        for name, *what in vector.writes(random.Random(1)):
            ctx.set(dut.plane_write_stb, name == "plane_write")
            ctx.set(dut.slot_write_stb, name == "slot_write")
            ctx.set(dut.quad_stb, name == "quad")
            if name == "slot_write":
                ctx.set(dut.slot_write, what[1])
            else:
                ctx.set(getattr(dut, name), what[0])
            await ctx.tick()
        ctx.set(dut.quad_stb, 0)
        clock = 1
        while not ctx.get(dut.ports[0].there):
            await ctx.tick()
            clock += 1
        found.append(clock)

    rig.run(bench)
    assert found == [clocks]


@pytest.mark.parametrize("lanes", [1, pytest.param(2, marks=pytest.mark.thorough), 4])
def test_sums(lanes):
    """Quads one after the other, with gaps between them."""
    rng = random.Random(lanes)
    dut = VaryingSums(lanes)
    steps = 4 // lanes
    quads = [
        (some_float(rng), some_float(rng), *(rng.randrange(-(1 << 17), (1 << 17) - 16) for _ in range(2)))
        for _ in range(60)
    ]
    clocks = []
    for quad in quads:
        clocks += [None] * (rng.random() < 0.3) + [(quad, step) for step in range(steps)]
    found = {}

    async def bench(ctx):
        for clock in range(len(clocks) + dut.latency + 1):
            now, before = (clocks[n] if 0 <= n < len(clocks) else None for n in (clock, clock - 1))
            if now:
                for port, value in ((dut.dx, now[0][2]), (dut.dy, now[0][3]), (dut.step, now[1])):
                    ctx.set(port, value)
            if before:
                ctx.set(dut.a, before[0][0])
                ctx.set(dut.b, before[0][1])
            done = clock - dut.latency
            if 0 <= done < len(clocks) and clocks[done]:
                found[done] = [ctx.get(word) for word in dut.o]
            await ctx.tick()

    Simulation(dut).run(bench)
    for clock, one in enumerate(clocks):
        if one:
            (a, b, dx, dy), step = one
            for lane in range(lanes):
                pixel = step * lanes + lane
                xs, ys = (itof(value + 16 * n & WORD) for value, n in ((dx, pixel % 2), (dy, pixel // 2)))
                assert found[clock][lane] == partial_result(a, b, xs, ys)
