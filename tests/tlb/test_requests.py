"""`TlbRequests` with all of the tile buffer against the model: several QPUs at a time, each with answers in its order."""

import random
from collections import Counter

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.isa.ops import Signal as QpuSignal
from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.port import TlbCommand, TlbPort
from vc4.tlb.request_structs import TlbEvents
from vc4.tlb.requests import TlbRequests
from vc4.tlb.stencil_set_ups import StencilSetUps
from vc4.tlb.structs import SAMPLES, TileForm
from vc4.tlb.tile_store import TileStore
from vc4sim.model.qpu.fragment_port import FRAGMENT_LOADS
from vc4sim.model.qpu.fragment_state import AS_MASK, CLEARS, COLOUR_WRITES, LOADS, SAMPLE_WRITES

from ..simulation import simulation_of
from .streams import ModelTile, some_form, some_place

QPUS = 3
PATIENCE = 400
DEPTH, STENCIL, COLOUR, MASK, READ_COLOUR, READ_MASK, READ_COVERAGE = TlbCommand
LOADS_OF = {
    READ_COLOUR: FRAGMENT_LOADS[QpuSignal.LOAD_COLOUR],
    READ_MASK: FRAGMENT_LOADS[QpuSignal.LOAD_ALPHA_MASK],
    READ_COVERAGE: FRAGMENT_LOADS[QpuSignal.LOAD_COVERAGE],
}


class Device(wiring.Component):
    """Requests in front of the memories."""

    def __init__(self):
        threads = 2 * QPUS
        super().__init__(
            {
                "ports": In(TlbPort()).array(QPUS),
                "form": In(TileForm),
                "waits": In(threads),
                "lets_go": Out(threads),
                "begins": In(threads),
                "events": Out(TlbEvents),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = TileStore()
        m.submodules.set_ups = set_ups = StencilSetUps(2 * QPUS)
        m.submodules.requests = requests = TlbRequests(QPUS)
        connect(m, requests.tile, store.tile)
        connect(m, requests.stencil_writes, set_ups.i)
        for own, port in zip(self.ports, requests.ports, strict=True):
            connect(m, flipped(own), port)
        m.d.comb += [
            store.form.eq(self.form),
            requests.depth_counts.eq(store.depth_counts),
            set_ups.starts.eq(requests.stencil_starts),
            set_ups.thread.eq(requests.stencil_thread),
            set_ups.back.eq(requests.stencil_back),
            requests.stencil_face.eq(set_ups.face),
            requests.waits.eq(self.waits),
            self.lets_go.eq(requests.lets_go),
            requests.begins.eq(self.begins),
            self.events.eq(requests.events),
            self.busy.eq(requests.busy),
        ]
        return m


def request(command, place=None, **fields):
    """All that there is."""
    given = {"flags": [0xF] * QUAD_PIXELS, "data": [0] * QUAD_PIXELS, "all": 1, "sample": 0, "word": 0, "thread": 0}
    given |= {"back": 0, "test": 7, "updates": 1, "clears": 0, "as_mask": 0}
    return {"command": command, "place": {"x": 0, "y": 0} | (place or {})} | given | fields


def some_request(rng, form, area, z):
    """Of any kind; places and numbers are few."""
    command = rng.choice((DEPTH, DEPTH, STENCIL, COLOUR, COLOUR, MASK, READ_COLOUR, READ_MASK, READ_COVERAGE))
    if command is STENCIL:
        word = rng.getrandbits(30) | rng.randrange(4) << 30
        return request(command, thread=rng.randrange(2), data=[word, *(rng.getrandbits(32) for _ in range(3))])
    flags = [rng.choice((0, 0xF, rng.getrandbits(4) if form["multisample"] else 0xF)) for _ in range(QUAD_PIXELS)]
    fields = {
        "flags": flags,
        "all": 1 if command is COLOUR and rng.random() < 0.5 else 0,
        "sample": rng.randrange(SAMPLES if form["multisample"] else 1),
        "word": rng.randrange(1 + form["wide"]),
        "thread": rng.randrange(2),
        "data": [rng.choice(z) if command is DEPTH else rng.getrandbits(32) for _ in range(QUAD_PIXELS)],
        **{name: rng.randrange(2) for name in ("back", "updates", "clears", "as_mask")},
        "test": rng.randrange(8),
    }
    return request(command, some_place(rng, form, area), **fields)


class Run:
    """Requests of each QPU, with new vectors between some of them."""

    def __init__(self, form, requests, *, seed=1, gap=0.0, pause=0.0, vectors=0.0):
        print(f"seed {seed}")
        self.rng, self.form, self.requests = random.Random(seed), form, requests
        self.gap, self.pause, self.vectors = gap, pause, vectors
        self.model = ModelTile(form)
        self.words = {thread: [] for thread in range(2 * QPUS)}
        self.wanted = [[] for _ in requests]
        self.events, self.begins, self.clocks = Counter(), 0, 0
        rig, self.dut = simulation_of(Device)
        benches = [lambda ctx, n=n: self.qpu(ctx, n) for n in range(len(requests))]
        benches += [lambda ctx, n=n: self.answers(ctx, n) for n in range(len(requests))]
        rig.run(*benches, background=[self.watch])
        # The model's vector has the quad four times, and a load has no condition.
        times = {"TLB_QUADS_COVERED": QUAD_PIXELS, "TLB_QUADS_UNCOVERED": QUAD_PIXELS}
        assert self.model.tile.counts == Counter(
            {name: self.events[name] * times.get(name, 1) for name in self.model.tile.counts}
        )

    def take(self, qpu, one):
        """The model does it; returns whether there is an answer."""
        model, command, words = self.model, one["command"], self.words[2 * qpu + one["thread"]]
        if command is STENCIL:
            words.append(one["data"][0])
            return
        model.begin(one["place"], one["flags"], depth=one["test"], updates=one["updates"], face=one["back"])
        modes = model.fragments.modes
        modes[0, 0, CLEARS], modes[0, 0, AS_MASK] = one["clears"], one["as_mask"]
        modes[0, 0, COLOUR_WRITES] = one["word"]
        number = one["sample"] * model.words + one["word"]
        modes[0, 0, SAMPLE_WRITES] = modes[0, 0, LOADS] = number
        for word in words:
            model.write("stencil", [word])
        if command is DEPTH:
            model.write("tlbz", one["data"])
            self.wanted[qpu].append(("flags", model.flags))
        elif command is COLOUR:
            model.write("tlbc" if one["all"] else "tlbm", one["data"])
        elif command is MASK:
            model.write("tlbam", one["data"])
        else:
            self.wanted[qpu].append(("data", [int(word) for word in model.load(LOADS_OF[command])]))

    async def qpu(self, ctx, number):
        port, left = self.dut.ports[number].requests, list(self.requests[number])
        ctx.set(self.dut.form, self.form)
        while left:
            if self.rng.random() < self.gap:
                await ctx.tick()
                continue
            one = left.pop(0)
            ctx.set(port.payload, one)
            ctx.set(port.valid, 1)
            taken = waited = 0
            while not taken:
                *_, taken = await ctx.tick().sample(port.ready)
                waited += 1
                assert waited < PATIENCE
            ctx.set(port.valid, 0)
            self.take(number, one)
            if self.rng.random() < self.vectors:
                thread = 2 * number + one["thread"]
                self.begins |= 1 << thread
                ctx.set(self.dut.begins, self.begins)
                await ctx.tick()
                self.begins &= ~(1 << thread)
                ctx.set(self.dut.begins, self.begins)
                self.words[thread].clear()
        self.requests[number] = None

    async def answers(self, ctx, number):
        port, waited, rest = self.dut.ports[number].answers, 0, 20
        while rest:
            rest -= self.requests[number] is None and not self.wanted[number]
            ready = self.rng.random() >= self.pause
            ctx.set(port.ready, ready)
            *_, valid, payload = await ctx.tick().sample(port.valid, port.payload)
            waited = 0 if valid or not self.wanted[number] else waited + 1
            assert waited < PATIENCE
            if valid and ready:
                kind, value = self.wanted[number].pop(0)
                assert list(getattr(payload, kind)) == value
        self.clocks = max(self.clocks, self.last)

    last = 0

    async def watch(self, ctx):
        events, clock = self.dut.events, 0
        async for *_, now in ctx.tick().sample(events):
            clock += 1
            if any(self.wanted) or any(self.requests):
                self.last = clock
            for name in self.model.tile.counts:
                self.events[name] += getattr(now, name)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(6, 30))])
def test_requests_of_the_model(seed):
    """Many of few places, in any order."""
    rng = random.Random(seed)
    form = some_form(rng)
    area = rng.choice((1, 2, None))
    z = [0, 1, 0xFFFFFF, 0xFFFFFFFF, rng.getrandbits(32)]
    requests = [[some_request(rng, form, area, z) for _ in range(60)] for _ in range(QPUS)]
    chances = {name: rng.choice((0, 0.3, 0.8)) for name in ("gap", "pause")}
    Run(form, requests, seed=seed, vectors=rng.choice((0, 0.1, 0.3)), **chances)


PLAIN = {"multisample": 0, "wide": 0, "double": 0}


def test_no_stencil_test_before_it_is_set_up():
    """Requests of the vector before are on their way when the next one begins."""
    never = 3 << 30 | 0xFF
    requests = [[request(STENCIL, data=[never, 0, 0, 0]), *[request(DEPTH, {"x": n // 4}) for n in range(40)]]]
    Run(PLAIN, requests, vectors=0.1, seed=3)


def rate(requests):
    """Clocks that twenty more of each take."""
    return [Run(PLAIN, [one[:length] for one in requests]).clocks for length in (20, 40)]


@pytest.mark.parametrize(
    "kinds", [(DEPTH,), (COLOUR,), (READ_COLOUR,), (DEPTH, COLOUR)], ids=lambda kinds: "-".join(k.name for k in kinds)
)
def test_clocks(kinds):
    """A quad a clock; of each kind, if different QPUs ask."""
    short, long = rate([[request(kind, {"x": n % 32, "y": n // 32}) for n in range(40)] for kind in kinds])
    assert long - short == 20


@pytest.mark.parametrize(("kind", "clocks"), [(DEPTH, 8), (READ_COVERAGE, 8), (READ_COLOUR, 5), (READ_MASK, 5)])
def test_latency(kind, clocks):
    """From the clock that takes a request to that of its answer."""
    rig, dut = simulation_of(Device)

    async def bench(ctx):
        port = dut.ports[0]
        ctx.set(port.requests.payload, request(kind))
        ctx.set(port.requests.valid, 1)
        assert ctx.get(port.requests.ready)
        for _ in range(clocks):
            assert not ctx.get(port.answers.valid)
            await ctx.tick()
            ctx.set(port.requests.valid, 0)
        assert ctx.get(port.answers.valid)

    rig.run(bench)
