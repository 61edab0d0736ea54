"""`Shading`: each batch gets one QPU or none, in its order, and comes out once."""

import random
from collections import deque

import pytest

from vc4.regs.scheduler import KINDS
from vc4.vcm.shading import Shading

from ..simulation import simulation_of

PATIENCE = 1000
#: Kinds of the programs of each thread.
SHADERS = (KINDS.index("coordinate"), KINDS.index("vertex"))
FORMATS = [{"shades": 1, "pc": 0x100, "uniforms": 0x200}, {"shades": 1, "pc": 0x300, "uniforms": 0x400}]


class Qpu:
    """Runs a program for some clocks, and then may still have something to say; then the VPM has rows to fill."""

    def __init__(self):
        self.batch = None
        self.left = self.says = self.rows = 0
        self.ends = False

    @property
    def idle(self):
        return not self.left and not self.says

    def start(self, batch, rng, most):
        self.batch, self.left, self.says = batch, rng.randrange(2, 2 + most), rng.choice((0, 0, rng.randrange(8)))
        self.rows = rng.choice((0, 0, rng.randrange(8)))

    def clock(self):
        """Returns whether the program ends in this clock."""
        if self.left:
            self.left -= 1
            return not self.left
        self.says = max(self.says - 1, 0)
        return False


class Farm:
    """Brings batches, starts programs on QPUs that may have them, and takes what comes out."""

    def __init__(self, ctx, dut, qpus, rng, *, most=30, gap=0.0):
        self.ctx, self.dut, self.rng, self.most, self.gap = ctx, dut, rng, most, gap
        self.qpus = [Qpu() for _ in range(qpus)]
        self.coming = deque()
        self.unstarted = [deque(), deque()]  # those that went in, by thread
        self.abandons = [False, False]
        self.formats = [dict(one) for one in FORMATS]
        self.started, self.out, self.entered = [], [], []
        self.clocks = self.quiet = 0
        self.offered = False
        for thread in range(2):
            ctx.set(dut.formats[thread], self.formats[thread])

    def add(self, thread, *, bad=0, dropped=0):
        number = len(self.entered) + len(self.coming)
        self.coming.append(
            {
                "batch": {"thread": thread, "slot": number % 8, "last": number % 16},
                "attributes": {"first": number % 64, "count": 1 + number % 7},
                "results": {"first": (number + 7) % 64, "count": 1 + number % 5},
                "bad": bad,
                "dropped": dropped,
            }
        )

    def abandon(self, thread, abandons):
        self.abandons[thread] = abandons
        self.ctx.set(self.dut.abandons, self.abandons[0] | self.abandons[1] << 1)

    def needs_none(self, placed):
        thread = placed["batch"]["thread"]
        return placed["bad"] or placed["dropped"] or self.abandons[thread] or not self.formats[thread]["shades"]

    async def clock(self):
        ctx, dut, rng, ports = self.ctx, self.dut, self.rng, self.dut.qpus
        self.offered = self.offered or (bool(self.coming) and rng.random() >= self.gap)
        if self.offered:
            ctx.set(dut.i.payload, self.coming[0])
        ctx.set(dut.i.valid, self.offered)
        ctx.set(dut.o.ready, rng.random() >= self.gap)
        before = [qpu.idle for qpu in self.qpus]
        ends = [qpu.clock() for qpu in self.qpus]
        ctx.set(ports.ended, sum(end << number for number, end in enumerate(ends)))
        ctx.set(ports.idle, sum(idle << number for number, idle in enumerate(before)))
        ctx.set(ports.filled, sum((not qpu.rows) << number for number, qpu in enumerate(self.qpus)))
        for number, qpu in enumerate(self.qpus):
            over = ctx.get(ports.windows[number]).over
            assert not over or (qpu.batch and qpu.idle), "its program has not ended"
            qpu.rows = max(qpu.rows - over, 0)
        starts = self._start(before)
        await self._check(starts)
        takes = self.offered and ctx.get(dut.i.ready)
        gives, out = ctx.get(dut.o.valid) and ctx.get(dut.o.ready), ctx.get(dut.o.payload)
        await ctx.tick()
        self.clocks += 1
        self.quiet = 0 if takes or gives or starts else self.quiet + 1
        assert self.quiet < PATIENCE, "nothing moves"
        if takes:
            placed = self.coming.popleft()
            self.entered.append(placed)
            self.unstarted[placed["batch"]["thread"]].append(placed)
            self.offered = False
        if starts:
            number, placed = starts
            self.started.append(placed)
            self.qpus[number].start(placed, rng, self.most)
        if gives:
            self._take(out)

    def _start(self, idle):
        """A program for a QPU that runs nothing, and must not be spared for others; returns both."""
        ctx, ports = self.ctx, self.dut.qpus
        programs = (ports.coordinates, ports.vertices)
        held = [ctx.get(ports.held[number]) for number in range(len(self.qpus))]
        pairs = [
            (thread, number)
            for thread in range(2)
            if ctx.get(programs[thread].valid)
            for number in range(len(self.qpus))
            if not held[number] >> SHADERS[thread] & 1 and not self.qpus[number].left
        ]
        pair = self.rng.choice(pairs) if pairs and self.rng.random() < 0.8 else None
        for thread, program in enumerate(programs):
            ctx.set(program.ready, pair is not None and pair[0] == thread)
        ctx.set(ports.starts, 0 if pair is None else 1 << pair[1])
        if pair is None:
            return None
        thread, number = pair
        # What was bad, dropped or abandoned in front of it has no program, and waits for its turn at the output.
        placed = self.unstarted[thread].popleft()
        assert not self.needs_none(placed), "a program for nobody"
        assert ctx.get(programs[thread].payload.pc) == self.formats[thread]["pc"]
        assert ctx.get(programs[thread].payload.uniforms) == self.formats[thread]["uniforms"]
        assert self.qpus[number].batch is None, "a QPU is given again too early"
        assert idle[number]
        return number, placed

    async def _check(self, starts):
        ctx, ports = self.ctx, self.dut.qpus
        restarts = 1 << starts[0] if starts else 0
        assert ctx.get(ports.restarts) == restarts
        shading = sum((qpu.batch is not None) << number for number, qpu in enumerate(self.qpus))
        assert ctx.get(ports.shading) == shading
        for number, qpu in enumerate(self.qpus):
            window = ctx.get(ports.windows[number])
            assert window.shades == (qpu.batch is not None)
            if qpu.batch:
                assert ctx.get(ports.held[number]) == (1 << len(KINDS)) - 1
                for name in ("attributes", "results"):
                    space = getattr(window, name)
                    assert {"first": space.first, "count": space.count} == qpu.batch[name]

    def _take(self, out):
        """An ended batch: of a QPU, or one that needed none."""
        found = {
            "batch": {name: getattr(out.batch, name) for name in ("thread", "slot", "last")},
            **{
                name: {"first": getattr(out, name).first, "count": getattr(out, name).count}
                for name in ("attributes", "results")
            },
            "bad": out.bad,
            "dropped": out.dropped,
        }
        for qpu in self.qpus:
            if qpu.batch == found:
                assert qpu.idle, "its program has not ended"
                assert not qpu.rows, "its rows have not been filled"
                qpu.batch = None
                break
        else:
            thread = out.batch.thread
            placed = self.unstarted[thread].popleft()
            assert placed == found
            assert self.needs_none(placed), "a batch was not shaded"
        self.out.append(found)

    async def rest(self):
        while len(self.out) < len(self.entered) or self.coming:
            await self.clock()
        for _ in range(5):
            await self.clock()
        assert not any(qpu.batch for qpu in self.qpus)
        assert not self.ctx.get(self.dut.o.valid)


@pytest.fixture
def run():
    """`run(script, qpus, seed)`: the script with its `Farm`; then everything ends."""

    def start(script, qpus=2, seed=1, **options):
        print(f"seed {seed}")
        rig, dut = simulation_of(Shading, qpus)

        async def bench(ctx):
            farm = Farm(ctx, dut, qpus, random.Random(seed), **options)
            await script(farm)
            await farm.rest()

        rig.run(bench)

    return start


@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 16), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_any_batches(run, seeds):
    """Some are bad, some are dropped, and threads are abandoned and go on."""

    async def script(farm):
        rng = farm.rng
        for _ in range(60):
            kind = rng.random()
            farm.add(rng.randrange(2), bad=int(kind < 0.1), dropped=int(0.1 < kind < 0.2))
            for _ in range(rng.randrange(20)):
                await farm.clock()
            if rng.random() < 0.1:
                # From the next clock on: what is on offer in this one may still begin.
                farm.abandon(rng.randrange(2), rng.random() < 0.5)

    for seed in seeds:
        run(script, 1 + seed % 4, seed, most=random.Random(seed).choice((3, 60)), gap=0.5 * (seed % 2))


@pytest.mark.parametrize("thread", [0, 1])
def test_abandoned_batches_are_not_started(run, thread):
    """Those that have begun go on; the others come out at once. The other thread does not notice."""

    async def script(farm):
        for _ in range(6):
            farm.add(thread)
        for _ in range(30):
            await farm.clock()
        assert len(farm.started) == 2
        farm.abandon(thread, True)
        farm.add(1 - thread)
        for _ in range(12):
            await farm.clock()
        assert len(farm.out) == 4
        assert len(farm.started) == 2
        await farm.rest()
        assert len(farm.started) == 3

    run(script, most=1000)


def test_vertices_in_memory_need_no_program(run):
    async def script(farm):
        farm.formats[1]["shades"] = 0
        farm.ctx.set(farm.dut.formats[1], farm.formats[1])
        for thread in (0, 1, 1, 0, 1):
            farm.add(thread)
        await farm.rest()
        assert [placed["batch"]["thread"] for placed in farm.started] == [0, 0]

    run(script)


def test_programs_wait_for_a_qpu_that_has_nothing_to_say(run):
    """One of somebody else has ended, but its QPU still writes: programs of vertices must not go there, others may."""

    async def script(farm):
        ports = farm.dut.qpus
        farm.qpus[0].says = 10
        for _ in range(3):
            await farm.clock()
        held = farm.ctx.get(ports.held[0])
        assert held == sum(1 << kind for kind in SHADERS)
        for _ in range(10):
            await farm.clock()
        assert farm.ctx.get(ports.held[0]) == 0

    run(script)


def test_clocks(run):
    """A program is on offer in the clock after its batch came; a batch that needs none passes as soon as its turn comes."""

    async def script(farm):
        farm.add(0)
        await farm.clock()
        assert farm.ctx.get(farm.dut.qpus.coordinates.valid)
        await farm.rest()
        farm.abandon(1, True)
        for _ in range(8):
            farm.add(1)
        first, before = farm.clocks, len(farm.out)
        while len(farm.out) < before + 8:
            await farm.clock()
        assert farm.clocks - first == 8 + 2

    run(script)
