"""`VpmAllocator`: no row is owned twice, all come back, VPACNTL is kept to, and no thread is forgotten."""

import random
from collections import deque

import pytest

from vc4.vcm.vpm_allocator import VpmAllocator

from ..simulation import simulation_of

BINNING, RENDERING = range(2)
#: Clocks in which something must happen, if rows are given back. A search takes up to 128.
PATIENCE = 2000
FREE = {"user_rows": 0, "limited": 0, "timed": 0}


class Owner:
    """Brings batches of both threads, keeps their rows for a while, and knows who owns what.

    chance : that a batch comes, that one is taken, that rows are given back, in each clock
    """

    def __init__(self, ctx, dut, rows, rng):
        self.ctx, self.dut, self.rng = ctx, dut, rng
        self.blocks = rows // 4
        self.owners = [None] * self.blocks
        self.held = [deque(), deque()]  # spaces of both threads
        self.freed = deque()
        self.freeing = None
        self.passed = [0, 0]  # allocations of the other one while a batch of each waits
        self.waiting = [None, None]  # their batches
        self.answers = []
        self.clocks = self.quiet = 0  # and those since something has happened
        self.division = FREE
        self.needs = [(1, 1), (1, 1)]
        self.abandons = [False, False]
        self.surely = [False, False]  # whether the batch that waits has seen nothing else of `abandons`

    def divide(self, **fields):
        """While nothing is allocated."""
        assert not any(self.owners)
        assert self.waiting == [None, None]
        self.division = FREE | fields
        self.ctx.set(self.dut.division, self.division)

    def need(self, thread, attributes, results):
        """What batches of a thread need from here on; none waits."""
        assert self.waiting[thread] is None
        self.needs[thread] = attributes, results
        self.ctx.set(self.dut.formats[thread].attributes, attributes)
        self.ctx.set(self.dut.formats[thread].results, results)

    def abandon(self, thread, abandons):
        if self.abandons[thread] != abandons:
            self.surely[thread] = False
        self.abandons[thread] = abandons
        self.ctx.set(self.dut.abandons, self.abandons[0] | self.abandons[1] << 1)

    def offer(self, thread):
        """A batch of the thread, if none waits."""
        if self.waiting[thread] is None:
            self.waiting[thread] = self.rng.randrange(8), self.rng.randrange(16)
            self.surely[thread] = True
            slot, last = self.waiting[thread]
            self.ctx.set(self.dut.i[thread].payload, {"thread": thread, "slot": slot, "last": last})
            self.ctx.set(self.dut.i[thread].valid, 1)

    def give_back(self, thread):
        """The rows that the thread has had for longest."""
        if self.held[thread]:
            self.freed.append((thread, *self.held[thread].popleft()))

    async def clock(self, *, frees=True, takes=True):
        """One clock; spaces that are given back go in as soon as they may."""
        ctx, dut = self.ctx, self.dut
        if self.freeing is None and frees and self.freed:
            self.freeing = self.freed.popleft()
            thread, first, count = self.freeing
            ctx.set(dut.freed.payload, {"thread": thread, "space": {"first": first, "count": count}})
        ctx.set(dut.freed.valid, self.freeing is not None)
        ctx.set(dut.o.ready, takes)
        taken = [ctx.get(port.ready) for port in dut.i]
        placed = ctx.get(dut.o.payload) if takes and ctx.get(dut.o.valid) else None
        frees = self.freeing is not None and ctx.get(dut.freed.ready)
        await ctx.tick()
        self.clocks += 1
        self.quiet = 0 if frees or placed is not None else self.quiet + 1
        assert self.quiet < PATIENCE, "nobody gets anything"
        if frees:
            thread, first, count = self.freeing
            assert self.owners[first : first + count] == [thread] * count
            self.owners[first : first + count] = [None] * count
            self.freeing = None
        if placed is None:
            assert not any(taken)
        else:
            thread = placed.batch.thread
            assert taken == [thread == 0, thread == 1]
            self._take(thread, placed)

    def _take(self, thread, placed):
        """Checks an answer."""
        assert (placed.batch.slot, placed.batch.last) == self.waiting[thread]
        spaces = [(space.first, space.count) for space in (placed.attributes, placed.results)]
        needed = sum(self.needs[thread])
        if self.surely[thread]:
            assert placed.dropped == self.abandons[thread]
            assert placed.bad == (not placed.dropped and self._never_fits(thread, needed))
        if placed.bad or placed.dropped:
            assert [count for _, count in spaces] == [0, 0]
        else:
            self._own(thread, spaces)
        self.answers.append((thread, spaces, bool(placed.bad), bool(placed.dropped)))
        self.waiting[thread] = None
        self.passed[thread] = -1  # one may be on its way
        self.ctx.set(self.dut.i[thread].valid, 0)

    def _never_fits(self, thread, needed):
        return 4 * needed > self._limit(thread) or needed > self.blocks - self.division["user_rows"] // 4

    def _limit(self, thread):
        return self.division[("binning_rows", "rendering_rows")[thread]] if self.division["limited"] else 256

    def _own(self, thread, spaces):
        (first, attributes), (middle, results) = spaces
        assert (attributes, results) == self.needs[thread]
        assert middle == first + attributes
        assert first >= self.division["user_rows"] // 4
        assert middle + results <= self.blocks
        assert not any(owner is not None for owner in self.owners[first : middle + results])
        self.owners[first : middle + results] = [thread] * (attributes + results)
        assert 4 * self.owners.count(thread) <= self._limit(thread)
        self.held[thread] += [space for space in spaces if space[1] or self.rng.random() < 0.5]
        other = 1 - thread
        if self.waiting[other] is not None:
            self.passed[other] += 1
            if self.division["timed"]:
                waits = self.division[("binning_waits", "rendering_waits")[other]]
                assert self.passed[other] <= waits, "a thread is passed over too often"

    async def clear(self):
        """Waits for all batches, and gives back everything."""
        for _ in range(PATIENCE):
            for thread in range(2):
                self.give_back(thread)
            await self.clock()
            if not any(owner is not None for owner in self.owners) and self.waiting == [None, None]:
                break
        assert self.owners == [None] * self.blocks
        while self.freed or self.freeing:
            await self.clock()


@pytest.fixture
def run():
    """`run(script, rows, seed)`: the script with its `Owner`, who goes on until all rows are back."""

    def start(script, rows=64, seed=1):
        print(f"seed {seed}")
        rig, dut = simulation_of(VpmAllocator, rows)

        async def bench(ctx):
            owner = Owner(ctx, dut, rows, random.Random(seed))
            owner.divide()
            for thread in range(2):
                owner.need(thread, 1, 1)
            await script(owner)
            await owner.clear()
            # All rows can be had: none was lost.
            owner.divide()
            owner.need(0, 0, 1)
            for _ in range(rows // 4):
                owner.offer(0)
                while owner.waiting[0]:
                    await owner.clock()
            assert all(place is not None for place in owner.owners)
            await owner.clear()

        rig.run(bench)

    return start


def some_division(rng, rows):
    return {
        "user_rows": rng.choice((0, 4, 20, rows - 4, rows // 2)) % 128,
        "limited": rng.randrange(2),
        "binning_rows": 24 * rng.randrange(1, 9),
        "rendering_rows": 24 * rng.randrange(1, 9),
        "timed": rng.randrange(2),
        "binning_waits": rng.choice((2, 4, 10, 32)),
        "rendering_waits": rng.choice((2, 4, 10, 32)),
    }


async def any_batches(owner, batches):
    """Divisions, needs, and threads that are abandoned, as they come."""
    rng = owner.rng
    for _ in range(6):
        owner.divide(**some_division(rng, 4 * owner.blocks))
        comes, takes, back = (rng.choice((0.02, 0.2, 1)) for _ in range(3))
        end = len(owner.answers) + batches
        while len(owner.answers) < end:
            for thread in range(2):
                if owner.waiting[thread] is None:
                    if rng.random() < 0.1:
                        owner.need(thread, rng.choice((0, 1, 2, 5, 16)), rng.choice((1, 2, 3, 16)))
                    if rng.random() < comes:
                        owner.offer(thread)
                if rng.random() < 0.01:
                    owner.abandon(thread, rng.random() < 0.3)
                if rng.random() < back:
                    owner.give_back(thread)
            await owner.clock(takes=rng.random() < takes)
        for thread in range(2):
            owner.abandon(thread, False)
        await owner.clear()


@pytest.mark.parametrize("rows", [64, *(pytest.param(rows, marks=pytest.mark.thorough) for rows in (128, 192, 256))])
def test_any_batches(run, rows):
    run(lambda owner: any_batches(owner, 40), rows, seed=rows)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_many_batches(run, seed):
    run(lambda owner: any_batches(owner, 100), 64 + 64 * (seed % 4), seed)


def test_threads_take_turns(run):
    """While there is room for both."""

    async def script(owner):
        while len(owner.answers) < 24:
            for thread in range(2):
                owner.offer(thread)
                owner.give_back(thread)
                owner.give_back(thread)
            await owner.clock()
        assert [thread for thread, *_ in owner.answers] == [BINNING, RENDERING] * 12

    run(script)


@pytest.mark.parametrize("large", [BINNING, RENDERING])
@pytest.mark.parametrize(("timed", "waits"), [(1, 2), (1, 10), (0, 40)])
def test_a_large_batch_is_passed_over_so_often(run, large, timed, waits):
    """One of all rows cannot come beside small ones, which come all the time, until these have to wait; without time-outs
    until they no longer come.
    """
    small = 1 - large
    name = ("binning_waits", "rendering_waits")

    async def script(owner):
        owner.divide(timed=timed, **{name[large]: waits if timed else 2, name[small]: 2})
        owner.need(large, 8, 8)
        owner.offer(small)
        while len(owner.answers) < 1:
            await owner.clock()
        while owner.answers[-1][0] == small:
            owner.offer(large)
            if timed or len(owner.answers) <= waits:
                owner.offer(small)
            await owner.clock()
            if owner.clocks % 80 == 0:  # before a thread that may go on has stopped for lack of room
                owner.give_back(small)
                owner.give_back(small)
            assert owner.clocks < 2 * PATIENCE
        assert [thread for thread, *_ in owner.answers] == [small] * (1 + waits) + [large]

    run(script)


@pytest.mark.parametrize("thread", [BINNING, RENDERING])
def test_limits(run, thread):
    """A thread gets no more rows than its limit, though there are more; the other one has another limit."""
    names = ("binning_rows", "rendering_rows")

    async def script(owner):
        owner.divide(limited=1, **{names[thread]: 24, names[1 - thread]: 48})
        for one in range(2):
            owner.need(one, 1, 2)
        for _ in range(600):
            owner.offer(0)
            owner.offer(1)
            await owner.clock()
        assert owner.owners.count(thread) == 6
        assert owner.owners.count(1 - thread) == 12
        assert None in owner.owners

    run(script, 128)


@pytest.mark.parametrize(
    ("division", "needs", "why"),
    [
        ({}, (8, 8), set()),
        ({}, (8, 9), {"big"}),
        ({"user_rows": 32}, (4, 4), set()),
        ({"user_rows": 32}, (4, 5), {"big"}),
        ({"limited": 1, "binning_rows": 24, "rendering_rows": 192}, (3, 3), set()),
        ({"limited": 1, "binning_rows": 24, "rendering_rows": 192}, (3, 4), {BINNING}),
        ({"limited": 1, "binning_rows": 24, "rendering_rows": 192}, (8, 9), {"big", BINNING}),
        ({"limited": 0, "binning_rows": 24, "rendering_rows": 24}, (3, 4), set()),
    ],
)
def test_a_batch_for_which_there_is_never_room(run, division, needs, why):
    """It is bad, at once, and stops nobody; for a clock it is told why."""

    async def script(owner):
        owner.divide(**division)
        owner.need(BINNING, *needs)
        owner.offer(BINNING)
        told = []
        while len(owner.answers) < 1:
            ctx, dut = owner.ctx, owner.dut
            many = ctx.get(dut.too_many)
            told += ["big"] * ctx.get(dut.too_big) + [thread for thread in (BINNING, RENDERING) if many >> thread & 1]
            await owner.clock()
        assert owner.answers[0][2] == bool(why)
        assert sorted(told, key=str) == sorted(why, key=str)
        owner.give_back(BINNING)
        owner.give_back(BINNING)
        owner.offer(RENDERING)
        while len(owner.answers) < 2:
            await owner.clock()
        assert owner.answers[1][2:] == (False, False)

    run(script)


def test_dropped_batches_need_nothing(run):
    """Not even when there is no room, or never would be."""

    async def script(owner):
        owner.need(RENDERING, 8, 8)
        owner.offer(RENDERING)
        while not owner.answers:
            await owner.clock()
        owner.offer(BINNING)
        for _ in range(100):
            await owner.clock()
        owner.abandon(BINNING, True)
        for _ in range(5):
            await owner.clock()
        assert len(owner.answers) == 2
        for needs in ((1, 1), (16, 16)):
            owner.need(BINNING, *needs)
            before = len(owner.answers)
            owner.offer(BINNING)
            for _ in range(5):
                await owner.clock()
            assert len(owner.answers) == before + 1
        owner.abandon(BINNING, False)

    run(script)


@pytest.mark.parametrize("needed", [2, 5, 16])
def test_clocks(run, needed):
    """As many as blocks to find them, as many to mark and to free them, one to begin and one to answer."""

    async def script(owner):
        owner.need(BINNING, needed - 1, 1)
        owner.offer(BINNING)
        while not owner.answers:
            await owner.clock()
        assert owner.clocks == 1 + needed + needed + 1
        owner.offer(RENDERING)
        owner.give_back(BINNING)
        owner.give_back(BINNING)
        owner.clocks = 0
        while owner.freed or owner.freeing:
            await owner.clock()
        assert owner.clocks == 1 + (needed - 1) + 1  # the second space is taken when the first one is free
        while len(owner.answers) < 2:
            await owner.clock()
        assert owner.clocks == 1 + (needed - 1) + 1 + 1 + 1 + 2 + 2 + 1

    run(script)
