"""Runs the RTL in Amaranth's own simulator: needs nothing else, and writes waves."""

from functools import partial

from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import ProgramStart

from ..bench.driver import QUEUE, START_OFFSET, start_writes, thread_words
from ..bench.gpu import GpuBench
from ..bench.host import Host
from ..retired import Listeners
from . import simulation
from .base import Follower, Job, Outcome, Watcher, Waves
from .final import FinalState, QpuState, conclude
from .timed import telling

__all__ = ["run"]


async def _host(ctx, bench: GpuBench, job: Job) -> None:
    """Ask for the programs of the user, as a driver does."""
    host, asked = Host(ctx, bench.s_axil), 0
    for offset, word in job.setup:
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


async def _registers(ctx, bench: GpuBench, job: Job) -> list[int]:
    """What the host reads at the end."""
    host = Host(ctx, bench.s_axil)
    return [await host.read(offset) for offset in job.read_offsets]


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


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None, follow: Follower | None = None) -> Outcome:
    """Run `job`, see `base.Run` and `simulate`. Raises `BadInput` for waves of a window of clocks."""
    bench = GpuBench(**simulation.bench_options(job, waves))
    outcomes, listeners = [], Listeners(len(bench.trace), watch, follow)

    async def testbench(ctx):
        retired = await simulation.watch(ctx, bench, listeners, job.kinds)
        state, memory = _state(ctx, bench, retired), await bench.memory.contents(ctx)
        outcomes.append(conclude(job, state, await _registers(ctx, bench, job), memory))

    processes = [partial(process, bench=bench, job=job) for process in (_host, _threads)]
    simulation.simulate(bench, testbench, [*processes, *telling(bench, job.kinds, listeners)], waves)
    return outcomes[0]
