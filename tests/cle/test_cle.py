"""`Cle` against the model's: both threads, their registers, and lists with mistakes."""

import random
from collections import Counter
from functools import partial
from itertools import product

import pytest

from vc4.records.control import Threads
from vc4.records.primitives import PrimitiveType
from vc4.regs.lists import LISTS
from vc4sim.damaged import mutate
from vc4sim.model.cle.cle import Cle, Rest
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.memory import Memory

from ..model import control_lists as lists
from ..model.block_host import host_of
from ..model.cle.test_cle_fuzz import IMAGE, REGIONS, registers
from ..often import often
from .list_bench import LINE_BYTES, execute, given
from .some_lists import SIZE, some_lists

STEPS = 1500
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]
#: Types of primitives, and whether they have coordinates, which only two types may have.
KINDS = (*product(PrimitiveType, [False]), (PrimitiveType.TRIANGLES, True), (PrimitiveType.RHTS, True))
#: Lines that are read ahead: two after a record that waits.
AHEAD = 3
LINES = (1 << 32) // LINE_BYTES


class SeenMemory(Memory):
    """It knows which lines were read."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.lines = set()

    def read(self, address, size, what="memory"):
        self.lines |= set(range(address // LINE_BYTES, (address + size - 1) // LINE_BYTES + 1))
        return super().read(address, size, what)

    def read_int(self, address, size, what="memory"):
        self.lines |= set(range(address // LINE_BYTES, (address + size - 1) // LINE_BYTES + 1))
        return super().read_int(address, size, what)


@pytest.fixture(scope="module")
def rtl(waves):
    """Executes lists."""
    return partial(execute, waves=waves)


def compare(rtl, base, image, script, *, seed, latency=1, gap=0.0):
    """Both with the same writes of the host, all of them at the beginning; what became of both."""
    memory = SeenMemory(len(image), base, image)
    model = Cle(memory, Recorder(), Recorder())
    for name, data in script:
        host_of(model).write(name, data)
    rest = model.run(STEPS)
    run = rtl(base, image, [(0, *write) for write in script], seed=seed, latency=latency, gap=gap)
    wanted = [[given(one, memory) for one in thread.pipeline.taken] for thread in model.threads]
    if rest is Rest.LIMIT:
        shortest = [min(len(one), len(other)) for one, other in zip(wanted, run.items, strict=True)]
        assert [one[:count] for one, count in zip(run.items, shortest, strict=True)] == [
            one[:count] for one, count in zip(wanted, shortest, strict=True)
        ]
        return model, run
    assert list(run.items) == wanted
    assert run.rests
    assert run.registers == {one.name: host_of(model).read(one.name) for one in LISTS}
    assert (run.flushed, run.drawn) == (model.flush_count, model.frame_count)
    lines = memory.lines | {thread.current // LINE_BYTES for thread in model.threads}
    allowed = {(line + more) % LINES for line in lines for more in range(AHEAD + 1)}
    assert run.lines <= allowed
    return model, run


def started(places):
    """The writes that start both threads."""
    return [
        (f"CT{thread}{name}", place)
        for name, which in (("CA", 0), ("EA", 1))
        for thread, place in ((number, one[which]) for number, one in enumerate(places))
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
def test_a_frame(rtl, latency, gap):
    """Both threads, with the semaphores that order them, sub-lists, and primitives of every kind."""
    places = ((lists.BINNING, lists.BINNING_END), (lists.RENDERING, lists.RENDERING_END))
    model, run = compare(rtl, lists.BASE, IMAGE, started(places), seed=1, latency=latency, gap=gap)
    assert (run.flushed, run.drawn) == (1, 1)
    assert all(len(items) > 50 for items in run.items)


def any_lists(rtl, seeds):
    """Lists of both threads, all over memory, with primitives of all kinds, branches, semaphores and mistakes; in how many lists
    each kind was, and in how many mistakes.
    """
    seen = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        image, places = some_lists(rng, Threads.BINNING, rng.choice((0, 0.02)))
        other, others = some_lists(rng, Threads.RENDERING, rng.choice((0, 0.02)), base=SIZE)
        ends = (rng.choice((rng.choice(places), SIZE)), rng.choice((rng.choice(others), 2 * SIZE)))
        starts = rng.choice(places), rng.choice(others)
        latency, gap = rng.choice(MEMORIES)
        script = started(list(zip(starts, ends, strict=True)))
        model, _ = compare(rtl, 0, image + other, script, seed=seed, latency=latency, gap=gap)
        for thread in model.threads:
            seen.update(
                {(item.type, item.coordinates) for item in thread.pipeline.taken if isinstance(item, Primitive)}
            )
            seen["errors"] += thread.error is not None
            seen["lists"] += 1
    print(seen)
    return seen


@pytest.mark.thorough
def test_any_lists(rtl, seeds):
    seen = any_lists(rtl, seeds(200))
    for kind in "errors", *KINDS:
        assert often(seen[kind], seen["lists"], 1 / 20), kind


FRAME = started(((lists.BINNING, lists.BINNING_END), (lists.RENDERING, lists.RENDERING_END)))
CTRUN, CTSUBS, CTRSTA = 1 << 5, 1 << 4, 1 << 15
BOTH_PIPELINES = 0b11 << 4
#: Clocks that the frame takes in the fastest memory, or less.
CLOCKS = 800
#: How often a thread is stopped somewhere, or reset.
COUNT = 800


def run_frame(rtl, script, *, seed):
    rng = random.Random(seed)
    latency, gap = rng.choice(MEMORIES)
    return rtl(lists.BASE, IMAGE, script, seed=seed, latency=latency, gap=gap)


@pytest.fixture(scope="module")
def items(rtl):
    """What the pipelines get of a frame that nobody disturbs."""
    return run_frame(rtl, [(0, *write) for write in FRAME], seed=0).items


@pytest.mark.thorough
def test_stop_and_go_on(rtl, items, seeds):
    """A thread that is stopped anywhere, within a list or not, and then goes on, leaves nothing out; nor does a new end."""
    for seed in seeds(COUNT):
        rng = random.Random(seed)
        script = [(0, *write) for write in FRAME]
        for clock in sorted(rng.sample(range(20, CLOCKS), 10)):
            thread = rng.randrange(2)
            again = (f"CT{thread}EA", (lists.BINNING_END, lists.RENDERING_END)[thread])
            stop = [(clock, f"CT{thread}CS", CTRUN), (clock + rng.randrange(50), f"CT{thread}CS", CTSUBS)]
            script += stop if rng.random() < 0.5 else [(clock, *again)]
        run = run_frame(rtl, script, seed=seed)
        assert run.items == items
        assert (run.flushed, run.drawn) == (1, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("pipelines", [False, True])
def test_a_frame_after_a_reset(rtl, items, seeds, pipelines):
    """Threads that are reset anywhere, or their pipelines as well, draw the next frame as if nothing had been."""
    for seed in seeds(COUNT):
        clock = random.Random(seed).randrange(20, CLOCKS)
        resets = [("PCS", BOTH_PIPELINES)] * pipelines + [("CT0CS", CTRSTA), ("CT1CS", CTRSTA)]
        later = clock + (0 if pipelines else 400)  # what had begun is finished first
        script = [(0, *write) for write in FRAME] + [(clock, *write) for write in resets]
        run = run_frame(rtl, script + [(later, *write) for write in FRAME], seed=seed)
        assert [found[-len(wanted) :] for found, wanted in zip(run.items, items, strict=True)] == list(items)


def fuzz(rtl, seeds):
    """Frames with mistakes, in memories of all kinds; how each thread ends."""
    ends = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        image = mutate(rng, IMAGE, lists.BASE, REGIONS)
        latency, gap = rng.choice(MEMORIES)
        model, run = compare(rtl, lists.BASE, image, started(registers(rng)), seed=seed, latency=latency, gap=gap)
        for thread in model.threads:
            ends["error" if thread.error else "runs" if thread.running else "halt" if thread.halted else "end"] += 1
            ends["threads"] += 1
        ends["rests"] += run.rests
    print(ends)
    return ends


@pytest.mark.thorough
@pytest.mark.parametrize("count", [1_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_mutated_lists(rtl, seeds, count):
    ends = fuzz(rtl, seeds(count))
    for end in "error", "end", "runs":
        assert often(ends[end], ends["threads"], 1 / 10), end
    assert often(ends["rests"], ends["threads"] // 2, 9 / 10)
