"""`Cle` against the model's: both threads, their registers, and lists with mistakes."""

import random
from collections import Counter

import pytest

from vc4.records.control import Threads
from vc4.records.primitives import PrimitiveType
from vc4.regs.lists import LISTS
from vc4sim.model.cle.cle import Cle, Rest
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.memory import Memory

from ..model import control_lists as lists
from ..model.block_host import host_of
from ..model.cle.test_cle_fuzz import IMAGE, REGIONS, registers
from ..model.mutation import mutate
from .list_bench import LINE_BYTES, execute, given
from .some_lists import SIZE, some_lists

STEPS = 1500
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]
#: Lines that are read ahead: two behind a record that waits.
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


def compare(base, image, script, *, seed, latency=1, gap=0.0):
    """Both with the same writes of the host, all of them at the beginning; what became of both."""
    memory = SeenMemory(len(image), base, image)
    model = Cle(memory, Recorder(), Recorder())
    for name, data in script:
        host_of(model).write(name, data)
    rest = model.run(STEPS)
    run = execute(base, image, [(0, *write) for write in script], seed=seed, latency=latency, gap=gap)
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


@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
def test_a_frame(latency, gap):
    """Both threads, with the semaphores that order them, sub-lists, and primitives of every kind."""
    places = ((lists.BINNING, lists.BINNING_END), (lists.RENDERING, lists.RENDERING_END))
    model, run = compare(lists.BASE, IMAGE, started(places), seed=1, latency=latency, gap=gap)
    assert (run.flushed, run.drawn) == (1, 1)
    assert all(len(items) > 50 for items in run.items)


@pytest.mark.parametrize("count", [60, pytest.param(1_000, marks=pytest.mark.thorough)])
def test_any_lists(count):
    """Lists of both threads, all over memory, with primitives of all kinds, branches, semaphores and mistakes."""
    seed = random.randrange(1 << 32)
    seen = Counter()
    for number in range(seed, seed + count):
        print("seed", number)
        rng = random.Random(number)
        image, places = some_lists(rng, Threads.BINNING, rng.choice((0, 0.02)))
        other, others = some_lists(rng, Threads.RENDERING, rng.choice((0, 0.02)), base=SIZE)
        ends = (rng.choice((rng.choice(places), SIZE)), rng.choice((rng.choice(others), 2 * SIZE)))
        starts = rng.choice(places), rng.choice(others)
        latency, gap = rng.choice(MEMORIES)
        script = started(list(zip(starts, ends, strict=True)))
        model, _ = compare(0, image + other, script, seed=number, latency=latency, gap=gap)
        for thread in model.threads:
            for item in thread.pipeline.taken:
                if isinstance(item, Primitive):
                    seen[item.type, item.coordinates] += 1
            seen["errors"] += thread.error is not None
    print(seen)
    assert min(seen.values()) >= count // 20
    assert len(seen) == 1 + len(PrimitiveType) + 2


def fuzz(count, seed):
    """Frames with mistakes, in memories of all kinds; how each thread ends."""
    ends = Counter()
    for number in range(seed, seed + count):
        rng = random.Random(number)
        image = mutate(rng, IMAGE, lists.BASE, REGIONS)
        latency, gap = rng.choice(MEMORIES)
        try:
            model, run = compare(lists.BASE, image, started(registers(rng)), seed=number, latency=latency, gap=gap)
        except BaseException:
            print(f"fuzz(1, {number}) shows it")
            raise
        for thread in model.threads:
            ends["error" if thread.error else "runs" if thread.running else "halt" if thread.halted else "end"] += 1
        ends["rests"] += run.rests
    print(ends)
    return ends


@pytest.mark.parametrize(
    "count", [300, pytest.param(2_000, marks=pytest.mark.thorough), pytest.param(20_000, marks=pytest.mark.slow)]
)
def test_mutated_lists(count):
    ends = fuzz(count, random.randrange(1 << 32))
    assert all(ends[end] > count // 20 for end in ("error", "end", "runs"))
    assert ends["rests"] > count // 2
