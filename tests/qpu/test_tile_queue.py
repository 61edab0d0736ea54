"""What a fragment shader says to the tile buffer comes there, in its order, however long the tile buffer takes nothing."""

import random
from collections import deque
from itertools import chain, repeat

import pytest
from amaranth import *
from amaranth.lib import wiring

from vc4.qpu.fragment_issue import FragmentIssue
from vc4.qpu.pipeline import STAGES
from vc4.qpu.tile_beat import TileWork
from vc4.qpu.tile_queue import TileQueue
from vc4.tlb.port import TlbCommand

QUADS, SLOT = 4, 4
#: Clocks from the first one in RA to the first one in IO.
IO = STAGES.index("io")
MOST_CLOCKS = 20_000


class Way(wiring.Component):
    """SP and the queue of a QPU; its pipeline is the bench."""

    def __init__(self):
        super().__init__({})
        self.issue, self.queue = FragmentIssue(), TileQueue()
        self.said = Signal.like(self.queue.i.payload, name="said")
        self.says, self.there, self.pending = Signal(), Signal(), Signal()

    def elaborate(self, platform):
        m = Module()
        m.submodules.issue, m.submodules.queue = issue, queue = self.issue, self.queue
        # As in a QPU, what loads says it when nothing else does.
        loads = issue.beats
        m.d.comb += [
            loads.ready.eq(1),
            queue.i.valid.eq(self.says | loads.valid),
            queue.i.payload.eq(Mux(loads.valid, loads.payload, self.said)),
            *(getattr(issue.state, name).eq(getattr(queue, name)) for name in ("full", "empty", "came")),
            *(issue.state.there.eq(self.there), issue.state.pending.eq(self.pending)),
            queue.write_ready.eq(1),
        ]
        return m


def random_program(rng):
    """What each instruction does: most write, one after the other, until one loads."""
    kinds = ["writes"] * rng.choice((5, 20)) + ["loads"]
    return [rng.choice(kinds) if rng.random() < 0.9 else "nothing" for _ in range(150)]


class Bench:
    """Issues a program, slot by slot, and drains the queue: `takes` says clock by clock whether the tile buffer is ready."""

    def __init__(self, ctx, dut, program, takes, rng):
        self.ctx, self.dut, self.takes, self.rng = ctx, dut, takes, rng
        self.program = deque(program)
        self.wanted = [
            (command, quad)
            for kind in program
            for command, quads in ((TlbCommand.COLOUR, range(QUADS)), (TlbCommand.READ_COLOUR, reversed(range(QUADS))))
            if command is {"writes": TlbCommand.COLOUR, "loads": TlbCommand.READ_COLOUR}.get(kind)
            for quad in quads
        ]
        self.found = []
        self.writes = {}  # the quad that IO has in a clock
        self.until = 0  # the last clock with a write in the pipeline
        self.answers = 0

    async def run(self):
        ctx, issue = self.ctx, self.dut.issue
        ctx.set(self.dut.there, 1)
        ctx.set(issue.shades, 1)
        ctx.set(issue.starts, 1)
        await ctx.tick()
        ctx.set(issue.starts, 0)
        for clock in range(MOST_CLOCKS):
            if not self.program and len(self.found) == len(self.wanted):
                break
            self._front(clock)
            await self._back()
        assert self.found == self.wanted

    def _front(self, clock):
        """The instruction in SP, and what those before it say from IO."""
        ctx, issue, control = self.ctx, self.dut.issue, self.dut.issue.sp_control
        kind = self.program[0] if self.program else None
        last = clock % SLOT == SLOT - 1
        ctx.set(self.dut.says, clock in self.writes)
        command, quad = TlbCommand.COLOUR, self.writes.pop(clock, 0)
        ctx.set(self.dut.said, {"work": TileWork.REQUEST, "command": command, "quad": quad})
        ctx.set(self.dut.pending, clock <= self.until)
        ctx.set(issue.sp_valid, kind is not None)
        ctx.set(issue.slot_end, last)
        ctx.set(control.loads_tile, kind == "loads")
        ctx.set(control.tile_load, TlbCommand.READ_COLOUR)
        ctx.set(control.needs.tile_buffer, kind in ("writes", "loads"))
        stalls = issue.stalls
        goes = kind is not None and last and not (ctx.get(stalls.tlb) or ctx.get(stalls.start))
        ctx.set(issue.issues, goes)
        if goes:
            self.program.popleft()
            if kind == "writes":
                first = clock + 1 + IO
                self.writes |= {first + quad: quad for quad in range(QUADS)}
                self.until = first + QUADS - 1

    async def _back(self):
        """The tile buffer takes what comes, or nothing, and answers loads."""
        ctx, tlb = self.ctx, self.dut.queue.tlb
        ctx.set(tlb.requests.ready, next(self.takes))
        ctx.set(tlb.answers.valid, self.answers > 0 and self.rng.random() < 0.5)
        requests, answers = tlb.requests, tlb.answers
        sampled = (requests.valid, requests.ready, requests.payload.command, answers.valid, answers.ready)
        of = self.dut.queue.of.quad
        _, _, valid, ready, command, answered, heard, quad = await ctx.tick().sample(*sampled, of)
        if valid and ready:
            self.found.append((command, quad))
            self.answers += command is TlbCommand.READ_COLOUR
        self.answers -= bool(answered and heard)


def random_takes(rng):
    """By fits and starts."""
    while True:
        yield from repeat(1, rng.randrange(1, 20))
        yield from repeat(0, rng.choice((1, 4, 100)))


def runs(simulate, program, takes, rng):
    dut = Way()

    async def bench(ctx):
        await Bench(ctx, dut, program, takes, rng).run()

    simulate(dut, bench)


@pytest.mark.parametrize("taken", range(QUADS))
def test_a_load_waits_for_room(simulate, taken):
    """With two beats that go just before the queue counts as full, it gets as full as it can, and then nothing goes for a while."""
    takes = chain(repeat(0, 32), repeat(1, taken), repeat(0, 200), repeat(1))
    runs(simulate, ["writes"] * 8 + ["loads"], takes, random.Random(taken))


@pytest.mark.thorough
def test_nothing_is_lost(simulate, seeds):
    for seed in seeds(10):
        rng = random.Random(seed)
        runs(simulate, random_program(rng), random_takes(rng), rng)
