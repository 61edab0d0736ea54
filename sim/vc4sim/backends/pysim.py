"""Runs the RTL in Amaranth's own simulator: needs nothing else, and writes waves."""

import contextlib
import dataclasses
from pathlib import Path

from amaranth.sim import Simulator

from vc4.bus.port import BUS_BYTES
from vc4.qpu.stall import STALL_REASONS

from ..bench.gpu import GpuBench
from ..problem import BadInput
from ..retired import RECORD_WORDS, RetirementReader
from ..waves.traces import traces
from .base import Job, Launch, Outcome, Watcher, Waves
from .final import FinalState, conclude, memory_writes
from .split import split

__all__ = ["CLOCK_PERIOD", "run"]

#: Seconds; one clock is a hundred units of the waves' time scale of 100 ps.
CLOCK_PERIOD = 1e-8


def _bench(job: Job, *, waves: bool) -> GpuBench:
    padding = -len(job.image) % BUS_BYTES
    return GpuBench(
        dataclasses.replace(job.config, trace=True),
        max_cycles=job.max_cycles,
        waves=waves,
        size=len(job.image) + padding,
        base=job.base,
        init=job.image,
        latency=job.latency,
        gap=job.gap,
        seed=job.seed,
    )


def _offer(ctx, bench: GpuBench, launches: list[Launch]) -> None:
    """Offer the next program, if there is one."""
    ctx.set(bench.start.valid, bool(launches))
    if launches:
        ctx.set(bench.start.payload, dataclasses.asdict(launches[0]))
        launches.pop(0)


async def _watch(ctx, bench: GpuBench, job: Job, watch: Watcher | None) -> int:
    """Start the programs, tell all events, and wait for the end. Returns the number of instructions."""
    read = RetirementReader(0)
    launches = list(job.launches)
    _offer(ctx, bench, launches)
    started = retired = written = 0
    while True:
        # One registered signal: a trigger of several would break when they change in different delta cycles.
        await ctx.changed(bench.event)
        if ctx.get(bench.started) != started:
            started += 1
            _offer(ctx, bench, launches)
        if ctx.get(bench.retired_count) != retired:
            retired += 1
            if watch:
                watch(read(ctx.get(bench.retired.as_value()).to_bytes(4 * RECORD_WORDS, "little")))
        if watch and ctx.get(bench.written_count) != written:
            written += 1
            word = ctx.get(bench.written_data).to_bytes(BUS_BYTES, "little")
            for event in memory_writes(ctx.get(bench.written_address), ctx.get(bench.written_strobes), word):
                watch(event)
        if ctx.get(bench.stop):
            return retired


def _state(ctx, bench: GpuBench, instructions: int) -> FinalState:
    trace = bench.trace
    return FinalState(
        done=ctx.get(bench.done),
        stuck=ctx.get(bench.stuck),
        cycles=ctx.get(bench.cycles),
        instructions=instructions,
        interrupts=ctx.get(bench.interrupts),
        vpm_unbuilt=ctx.get(bench.vpm_unbuilt).value,
        vpm_error=ctx.get(bench.vpm_error),
        stall=ctx.get(trace.stall.as_value()),
        sp_pc=ctx.get(trace.sp_pc),
        stalls=tuple(ctx.get(bench.stalls[bit]) for bit in range(len(STALL_REASONS))),
    )


def _waves(simulator: Simulator, bench: GpuBench, path: Path | None) -> contextlib.AbstractContextManager:
    """What writes the waves while the simulation runs."""
    if path is None:
        return contextlib.nullcontext()
    return simulator.write_vcd(str(path), str(path.with_suffix(".gtkw")), traces=traces(bench))


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event.

    `waves` is a VCD file to write, of the whole run; beside it, with the suffix `.gtkw`, lies then a view of it for GTKWave
    and Surfer. Raises `BadInput` for a window of clocks.
    """
    if waves and not waves.whole:
        raise BadInput("pysim writes waves of the whole run only: for a window of clocks use --on cxxrtl")
    bench = _bench(job, waves=waves is not None)
    outcomes = []

    async def testbench(ctx):
        retired = await _watch(ctx, bench, job, watch)
        outcomes.append(conclude(job, _state(ctx, bench, retired), await bench.memory.contents(ctx)))

    # The waves show the modules as they are written.
    simulator = Simulator(bench if waves else split(bench))
    simulator.add_clock(CLOCK_PERIOD)
    simulator.add_testbench(testbench)
    with _waves(simulator, bench, waves.path if waves else None):
        simulator.run()
    return outcomes[0]
