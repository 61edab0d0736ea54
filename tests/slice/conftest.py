"""A unit that reads memory, together with a memory that answers it late and with gaps."""

import random

import pytest
from amaranth.hdl import C, Module
from amaranth.lib.wiring import connect

from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import watch

LINE = 64


class Requests:
    """Checks for ever what a unit asks for: inside one line, and never more words than it has `depth` for.

    dut : the unit, with a port `bus`
    depth : words that it has room for, `None`: this is not checked
    restarts, words_taken : values: the unit drops everything; a word leaves it
    """

    def __init__(self, dut, depth, restarts, words_taken):
        self.dut, self.depth = dut, depth
        self.most = 0
        self._events = (restarts, words_taken)
        self._due = 0  # words that are there or on the way, and will be taken
        self._restarted = False  # nothing has been asked for since the restart
        self._old = False  # a request from before the restart is still offered

    async def bench(self, ctx):
        requests = self.dut.bus.requests
        channel = (requests.valid, requests.ready, requests.payload.address, requests.payload.beats)
        async for _, _, restart, left, valid, ready, address, beats in ctx.tick().sample(*self._events, *channel):
            self._due -= left
            if valid and ready:
                assert address // LINE == (address + 8 * beats) // LINE, "a request crosses a line"
                self._count(beats + 1)
            if restart:
                self._restarted, self._old = True, valid and not ready

    def _count(self, words):
        if self._old:
            self._old = False
            return
        if self._restarted:
            self._due, self._restarted = 0, False
        self._due += words
        self.most = max(self.most, self._due)
        assert self.depth is None or self._due <= self.depth, "a request that the queue has no room for"


@pytest.fixture
def attach(simulate):
    """`attach(dut, script, ...)`: runs a unit on a memory with `script` as its reader, under the rules of its port."""

    def run(dut, script, *, contents, base, restarts, seed, latency, gap, depth=None, words_taken=C(0)):
        m = Module()
        m.submodules.dut = dut
        m.submodules.memory = memory = BenchMemory(
            len(contents), base=base, init=contents, latency=latency, gap=gap, seed=seed
        )
        connect(m, dut.bus, memory.bus)
        requests = Requests(dut, depth, restarts, words_taken)

        async def stable(ctx):
            await watch(ctx, dut.bus.requests)

        simulate(m, script, background=[requests.bench, stable])
        return requests

    return run


@pytest.fixture
def image():
    """`image(seed, size)`: random bytes."""
    return lambda seed, size: random.Random(seed).randbytes(size)
