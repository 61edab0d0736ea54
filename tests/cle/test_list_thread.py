"""`ListThread` against the model's: the same records for the pipeline, and the same registers where it stops."""

import random

import pytest
from amaranth.hdl import Module, Value
from amaranth.lib.wiring import connect

from vc4.cle.list_thread import ListThread
from vc4.records.control import ControlCode, Threads
from vc4sim.bench.memory import BenchMemory
from vc4sim.model.cle.list_thread import ListThread as ModelThread
from vc4sim.model.cle.list_thread import Step
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.memory import Memory

from .list_bench import given, taken
from .some_lists import SIZE, some_lists

CODE = ControlCode


class Bench:
    """The thread with a memory and a pipeline that takes what it gets with gaps."""

    def __init__(self, threads, contents, *, seed, latency=1, gap=0.0):
        self.threads, self.rng = threads, random.Random(seed)
        self.m = Module()
        self.m.submodules.dut = self.dut = ListThread(threads)
        self.m.submodules.memory = memory = BenchMemory(
            SIZE, base=0, init=contents, latency=latency, gap=gap, seed=seed
        )
        connect(self.m, self.dut.port, memory.bus)
        self.taken, self.done = [], 0

    async def clock(self, ctx, **writes):
        """One clock; the pipeline takes what is there, or does not."""
        dut = self.dut
        ready = self.rng.random() < 0.7
        finished = self.rng.random() < 0.2
        ctx.set(dut.writes, writes)
        ctx.set(dut.o.ready, ready)
        ctx.set(dut.finished, finished)
        valid, item = ctx.get(dut.o.valid), ctx.get(dut.o.payload.as_value())
        self.done += ctx.get(dut.done)
        await ctx.tick()
        if valid and ready:
            self.taken.append(taken(item))

    async def rest(self, ctx):
        """Until nothing moves; what the registers show then."""
        before, still = None, 0
        for _ in range(200_000):
            await self.clock(ctx)
            now = ctx.get(Value.cast(self.dut.state)), len(self.taken)
            still = still + 1 if now == before else 0
            before = now
            if still > 400:
                return ctx.get(self.dut.state)
        raise AssertionError("it never rests")


class Model:
    """The model's thread with the same memory, and what its pipeline gets."""

    def __init__(self, threads, contents):
        self.memory, self.pipeline, self.done = Memory(SIZE), Recorder(), []
        self.memory.write(0, contents)
        self.thread = ModelThread(threads, self.memory, self.pipeline, self.done.append)

    def run(self, start, end, counts):
        """A list, after some counts of the semaphore, until the thread rests; whether it does."""
        if self.thread.running:
            self.thread.reset()
        for _ in range(counts):
            self.thread.count()
        self.thread.set_current(start)
        self.thread.set_end(end)
        return any(self.thread.step() is not Step.MOVED for _ in range(3000))


def compare(bench, model, state):
    """What both pipelines have got, and what registers show."""
    memory, thread = model.memory, model.thread
    assert bench.taken == [given(one, memory) for one in model.pipeline.taken]
    assert bench.done == len(model.done)
    assert state.current == thread.current
    assert (state.running, state.error) == (thread.running, thread.error is not None)
    assert state.suspended == (thread.stalled if thread.running else thread.halted)
    assert (state.depth, state.semaphore) == (len(thread.returns), thread.semaphore)
    assert state.return_address == (thread.returns[-1] if thread.returns else 0)
    assert (state.returned, state.flushes) == (thread.returned, thread.flushes)
    assert state.prefixing == thread.prefixing


@pytest.mark.parametrize(("threads", "latency", "gap"), [(Threads.BINNING, 1, 0.0), (Threads.RENDERING, 20, 0.3)])
def test_any_lists(simulate, threads, latency, gap):
    """Lists with branches, sub-lists, halts, waits and mistakes, one after the other in the same thread."""
    tried = 0
    for seed in range(60):
        rng = random.Random(f"{threads} {latency} {gap} {seed}")
        contents, places = some_lists(rng, threads, rng.choice((0, 0.02)))
        script = [(rng.choice(places), rng.choice((rng.choice(places), SIZE)), rng.randrange(3)) for _ in range(3)]
        before = Model(threads, contents)
        if not all(before.run(*lists) for lists in script):
            continue  # the lists lead in a circle
        bench, model = Bench(threads, contents, seed=seed, latency=latency, gap=gap), Model(threads, contents)

        async def body(ctx, script=script, bench=bench, model=model):
            for start, end, counts in script:
                if model.thread.running:
                    await bench.clock(ctx, resets=1)
                for _ in range(counts):
                    ctx.set(bench.dut.counts, 1)
                    await bench.clock(ctx)
                    ctx.set(bench.dut.counts, 0)
                await bench.clock(ctx, current=1, new_current=start)
                await bench.clock(ctx, end=1, new_end=end)
                model.run(start, end, counts)
                compare(bench, model, await bench.rest(ctx))

        print(f"seed {seed}")
        simulate(bench.m, body)
        tried += 1
        if tried == 2:
            return
    raise AssertionError("hardly any lists come to an end")


@pytest.fixture
def follow(simulate):
    """`follow(contents, script, latency=)`: a rendering thread; the script gets the bench and its context."""

    def run(contents, script, *, latency=1, threads=Threads.RENDERING):
        bench = Bench(threads, contents, seed=1, latency=latency)

        async def body(ctx):
            await script(bench, ctx)

        simulate(bench.m, body)

    return run


def branch(target, code=CODE.BRANCH):
    return bytes([code.value]) + target.to_bytes(4, "little")


def test_a_list_that_grows(follow):
    """A host that adds to a list while it runs, and moves its end, sees what it has added."""
    contents = bytes([CODE.NOP.value] * 100)

    async def script(bench, ctx):
        await bench.clock(ctx, end=1, new_end=10)
        for end in (20, 33, 70):
            for _ in range(3):
                await bench.clock(ctx)
            await bench.clock(ctx, end=1, new_end=end)
        state = await bench.rest(ctx)
        assert (state.current, state.running, state.error) == (70, 0, 0)

    follow(contents, script)


def test_stop_and_go_on(follow):
    """CTRUN stops it between two records; then CTnEA does not start it, and CTSUBS does."""
    contents = bytes([CODE.NOP.value] * 2000)

    async def script(bench, ctx):
        await bench.clock(ctx, end=1, new_end=1500)
        for _ in range(100):
            await bench.clock(ctx)
        await bench.clock(ctx, stops=1)
        state = await bench.rest(ctx)
        stopped = state.current
        assert 0 < stopped < 200
        assert (state.running, state.suspended) == (0, 1)
        await bench.clock(ctx, end=1, new_end=1600)
        assert (await bench.rest(ctx)).current == stopped
        await bench.clock(ctx, proceeds=1)
        state = await bench.rest(ctx)
        assert (state.current, state.running, state.suspended) == (1600, 0, 0)

    follow(contents, script)


def test_the_thread_runs_until_its_pipeline_is_done(follow):
    """Whoever polls CTRUN sees it fall when the last record has been carried out."""
    contents = bytes([CODE.GL_SHADER_STATE.value]) + bytes(4)

    async def script(bench, ctx):
        ctx.set(bench.dut.busy, 1)
        await bench.clock(ctx, end=1, new_end=5)
        state = await bench.rest(ctx)
        assert (state.current, state.running, state.active) == (5, 1, 1)
        ctx.set(bench.dut.busy, 0)
        assert (await bench.rest(ctx)).running == 0

    follow(contents, script)


@pytest.mark.parametrize(("latency", "clocks"), [(1, 222), (20, 545)])
def test_clocks_of_branches(follow, latency, clocks):
    """Sub-lists of nothing but their return, ten of them: twenty new places."""
    contents = bytearray(SIZE)
    for number in range(10):
        contents[5 * number : 5 * number + 5] = branch(0x200 + 0x40 * number, CODE.BRANCH_TO_SUB_LIST)
        contents[0x200 + 0x40 * number] = CODE.RETURN_FROM_SUB_LIST.value
    found = []

    async def script(bench, ctx):
        await bench.clock(ctx, end=1, new_end=50)
        while ctx.get(bench.dut.state).running:
            await bench.clock(ctx)
            found.append(None)

    follow(bytes(contents), script, latency=latency)
    assert len(found) == clocks
