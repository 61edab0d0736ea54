"""Whatever is in memory, the control list executor ends: done, at a defined error, waiting, or still on its way."""

import random
from collections import Counter

import pytest

from vc4.records.control import RETURN_LEVELS, ControlCode, Threads
from vc4sim.damaged.mutation import CODES, mutate
from vc4sim.model.cle.cle import BINNING, RENDERING, Cle, Rest
from vc4sim.model.memory import Memory

from .. import control_lists as lists
from ..block_host import host_of

#: Steps until a list counts as one that does not end; the lists as they are take about 450.
LIMIT = 800
CTERR, CTSUBS, CTRUN, CTRSTA = 1 << 3, 1 << 4, 1 << 5, 1 << 15
IMAGE = bytes(lists.frame().data)
#: Where bytes of the frame are worth to be changed.
REGIONS = (
    (lists.BINNING, lists.BINNING_END),
    (lists.SUB_LIST, lists.SUB_LIST + 0x20),
    (lists.RENDERING, lists.RENDERING_END),
    (lists.TILE_LISTS, lists.TILE_LISTS + lists.TILE_BYTES * lists.TILES),
    (lists.BLOCKS, lists.BLOCKS + 0x80),
    (lists.INDICES, lists.INDICES + 12),
)


class Guard:
    """A pipeline that takes its time, and checks that it gets only what it has been promised."""

    def __init__(self, rng, threads):
        self.rng, self.threads = rng, threads
        self.out_of_memory = False
        self.busy = self.in_list = self.configured = self.shader = False
        self.primitives = 0

    def _work(self, steps):
        assert not self.busy
        self.busy = True
        yield from [""] * steps
        self.busy = False

    def record(self, record):
        assert not self.in_list
        assert self.threads in record.kind.threads
        self.configured |= record.code.value in (112, 113)
        self.shader |= 64 <= record.code.value <= 67
        self.in_list = 32 <= record.code.value <= 49
        assert not self.in_list or (self.configured and self.shader)
        return self._work(self.rng.randrange(2))

    def primitive(self, primitive):
        assert self.in_list
        assert all(0 <= vertex < 1 << (32 if primitive.coordinates else 16) for vertex in primitive.vertices)
        self.primitives += 1
        return () if self.rng.random() < 0.9 else self._work(1)

    def end_list(self):
        assert self.in_list
        self.in_list = False
        return ()

    def reset(self):
        self.busy = self.in_list = False


def registers(rng):
    """Start and end of the list of each thread, now and then wrong."""
    found = [[lists.BINNING, lists.BINNING_END], [lists.RENDERING, lists.RENDERING_END]]
    if rng.random() < 0.1:
        thread, which = rng.randrange(2), rng.randrange(2)
        found[thread][which] += rng.choice((-1, 1, 5, 40, -lists.BASE, 0xF000_0000, lists.RENDERING - lists.BINNING))
    return found


def check(cle, memory, image, rest):
    """The state of the executor makes sense; returns what has become of each thread."""
    assert bytes(memory.data) == image, "the executor has written to memory"
    assert cle.interrupts <= {"INT_FLDONE", "INT_FRDONE"}
    ends = []
    for number, thread in enumerate(cle.threads):
        status, address = host_of(cle).read(f"CT{number}CS"), host_of(cle).read(f"CT{number}CA")
        assert (status >> 8 & 3) == len(thread.returns) <= RETURN_LEVELS
        assert (thread.error is not None) == bool(status & CTERR)
        if thread.error:
            assert status & (CTRUN | CTSUBS) == CTSUBS
            assert thread.error.address == address
            assert str(thread.error).startswith(f"{address:#010x}: ")
            assert "\n" not in str(thread.error)
            ends.append("error")
        elif not status & CTRUN:
            halted = bool(status & CTSUBS)
            assert halted or address == host_of(cle).read(f"CT{number}EA")
            assert not halted or memory.read_int(address - 1, 1) == ControlCode.HALT.value
            ends.append("halt" if halted else "end")
        elif status & CTSUBS:
            assert memory.read_int(address - 1, 1) == ControlCode.WAIT_ON_SEMAPHORE.value
            ends.append("semaphore")
        else:
            assert rest is Rest.LIMIT
            ends.append("runs")
        if rest is not Rest.LIMIT:
            assert not thread.active
            assert host_of(cle).read(f"CT{number}PC") == 0
    assert rest is not Rest.STOPPED or not {"semaphore", "runs"} & set(ends)
    assert rest is not Rest.WAITING or "semaphore" in ends
    return ends


def recovers(cle, memory):
    """A reset of both threads, and a frame that is right, gives what it should."""
    frames, flushes = cle.frame_count, cle.flush_count
    memory.data[:] = IMAGE
    host_of(cle).write("PCS", 0b11 << 4)
    for number, start, end in (
        (BINNING, lists.BINNING, lists.BINNING_END),
        (RENDERING, lists.RENDERING, lists.RENDERING_END),
    ):
        host_of(cle).write(f"CT{number}CS", CTRSTA)
        assert host_of(cle).read(f"CT{number}CS") == 0
        host_of(cle).write(f"CT{number}CA", start)
        host_of(cle).write(f"CT{number}EA", end)
    assert cle.run(4 * LIMIT) is Rest.STOPPED
    assert [thread.error for thread in cle.threads] == [None, None]
    assert (cle.frame_count, cle.flush_count) == ((frames + 1) % 256, (flushes + 1) % 256)


def one(seed, again):
    """A frame with mistakes; what has become of both threads."""
    rng = random.Random(seed)
    image = mutate(rng, IMAGE, lists.BASE, REGIONS)
    memory = Memory(lists.SIZE, lists.BASE, image)
    cle = Cle(memory, Guard(rng, Threads.BINNING), Guard(rng, Threads.RENDERING))
    for number, (start, end) in enumerate(registers(rng)):
        host_of(cle).write(f"CT{number}CA", start)
        host_of(cle).write(f"CT{number}EA", end % (1 << 32))
    if rng.random() < 0.5:
        cle.threads[RENDERING].count()  # so that it runs whatever becomes of binning
    ends = check(cle, memory, image, cle.run(LIMIT))
    if again:
        recovers(cle, memory)
    return ends


def fuzz(count):
    seed = random.randrange(1 << 32)
    ends = (Counter(), Counter())
    for number in range(count):
        try:
            found = one(seed + number, again=number % 10 == 0)
        except BaseException:
            print(f"one({seed + number}, True) shows it")
            raise
        for counter, end in zip(ends, found, strict=True):
            counter[end] += 1
    for counter in ends:
        assert set(counter) >= {"error", "end"}
        assert counter["error"] > count // 20, counter
        assert counter["end"] > count // 20, counter
    assert ends[RENDERING]["semaphore"] > count // 50
    print(*ends)


@pytest.mark.parametrize(
    "count", [500, pytest.param(5_000, marks=pytest.mark.thorough), pytest.param(20_000, marks=pytest.mark.slow)]
)
def test_mutated_lists(count):
    fuzz(count)


def test_bytes_without_any_sense():
    """Random bytes, most of them codes of records, as lists of both threads."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    for _ in range(300):
        image = bytes(rng.choice(CODES) if rng.random() < 0.7 else rng.randrange(256) for _ in range(0x200))
        memory = Memory(len(image), 0, image)
        cle = Cle(memory, Guard(rng, Threads.BINNING), Guard(rng, Threads.RENDERING))
        for number in (BINNING, RENDERING):
            host_of(cle).write(f"CT{number}CA", rng.randrange(0x100))
            host_of(cle).write(f"CT{number}EA", 0x200)
        check(cle, memory, image, cle.run(LIMIT))


def test_the_host_does_anything_at_any_time():
    """Random writes of registers while a frame runs; a reset brings it back."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    for _ in range(100):
        memory = Memory(lists.SIZE, lists.BASE, IMAGE)
        cle = Cle(memory, Guard(rng, Threads.BINNING), Guard(rng, Threads.RENDERING))
        for number, (start, end) in enumerate(registers(rng)):
            host_of(cle).write(f"CT{number}CA", start)
            host_of(cle).write(f"CT{number}EA", end % (1 << 32))
        for _ in range(40):
            for _ in range(rng.randrange(20)):
                cle.step()
            name = rng.choice(Cle.registers)
            choices = (CTRUN, CTSUBS, CTRSTA, 1, rng.randrange(1 << 32), lists.BINNING, lists.RENDERING, lists.SUB_LIST)
            host_of(cle).write(name, rng.choice(choices))
            for other in Cle.registers:
                assert 0 <= host_of(cle).read(other) < 1 << 32
        assert bytes(memory.data) == IMAGE
        recovers(cle, memory)


def test_the_guard_sees_every_kind():
    """What the fuzz test begins with uses the pipelines as it should."""
    rng = random.Random(0)
    memory = Memory(lists.SIZE, lists.BASE, IMAGE)
    guards = Guard(rng, Threads.BINNING), Guard(rng, Threads.RENDERING)
    cle = Cle(memory, *guards)
    recovers(cle, memory)
    assert guards[0].primitives > 50
    assert guards[1].primitives > 50
    assert all(guard.configured and guard.shader and not guard.in_list for guard in guards)
