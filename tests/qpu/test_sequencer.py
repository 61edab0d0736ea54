"""`Sequencer` and `Threads` against the model of both, with an instruction stream that reads ahead.

A word is an instruction of the tests' own: bits 1:0 tell branch and end, bit 2 whether a branch is taken, bit 3 a thread
switch, bits 63:32 where a branch goes.
"""

import random
from collections import deque
from dataclasses import dataclass

import pytest
from amaranth import *
from amaranth.lib import wiring

from vc4.qpu import sequencer, threads
from vc4sim.launch import Launch
from vc4sim.model.qpu import sequencer as model

BRANCH, ENDS, TAKEN, SWITCH = 1, 2, 4, 8
#: Clocks from the end of the slot in which a branch leaves SP to the clock in which its decision is there.
DECISION = 8
CODE = 0x4000
WORDS = 96


def random_program(rng):
    """Words by address: plain ones, branches, mostly forwards, and ends; a word that is not there is an end too."""
    program = {}
    for address in range(CODE, CODE + 8 * WORDS, 8):
        word = rng.choice([0, 0, 0, BRANCH, BRANCH | TAKEN, SWITCH, ENDS if rng.random() < 0.3 else 0])
        target = CODE + 8 * rng.randrange(WORDS) if rng.random() < 0.2 else address + 8 * rng.randrange(1, 20)
        program[address] = target << 32 | (address & 0xFFFF) << 8 | word
    return program


class Device(wiring.Component):
    """A sequencer with its threads; no instruction moves uniforms."""

    def __init__(self):
        self.sequencer, self.threads = sequencer.Sequencer(), threads.Threads()
        self.start = self.threads.start
        super().__init__({})

    def __getattr__(self, name):
        return getattr(self.sequencer, name)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer, m.submodules.threads = self.sequencer, self.threads
        m.d.comb += [
            self.threads.settled.eq(1),
            *(
                getattr(self.threads, name).eq(getattr(self.sequencer, name))
                for name in ("running", "asks", "leaves", "resume_pc")
            ),
            *(
                getattr(self.sequencer, name).eq(getattr(self.threads, name))
                for name in ("enters", "offers", "pc", "current")
            ),
        ]
        return m


def interpret(sequences, program, launches, limit):
    """Thread, bank and address of the instructions in the order in which they run, up to `limit`; QPU 0 goes on."""
    ran, queue, state = [], deque(launches), (memoryview(sequences), 0)
    while len(ran) < limit:
        if queue and model.place_of(*state, int(queue[0].threaded)) >= 0:
            launch = queue.popleft()
            thread = model.place_of(*state, int(launch.threaded))
            model.begin_program(*state, launch.pc, int(launch.threaded), thread)
        elif not state[0][0, model.RUNNING]:
            if not model.has_suspended(*state):
                break
            model.resume(*state)
        pc = state[0][0, model.PC]
        word = program.get(pc, ENDS)
        ran.append((model.view_of(*state), pc))
        taken = word & BRANCH and word & TAKEN and model.counts_branches(*state)
        model.advance(*state, word & BRANCH, word >> 32 if taken else -1, word & ENDS, word & SWITCH)
    return ran


class Stream:
    """Reads ahead and goes on elsewhere as `Fetch` does; what has been asked for already still comes."""

    def __init__(self, program, rng, gap):
        self.program, self.rng, self.gap = program, rng, gap
        self.room = rng.choice([2, 6, 16])
        self.at = 0
        self.jump = None
        self.words = deque()
        self.offered = False

    def advance(self):
        """One clock: asks for up to four words more."""
        for _ in range(self.rng.randrange(5)):
            if len(self.words) < self.room:
                self.words.append(self.at)
                self.at += 8
                if self.jump and self.at == self.jump[0]:
                    self.at, self.jump = self.jump[1], None
        self.offered = bool(self.words) and (self.offered or self.rng.random() >= self.gap)

    def redirect(self, restart, boundary, target):
        self.jump = None
        if restart:
            self.words.clear()
            self.offered = False
        if restart or self.at >= boundary:
            self.at = target
        else:
            self.jump = (boundary, target)

    def taken(self):
        self.words.popleft()
        self.offered = False


@dataclass
class Decision:
    """A branch on its way to A2."""

    clock: int
    word: int


class Environment:
    """The rest of a QPU around the sequencer."""

    def __init__(self, dut, stream, rng, stall):
        self.dut, self.stream, self.rng, self.stall = dut, stream, rng, stall
        self.clock = 0
        self.issued = []
        self.empty_slots = 0
        self.decisions = deque()
        self.launches = deque()

    async def step(self, ctx):
        """One clock."""
        dut, stream = self.dut, self.stream
        slot_end = self.clock % 4 == 3
        ctx.set(dut.instructions.valid, stream.offered)
        if stream.offered:
            pc = stream.words[0]
            ctx.set(dut.instructions.payload, {"pc": pc, "word": stream.program.get(pc, ENDS), "error": 0})
        word = ctx.get(dut.sp_word)
        ctx.set(dut.slot_end, slot_end)
        ctx.set(dut.stalled, self.rng.random() < self.stall)
        ctx.set(dut.sp_branch, word & BRANCH != 0)
        ctx.set(dut.sp_ends, word & ENDS != 0)
        ctx.set(dut.sp_switches, word & SWITCH != 0)
        ctx.set(dut.start.valid, bool(self.launches))
        if self.launches:
            first = self.launches[0]
            ctx.set(dut.start.payload, {"pc": first.pc, "uniforms": 0, "threaded": first.threaded})
        self._decide(ctx)
        if ctx.get(dut.issue):
            assert slot_end, "an instruction is issued in the middle of a slot"
            self._issue(ctx, word)
        if ctx.get(dut.instructions.ready) and stream.offered:
            stream.taken()
        if self.launches and ctx.get(dut.start.ready):
            self.launches.popleft()
        redirect = ctx.get(dut.redirect) if ctx.get(dut.redirect_stb) else None
        await ctx.tick()
        self.clock += 1
        if redirect is not None:
            stream.redirect(redirect.restart, redirect.boundary, redirect.target)
        stream.advance()

    def _decide(self, ctx):
        decides = bool(self.decisions) and self.decisions[0].clock == self.clock
        ctx.set(self.dut.resolved_stb, decides)
        if decides:
            word = self.decisions.popleft().word
            ctx.set(self.dut.taken, word & TAKEN != 0)
            ctx.set(self.dut.target, word >> 32)

    def _issue(self, ctx, word):
        if not ctx.get(self.dut.sp_valid):
            self.empty_slots += 1
            return
        view, pc = ctx.get(self.dut.sp_view), ctx.get(self.dut.sp_pc)
        self.issued.append((view.thread << 4 | view.bank, pc))
        assert word == self.stream.program.get(pc, ENDS)
        if word & BRANCH and not ctx.get(self.dut.branch_close):
            self.decisions.append(Decision(self.clock + DECISION, word))


async def run(ctx, dut, environment, launches, instructions):
    """Offer the programs and step until all have ended or issued so many instructions."""
    environment.issued, environment.empty_slots = [], 0
    environment.launches = deque(launches)
    for _ in range(200 * instructions):
        await environment.step(ctx)
        rests = not ctx.get(dut.running) and not ctx.get(dut.threads.waiting) and not environment.launches
        if rests or len(environment.issued) >= instructions:
            return
    raise AssertionError(f"stuck after {environment.issued[-1:]}")


@pytest.mark.parametrize(
    ("gap", "stall"),
    [
        (0.3, 0.3),
        *(pytest.param(*gaps, marks=pytest.mark.thorough) for gaps in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.9, 0.1))),
    ],
)
def test_random_programs(simulate, gap, stall):
    """Programs one after the other or side by side, to their end or for 150 instructions; no device is reset."""
    for seed in range(6):
        rng = random.Random(seed)
        dut, sequences = Device(), model.new_sequences()
        program = random_program(rng)

        async def bench(ctx, seed=seed, rng=rng, dut=dut, sequences=sequences, program=program):
            environment = Environment(dut, Stream(program, rng, gap), rng, stall)
            for number in range(8):
                launches = [
                    Launch(CODE + 8 * rng.randrange(WORDS) + rng.randrange(8), 0, threaded=rng.random() < 0.7)
                    for _ in range(rng.choice([1, 1, 2, 3]))
                ]
                await run(ctx, dut, environment, launches, 150)
                expected = interpret(sequences, program, launches, 150)
                note = f"seed {seed}, programs {number}: {launches}"
                assert environment.issued == expected, note
                if len(expected) == 150:
                    return
                ends = len(launches)
                assert environment.empty_slots == ends, f"{note}: not every end is followed by one empty slot"

        simulate(dut, bench)


def test_one_instruction_every_four_clocks_across_branches(simulate):
    """With a stream that never pauses, only the end of a program takes a slot more."""
    dut, rng = Device(), random.Random(1)
    target = CODE + 0x100
    program = dict.fromkeys(range(CODE, target + 64, 8), 0)
    program |= {CODE + 8: target << 32 | BRANCH | TAKEN, target + 8: ENDS}

    async def bench(ctx):
        stream = Stream(program, rng, 0.0)
        stream.advance = lambda: eager(stream)
        environment = Environment(dut, stream, rng, 0.0)
        clocks = []
        environment.launches.append(Launch(CODE, 0))
        for _ in range(60):
            before = len(environment.issued)
            await environment.step(ctx)
            if len(environment.issued) > before:
                clocks.append(environment.clock)
        assert [pc for _, pc in environment.issued] == [
            *(CODE + 8 * n for n in range(5)),
            *(target + 8 * n for n in range(4)),
        ]
        assert [b - a for a, b in zip(clocks, clocks[1:], strict=False)] == [4] * 8

    def eager(stream):
        """A word more in each clock than can be dropped."""
        for _ in range(2):
            stream.words.append(stream.at)
            stream.at += 8
            if stream.jump and stream.at == stream.jump[0]:
                stream.at, stream.jump = stream.jump[1], None
        while len(stream.words) > 2:
            stream.at = stream.words.pop()
        stream.offered = True

    simulate(dut, bench)


def test_a_branch_that_is_decided_behind_the_end_moves_nothing(simulate):
    """The last delay slot of the first program branches; the second program starts before that is decided."""
    dut, sequences, rng = Device(), model.new_sequences(), random.Random(1)
    away = CODE + 0x200
    program = dict.fromkeys(range(CODE, away, 8), 0)
    program |= {CODE + 8: ENDS, CODE + 24: away << 32 | BRANCH | TAKEN, CODE + 0x1C0: ENDS}

    async def bench(ctx):
        environment = Environment(dut, Stream(program, rng, 0.0), rng, 0.0)
        for launch in (Launch(CODE, 0), Launch(CODE + 0x100, 0)):
            await run(ctx, dut, environment, [launch], 50)
            assert environment.issued == interpret(sequences, program, [launch], 50)

    simulate(dut, bench)


@pytest.mark.parametrize("error", [0, 1])
def test_the_error_of_a_word_comes_with_it(simulate, error):
    dut = Device()

    async def bench(ctx):
        ctx.set(dut.start.payload, {"pc": CODE, "uniforms": 0})
        ctx.set(dut.start.valid, 1)
        await ctx.tick()
        ctx.set(dut.start.valid, 0)
        assert not ctx.get(dut.start.ready)
        ctx.set(dut.instructions.payload, {"pc": CODE, "word": 1, "error": error})
        ctx.set(dut.instructions.valid, 1)
        await ctx.tick()
        assert (ctx.get(dut.sp_valid), ctx.get(dut.sp_error)) == (1, error)

    simulate(dut, bench)
