"""Tells when things happen in Amaranth's simulator: the records that native benches tell, if a job asks for them."""

from collections.abc import Callable

import numpy as np

from ..bench.traced import TracedGpu
from ..queues import Peaks
from ..retired import BUS, LEVELS, SLOT
from ..timed import record_of

__all__ = ["telling"]

_WORD = (1 << 32) - 1


def telling(bench: TracedGpu, kinds: frozenset[int], tell: Callable[[np.ndarray], object]) -> list[Callable]:
    """Processes for Amaranth's simulator that look at each clock; none, if nobody wants to know."""
    processes = []
    if SLOT in kinds:
        processes += [_slots(bench, number, tell) for number in range(len(bench.trace))]
    if BUS in kinds:
        processes.append(_bus(bench, tell))
    if LEVELS in kinds:
        processes.append(_levels(bench, tell))
    return processes


def _slots(bench: TracedGpu, number: int, tell: Callable[[np.ndarray], object]) -> Callable:
    trace = bench.trace[number]

    async def watch(ctx):
        # Between two slots nothing is told: only these clocks are looked at.
        edges = ctx.tick().sample(
            bench.cycles, bench.stop, trace.slot_end, trace.running, trace.stall.as_value(), trace.sp_pc,
            trace.issue.word, trace.issue.thread, trace.issue_stb,
        )  # fmt: skip
        async for _, _, clock, stop, slot_end, running, stall, pc, word, thread, issues in edges:
            if stop:
                return
            if slot_end and running:
                row = record_of(SLOT, number, clock, stall, pc, word & _WORD, word >> 32, thread | issues << 1)
                tell(row[np.newaxis])

    return watch


def _bus(bench: TracedGpu, tell: Callable[[np.ndarray], object]) -> Callable:
    requests, responses = bench.v3d.bus.requests, bench.v3d.bus.responses
    asked, answered = requests.payload, responses.payload

    async def watch(ctx):
        edges = ctx.tick().sample(
            bench.cycles, bench.stop, requests.valid & requests.ready, asked,
            responses.valid & responses.ready & answered.last, answered.tag,
        )  # fmt: skip
        async for _, _, clock, stop, asks, request, ends, tag in edges:
            if stop:
                return
            if asks:
                words = 0, request.tag, request.write, request.address, request.beats + 1
                tell(record_of(BUS, 0, clock, *words)[np.newaxis])
            if ends:
                tell(record_of(BUS, 0, clock, 1, tag, 0, 0, 0)[np.newaxis])

    return watch


def _levels(bench: TracedGpu, tell: Callable[[np.ndarray], object]) -> Callable:
    async def watch(ctx):
        peaks = Peaks(tell)
        async for _, _, clock, stop, *levels in ctx.tick().sample(bench.cycles, bench.stop, *bench.levels):
            if stop:
                peaks.tell(clock - 1)
                return
            peaks.clock(clock, levels)

    return watch
