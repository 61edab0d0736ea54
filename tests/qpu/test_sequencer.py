"""`Sequencer` against an interpreter of delay slots in Python, with an instruction stream that reads ahead.

A word is an instruction of the tests' own: bits 1:0 tell branch and end, bit 2 whether a branch is taken, bits 63:32 where.
"""

import random
from collections import deque
from dataclasses import dataclass

import pytest

from vc4.qpu.sequencer import Sequencer

BRANCH, ENDS, TAKEN = 1, 2, 4
#: Clocks from the end of the slot in which a branch leaves SP to the clock in which its decision is there.
DECISION = 8
CODE = 0x4000
WORDS = 96


def random_program(rng):
    """Words by address: plain ones, branches, mostly forwards, and ends; a word that is not there is an end too."""
    program = {}
    for address in range(CODE, CODE + 8 * WORDS, 8):
        word = rng.choice([0, 0, 0, BRANCH, BRANCH | TAKEN, ENDS if rng.random() < 0.3 else 0])
        target = CODE + 8 * rng.randrange(WORDS) if rng.random() < 0.2 else address + 8 * rng.randrange(1, 20)
        program[address] = target << 32 | (address & 0xFFFF) << 8 | word
    return program


def interpret(program, pc, limit):
    """Addresses of the instructions in the order in which they run, up to `limit`."""
    ran, jumps, branches_at, end = [], {}, -9, None
    while len(ran) < limit and end != len(ran):
        number = len(ran)
        pc = jumps.pop(number, pc)
        word = program.get(pc, ENDS)
        ran.append(pc)
        if word & BRANCH:
            if word & TAKEN and number - branches_at > 2:
                jumps[number + 4] = word >> 32
            branches_at = number
        if word & ENDS and end is None:
            end = number + 3
        pc += 8
    return ran


class Stream:
    """Reads ahead and goes on elsewhere as `Prefetch` does; what has been asked for already still comes."""

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
        self._decide(ctx)
        if ctx.get(dut.issue):
            assert slot_end, "an instruction is issued in the middle of a slot"
            self._issue(ctx, word)
        if ctx.get(dut.instructions.ready) and stream.offered:
            stream.taken()
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
        self.issued.append(ctx.get(self.dut.sp_pc))
        assert word == self.stream.program.get(self.issued[-1], ENDS)
        if word & BRANCH and not ctx.get(self.dut.branch_close):
            self.decisions.append(Decision(self.clock + DECISION, word))


async def run(ctx, dut, environment, pc, instructions):
    """Start at `pc` and step until the program has ended or issued so many instructions."""
    assert ctx.get(dut.start.ready), "not ready for a program"
    ctx.set(dut.start.payload, {"pc": pc, "uniforms": 0})
    ctx.set(dut.start.valid, 1)
    await environment.step(ctx)
    ctx.set(dut.start.valid, 0)
    for _ in range(200 * instructions):
        if not ctx.get(dut.running) or len(environment.issued) >= instructions:
            return
        await environment.step(ctx)
    raise AssertionError(f"stuck behind {environment.issued[-1:]}")


@pytest.mark.parametrize(("gap", "stall"), [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.3, 0.3), (0.9, 0.1)])
def test_random_programs(simulate, gap, stall):
    """Programs one after the other on one device, each to its end or for 150 instructions; no device is reset."""
    for seed in range(6):
        rng = random.Random(seed)
        dut = Sequencer()
        program = random_program(rng)

        async def bench(ctx, seed=seed, rng=rng, dut=dut, program=program):
            environment = Environment(dut, Stream(program, rng, gap), rng, stall)
            for number in range(8):
                environment.issued, environment.empty_slots = [], 0
                pc = CODE + 8 * rng.randrange(WORDS)
                await run(ctx, dut, environment, pc + rng.randrange(8), 150)
                expected = interpret(program, pc, 150)
                note = f"seed {seed}, program {number} from {pc:#x}"
                assert environment.issued == expected, note
                if ctx.get(dut.running):
                    return
                assert environment.empty_slots == 1, f"{note}: the end is not followed by one empty slot"

        simulate(dut, bench)


def test_one_instruction_every_four_clocks_across_branches(simulate):
    """With a stream that never pauses, only the end of a program takes a slot more."""
    dut, rng = Sequencer(), random.Random(1)
    target = CODE + 0x100
    program = dict.fromkeys(range(CODE, target + 64, 8), 0)
    program |= {CODE + 8: target << 32 | BRANCH | TAKEN, target + 8: ENDS}

    async def bench(ctx):
        stream = Stream(program, rng, 0.0)
        stream.advance = lambda: eager(stream)
        environment = Environment(dut, stream, rng, 0.0)
        clocks = []
        ctx.set(dut.start.payload, {"pc": CODE, "uniforms": 0})
        ctx.set(dut.start.valid, 1)
        for _ in range(60):
            before = len(environment.issued)
            await environment.step(ctx)
            ctx.set(dut.start.valid, 0)
            if len(environment.issued) > before:
                clocks.append(environment.clock)
        assert environment.issued == [CODE + 8 * n for n in range(5)] + [target + 8 * n for n in range(4)]
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
    dut, rng = Sequencer(), random.Random(1)
    away = CODE + 0x200
    program = dict.fromkeys(range(CODE, away, 8), 0)
    program |= {CODE + 8: ENDS, CODE + 24: away << 32 | BRANCH | TAKEN, CODE + 0x1C0: ENDS}

    async def bench(ctx):
        environment = Environment(dut, Stream(program, rng, 0.0), rng, 0.0)
        for pc in (CODE, CODE + 0x100):
            environment.issued = []
            await run(ctx, dut, environment, pc, 50)
            assert environment.issued == interpret(program, pc, 50)

    simulate(dut, bench)


@pytest.mark.parametrize("error", [0, 1])
def test_the_error_of_a_word_comes_with_it(simulate, error):
    dut = Sequencer()

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
