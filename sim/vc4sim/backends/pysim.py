"""Runs the RTL in Amaranth's own simulator: needs nothing else, and writes waves."""

import contextlib
import dataclasses
from pathlib import Path

from amaranth.sim import Simulator

from vc4.bus.port import BUS_BYTES
from vc4.qpu.stall import STALL_REASONS, UNBUILT
from vc4.vpm.port import VpmUnbuilt

from ..bench.gpu import GpuBench
from ..events import MemoryWrite
from ..retired import RetirementReader
from ..waves.traces import traces
from .base import Ending, Job, Launch, Outcome, Watcher
from .split import split

__all__ = ["CLOCK_PERIOD", "run"]

#: Seconds; one clock is a hundred units of the waves' time scale of 100 ps.
CLOCK_PERIOD = 1e-8


def _bench(job: Job, waves: bool) -> GpuBench:
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


def _written(ctx, bench: GpuBench) -> list[MemoryWrite]:
    """The runs of bytes that the last word wrote."""
    data = ctx.get(bench.written_data).to_bytes(BUS_BYTES, "little")
    strobes = ctx.get(bench.written_strobes)
    address = ctx.get(bench.written_address)
    runs, start = [], None
    for byte in range(BUS_BYTES + 1):
        if byte < BUS_BYTES and strobes >> byte & 1:
            start = byte if start is None else start
        elif start is not None:
            runs.append(MemoryWrite(address + start, data[start:byte]))
            start = None
    return runs


def _why_stuck(ctx, bench: GpuBench) -> str:
    unbuilt = ctx.get(bench.vpm_unbuilt)
    if unbuilt is not VpmUnbuilt.NONE:
        return f"the VPM waits for ever: {unbuilt.name.lower().replace('_', ' ')} is not built yet"
    if ctx.get(bench.vpm_error):
        return "a DMA store went outside of memory"
    stall = ctx.get(bench.trace.stall.as_value())
    reasons = [name for bit, name in enumerate(STALL_REASONS) if stall >> bit & 1]
    place = f"QPU 0 at {ctx.get(bench.trace.sp_pc):#010x}"
    if "fetch_fault" in reasons:
        return f"{place}: the instruction lies outside of memory"
    if "uniform_fault" in reasons:
        return f"{place}: its next uniform lies outside of memory"
    return f"{place} waits for {' and '.join(name for name in reasons if name in UNBUILT)}, which is not built yet"


def _offer(ctx, bench: GpuBench, launches: list[Launch]) -> None:
    """Offer the next program, if there is one."""
    ctx.set(bench.start.valid, bool(launches))
    if launches:
        ctx.set(bench.start.payload, {"pc": launches[0].pc, "uniforms": launches[0].uniforms})
        launches.pop(0)


async def _watch(ctx, bench: GpuBench, job: Job, outcome: Outcome, watch: Watcher) -> None:
    """Start the programs, tell all events, and wait for the end."""
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
            retired = outcome.instructions = retired + 1
            watch(read(ctx.get(bench.retired.as_value())))
        if ctx.get(bench.written_count) != written:
            written += 1
            for event in _written(ctx, bench):
                watch(event)
        if ctx.get(bench.stop):
            return


async def _conclude(ctx, bench: GpuBench, job: Job, outcome: Outcome) -> None:
    outcome.memory = (await bench.memory.contents(ctx))[: len(job.image)]
    outcome.cycles = ctx.get(bench.cycles)
    outcome.interrupts = ctx.get(bench.interrupts)
    outcome.stalls = {reason: ctx.get(bench.trace.stalls[bit]) for bit, reason in enumerate(STALL_REASONS)}
    if ctx.get(bench.done):
        outcome.ending = Ending.DONE
    elif ctx.get(bench.stuck):
        outcome.ending, outcome.why = Ending.STUCK, _why_stuck(ctx, bench)
    else:
        place = f"QPU 0 is at {ctx.get(bench.trace.sp_pc):#010x}"
        outcome.why = f"the program has not ended after {job.max_cycles} cycles; {place}"


def _waves(simulator: Simulator, bench: GpuBench, path: Path | None) -> contextlib.AbstractContextManager:
    """What writes the waves while the simulation runs."""
    if path is None:
        return contextlib.nullcontext()
    return simulator.write_vcd(str(path), str(path.with_suffix(".gtkw")), traces=traces(bench))


def run(job: Job, watch: Watcher = lambda event: None, waves: Path | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event.

    `waves` names a VCD file to write; beside it, with the suffix `.gtkw`, lies then a view of it for GTKWave and Surfer.
    """
    bench = _bench(job, waves is not None)
    outcome = Outcome(Ending.TOO_LONG, b"")

    async def testbench(ctx):
        await _watch(ctx, bench, job, outcome, watch)
        await _conclude(ctx, bench, job, outcome)

    # The waves show the modules as they are written.
    simulator = Simulator(bench if waves else split(bench))
    simulator.add_clock(CLOCK_PERIOD)
    simulator.add_testbench(testbench)
    with _waves(simulator, bench, waves):
        simulator.run()
    return outcome
