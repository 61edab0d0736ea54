"""Runs the RTL in Amaranth's own simulator: needs nothing else, and writes waves."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from amaranth.hdl import Signal
from amaranth.sim import Simulator

from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import R4_SOURCES

from ..bench.driver import QUEUE, READ_OFFSETS, START_OFFSET, setup_writes, start_writes, thread_words
from ..bench.gpu import GpuBench
from ..bench.host import Host
from ..problem import BadInput
from ..retired import R4_ARRIVED, RETIRED, STARTED, WRITTEN, Listeners, record
from ..waves.view import write_view
from .base import Follower, Job, Outcome, Watcher, Waves
from .final import FinalState, QpuState, conclude
from .split import split

__all__ = ["CLOCK_PERIOD", "run"]

#: Seconds; one clock is a hundred units of the waves' time scale of 100 ps.
CLOCK_PERIOD = 1e-8


def _bench(job: Job, *, waves: bool) -> GpuBench:
    return GpuBench(
        dataclasses.replace(job.config, trace=True),
        max_cycles=job.max_cycles,
        waves=waves,
        size=job.size,
        base=job.base,
        init=job.image,
        latency=job.latency,
        gap=job.gap,
        seed=job.seed,
    )


async def _host(ctx, bench: GpuBench, job: Job) -> None:
    """Ask for the programs of the user, as a driver does."""
    host, asked = Host(ctx, bench.s_axil), 0
    for offset, word in setup_writes(job.reserved):
        await host.write(offset, word)
    ctx.set(bench.launches, len(job.launches))
    for offset, word in start_writes(job.launches):
        if offset == START_OFFSET:
            while asked - _user_programs(ctx, bench) >= QUEUE:
                await ctx.changed(bench.event)
            asked += 1
        await host.write(offset, word)


def _user_programs(ctx, bench: GpuBench) -> int:
    """Programs of the user that have begun."""
    return sum(ctx.get(count) for count in bench.started_count) - ctx.get(bench.fragments_count)


async def _threads(ctx, bench: GpuBench, job: Job) -> None:
    """Offer the programs that share a QPU, as blocks of the GPU do when the host has set it up."""
    await ctx.changed(bench.launches)
    for taken, words in enumerate(thread_words(job.launches)):
        ctx.set(bench.fragments.payload, ProgramStart.from_bits(words))
        ctx.set(bench.fragments.valid, 1)
        while ctx.get(bench.fragments_count) == taken:
            await ctx.changed(bench.event)
    ctx.set(bench.fragments.valid, 0)


async def _registers(ctx, bench: GpuBench) -> list[int]:
    """What the host reads at the end."""
    host = Host(ctx, bench.s_axil)
    return [await host.read(offset) for offset in READ_OFFSETS]


def _bytes(value, size: int = 4) -> bytes:
    """A signal's value, of so many bytes at least, the lowest first."""
    number = value if isinstance(value, int) else value.as_bits()
    return number.to_bytes(max(size, -(-number.bit_length() // 8)), "little")


def _sources(bench: GpuBench) -> list[tuple[int, int, Signal, tuple]]:
    """Of each thing that is told: its kind, the QPU, the count of how often it has happened, and its content."""
    found = []
    for number in range(len(bench.trace)):
        found.append((STARTED, number, bench.started_count[number], (bench.started[number],)))
        found.append((RETIRED, number, bench.retired_count[number], (bench.retired[number],)))
        for source in range(len(R4_SOURCES)):
            arrived = bench.arrived[number][source]
            found.append((R4_ARRIVED + source, number, bench.arrived_count[number][source], (arrived,)))
    word = bench.written_address, bench.written_strobes, bench.written_data
    return [*found, (WRITTEN, 0, bench.written_count, word)]


async def _watch(ctx, bench: GpuBench, tell: Callable[[np.ndarray], None]) -> int:
    """Tell all records, and wait for the end. Returns the number of instructions."""
    sources, retired = _sources(bench), 0
    counts = [0] * len(sources)
    while True:
        # One registered signal: a trigger of several would break when they change in different delta cycles.
        await ctx.changed(bench.event)
        records = []
        for index, (kind, qpu, count, content) in enumerate(sources):
            if ctx.get(count) != counts[index]:
                counts[index] += 1
                retired += kind == RETIRED
                records.append(record(kind, b"".join(_bytes(ctx.get(one)) for one in content), qpu))
        if records:
            tell(np.stack(records))
        if ctx.get(bench.stop):
            return retired


def _state(ctx, bench: GpuBench, instructions: int) -> FinalState:
    return FinalState(
        done=ctx.get(bench.done),
        stuck=ctx.get(bench.stuck),
        cycles=ctx.get(bench.cycles),
        instructions=instructions,
        interrupts=ctx.get(bench.interrupts),
        vpm_error=ctx.get(bench.vpm_error),
        qpus=tuple(
            QpuState(
                running=ctx.get(trace.running),
                stall=ctx.get(trace.stall.as_value()),
                sp_pc=ctx.get(trace.sp_pc),
                stalls=tuple(ctx.get(stalls[bit]) for bit in range(len(STALL_REASONS))),
            )
            for trace, stalls in zip(bench.trace, bench.stalls, strict=True)
        ),
    )


@contextlib.contextmanager
def _waves(simulator: Simulator, path: Path | None) -> Iterator[None]:
    """What writes the waves while the simulation runs, and the view of them behind it."""
    if path is None:
        yield
        return
    try:
        with simulator.write_vcd(str(path)):
            yield
    finally:
        write_view(path)


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None, follow: Follower | None = None) -> Outcome:
    """Run `job`, see `base.Run`.

    `waves` is a VCD file to write, of the whole run; beside it, with the suffix `.gtkw`, lies then a view of it for GTKWave
    and Surfer. Raises `BadInput` for a window of clocks.
    """
    if waves and not waves.whole:
        raise BadInput("pysim writes waves of the whole run only: for a window of clocks use --on cxxrtl")
    bench = _bench(job, waves=waves is not None)
    outcomes = []

    async def testbench(ctx):
        retired = await _watch(ctx, bench, Listeners(len(bench.trace), watch, follow))
        state, memory = _state(ctx, bench, retired), await bench.memory.contents(ctx)
        outcomes.append(conclude(job, state, await _registers(ctx, bench), memory))

    # The waves show the modules as they are written.
    simulator = Simulator(bench if waves else split(bench))
    simulator.add_clock(CLOCK_PERIOD)
    simulator.add_testbench(testbench)
    for process in (_host, _threads):
        simulator.add_testbench(partial(process, bench=bench, job=job), background=True)
    with _waves(simulator, waves.path if waves else None):
        simulator.run()
    return outcomes[0]
