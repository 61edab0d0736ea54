"""`Sfu` against the model: all vectors of all QPUs, in turn and in time."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from vc4.isa.registers import QUADS
from vc4.isa.sfu_tables import SfuFunction
from vc4.qpu.structs import LANES
from vc4.slice.sfu import Sfu
from vc4sim.bench.streams import feed, watch
from vc4sim.model.arith.sfu import special
from vc4sim.model.elementwise import elementwise

from ..simulation import simulation_of

#: Clocks from a quad that nothing holds up to its result: one in the queue.
PASSAGE = 1 + Sfu.LATENCY
#: From the clock that issues an instruction to its first quad in IO, and in RU (`vc4.qpu.pipeline`).
TO_IO, TO_RU = 8, 3
#: Instructions from a write to the first that may read r4 or write again (guide, section 3).
DISTANCE = 3


def random_vector(rng):
    """The four requests of a vector, and their results."""
    function = rng.choice(list(SfuFunction))
    # Half of the operands lie where the functions are most interesting.
    words = [rng.choice([rng.getrandbits(32), 0x3C00_0000 + rng.getrandbits(27)]) for _ in range(QUADS * LANES)]
    quads = np.array(words, np.uint32).reshape(QUADS, LANES)
    results = elementwise(special, function.value, quads).tolist()
    requests = [{"function": function, "quad": quad, "data": quads[quad].tolist()} for quad in range(QUADS)]
    return requests, results


class Results:
    """What came, as (clock, QPU, quad, words); one clock after the other."""

    def __init__(self, dut):
        self.dut = dut
        self.got = []
        self.clock = 0

    async def tick(self, ctx):
        """Waits for a clock, takes its results and returns busy and ready of all QPUs in it."""
        ports = self.dut.qpus
        signals = [(port.busy, port.requests.ready, port.result_stb, port.result) for port in ports]
        _, _, *values = await ctx.tick().sample(*(signal for group in signals for signal in group))
        busy, ready, strobes, results = (values[place::4] for place in range(4))
        assert sum(strobes) <= 1, "two QPUs get a result"
        for qpu, (strobe, result) in enumerate(zip(strobes, results, strict=True)):
            if strobe:
                self.got.append((self.clock, qpu, result.quad, list(result.data)))
        self.clock += 1
        return busy, ready

    def of(self, qpu):
        """Quads and words of one QPU."""
        return [(quad, words) for _, number, quad, words in self.got if number == qpu]


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("gap", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("qpus", [1, 4])
def test_every_quad_once_and_in_order_whatever_the_gaps(qpus, gap, seed):
    rng = random.Random(f"{qpus} {gap} {seed}")
    (simulation, dut), count = simulation_of(Sfu, qpus), 8
    vectors = [[random_vector(rng) for _ in range(count)] for _ in range(qpus)]
    results = Results(dut)

    def sender(qpu):
        requests = [request for vector, _ in vectors[qpu] for request in vector]
        random_gaps = random.Random(f"{seed} {qpu}")

        async def bench(ctx):
            await feed(ctx, dut.qpus[qpu].requests, requests, rng=random_gaps, gap=gap)

        return bench

    def stable(qpu):
        async def bench(ctx):
            await watch(ctx, dut.qpus[qpu].requests)

        return bench

    async def receiver(ctx):
        for _ in range(5000):
            await results.tick(ctx)
            if len(results.got) == qpus * count * QUADS:
                break
        for _ in range(2 * PASSAGE):
            await results.tick(ctx)

    numbers = range(qpus)
    simulation.run(receiver, *map(sender, numbers), background=[stable(qpu) for qpu in numbers])
    for qpu in numbers:
        expected = [(quad, words) for _, vector in vectors[qpu] for quad, words in enumerate(vector)]
        assert results.of(qpu) == expected, f"seed {qpus} {gap} {seed}, QPU {qpu}"


def run_together(qpus, starts, clocks):
    """Each QPU sends one vector without gaps from its start on; results, and busy of each QPU by clocks."""
    rng = random.Random(1)
    simulation, dut = simulation_of(Sfu, qpus)
    vectors = [random_vector(rng)[0] for _ in starts]
    results, busy = Results(dut), []

    async def bench(ctx):
        for clock in range(clocks):
            for port, vector, start in zip(dut.qpus, vectors, starts, strict=True):
                now = start <= clock < start + QUADS
                ctx.set(port.requests.valid, now)
                if now:
                    ctx.set(port.requests.payload, vector[clock - start])
            busy.append((await results.tick(ctx))[0])

    simulation.run(bench)
    return results.got, list(zip(*busy, strict=True))


@pytest.mark.parametrize("qpu", range(4))
def test_one_alone(qpu):
    """The reader that is issued eleven clocks after the write entered RA, seven before IO, sees every quad in RU."""
    starts = [5 if number == qpu else 1000 for number in range(4)]
    got, busy = run_together(4, starts, 30)
    assert [(clock, number, quad) for clock, number, quad, _ in got] == [
        (5 + PASSAGE + quad, qpu, quad) for quad in range(QUADS)
    ]
    written = 5 - (TO_IO - 1)
    issued = written + DISTANCE * QUADS - 1
    assert all(clock < issued + TO_RU + quad for clock, _, quad, _ in got)
    assert [clock for clock, bit in enumerate(busy[qpu]) if bit] == list(range(6, issued))
    assert not any(any(bits) for number, bits in enumerate(busy) if number != qpu)


@pytest.mark.parametrize(
    ("starts", "order"),
    [
        ([3, 3, 3, 3], [0, 1, 2, 3]),
        ([4, 3, 4, 4], [1, 2, 3, 0]),
        ([6, 5, 4, 3], [3, 0, 1, 2]),
        ([3, 4, 5, 6], [0, 1, 2, 3]),
        ([30, 4, 30, 3], [3, 1, 2, 0]),
    ],
)
def test_vectors_take_turns(starts, order):
    got, busy = run_together(4, starts, 60)
    free, expected = 0, []
    for qpu in order:
        first = max(free, starts[qpu] + PASSAGE)
        free = first + QUADS
        expected += [(first + quad, qpu, quad) for quad in range(QUADS)]
        assert [clock for clock, bit in enumerate(busy[qpu]) if bit] == list(range(starts[qpu] + 1, first - 1))
    assert [(clock, qpu, quad) for clock, qpu, quad, _ in got] == expected


class Program:
    """A QPU that issues an instruction in the last clock of a slot, unless `busy` holds it: it writes, reads or does else.

    A write never comes sooner than the guide allows; a read sees in RU what the last write gave.
    """

    def __init__(self, number, phase, share, seed):
        self.rng = random.Random(f"{seed} {number}")
        self.note = f"seed {seed}, QPU {number}"
        self.number, self.phase, self.share = number, phase, share
        self.requests = {}  # by clock
        self.reads = {}  # quad and words that RU must see, by clock
        self.starts = []  # first clock of each vector
        self.expected = [None] * QUADS
        self.results = []  # quads and words of all writes
        self.r4 = [None] * QUADS
        self.distance = DISTANCE
        self.instruction = "else"
        self.held = 0

    def issue(self, clock, busy):
        """One clock of SP."""
        if (clock - self.phase) % QUADS:
            return
        lawful = self.distance >= DISTANCE
        if self.instruction != "else" and not lawful:
            self.instruction = "else"
        if self.instruction != "else" and busy:
            self.held += 1
            return
        self.distance += 1
        if self.instruction == "write":
            requests, results = random_vector(self.rng)
            first = clock + TO_IO
            self.requests |= {first + quad: request for quad, request in enumerate(requests)}
            self.starts.append(first)
            self.expected, self.distance = results, 1
            self.results += enumerate(results)
        elif self.instruction == "read":
            self.reads |= {clock + TO_RU + quad: (quad, words) for quad, words in enumerate(self.expected)}
        self.instruction = self.rng.choices(["write", "read", "else"], self.share)[0]

    def look(self, clock):
        """One clock of RU."""
        if clock in self.reads:
            quad, words = self.reads.pop(clock)
            assert self.r4[quad] == words, f"{self.note}: quad {quad} in clock {clock} is that of another write"


def run_programs(phases, share, clocks, seed):
    """Runs a program on each QPU for `clocks`, and then until everything is done."""
    simulation, dut = simulation_of(Sfu, len(phases))
    programs = [Program(number, phase, share, seed) for number, phase in enumerate(phases)]
    results = Results(dut)

    async def bench(ctx):
        for clock in range(clocks + 60):
            for program, port in zip(programs, dut.qpus, strict=True):
                program.look(clock)
                request = program.requests.pop(clock, None)
                ctx.set(port.requests.valid, request is not None)
                if request:
                    ctx.set(port.requests.payload, request)
            sent = [ctx.get(port.requests.valid) for port in dut.qpus]
            seen = len(results.got)
            busy, ready = await results.tick(ctx)
            assert all(is_ready for is_sent, is_ready in zip(sent, ready, strict=True) if is_sent), "no room"
            for _, qpu, quad, words in results.got[seen:]:
                programs[qpu].r4[quad] = words
            if clock < clocks:
                for program, is_busy in zip(programs, busy, strict=True):
                    program.issue(clock, is_busy)

    simulation.run(bench)
    return SimpleNamespace(programs=programs, got=results.got, of=results.of)


@pytest.mark.parametrize(
    "phases",
    [
        (0,),
        (3, 1, 1, 0),
        *(pytest.param(phases, marks=pytest.mark.thorough) for phases in [(0, 0, 0), (0, 0, 0, 0), (0, 1, 2, 3)]),
    ],
)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 6))])
def test_programs(phases, seed):
    """Results are there in time for every lawful reader, are never lost, and come at most one turn of the others late."""
    run = run_programs(phases, (3, 2, 2), 400, seed)
    for program in run.programs:
        assert run.of(program.number) == program.results, program.note
        begun = [clock for clock, qpu, quad, _ in run.got if qpu == program.number and quad == 0]
        late = [clock - start - PASSAGE for clock, start in zip(begun, program.starts, strict=True)]
        assert min(late) >= 0, program.note
        assert max(late) <= QUADS * (len(phases) - 1), program.note
        assert len(phases) > 1 or program.held == 0, "a program that is alone waits"


@pytest.mark.parametrize("phases", [pytest.param((0, 0, 0, 0), marks=pytest.mark.thorough), (0, 1, 2, 3)])
def test_a_quad_a_clock_shared_fairly(phases):
    clocks = 200
    run = run_programs(phases, (1, 0, 0), clocks, 5)
    middle = [(clock, qpu) for clock, qpu, _, _ in run.got if 50 <= clock < clocks]
    assert [clock for clock, _ in middle] == list(range(50, clocks))
    counts = [sum(qpu == number for _, qpu in middle) for number in range(len(phases))]
    assert max(counts) - min(counts) <= QUADS
