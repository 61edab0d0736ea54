"""Control lists in Amaranth's own simulator."""

from collections.abc import Callable, Sequence

import numpy as np

from ..backends.base import Waves
from ..backends.simulation import bench_options, simulate, watch
from ..bench.host import Host
from ..bench.lists import ListBench
from .job import FrontJob, FrontState

__all__ = ["run"]


def run(
    job: FrontJob, waves: Waves | None, tell: Callable[[np.ndarray], None], offsets: Sequence[int]
) -> tuple[FrontState, bytes, list[int]]:
    """Tells the records of a run; gives how it ended, all memory, and the words of registers. Raises `BadInput` for waves of a
    window of clocks.
    """
    bench = ListBench(
        writes=job.writes,
        reads=job.reads,
        pipeline_gap=job.pipeline_gap,
        **bench_options(job, waves),
    )
    ended = []

    async def testbench(ctx):
        instructions = await watch(ctx, bench, tell)
        cycles = ctx.get(bench.cycles) - ctx.get(bench.still)
        stalls = tuple(ctx.get(count) for count in bench.vertex_stalls)
        state = FrontState(ctx.get(bench.rests), cycles, instructions, stalls)
        memory = await bench.memory.contents(ctx)
        host = Host(ctx, bench.reader)
        ended.append((state, memory, [await host.read(offset) for offset in offsets]))

    simulate(bench, testbench, waves=waves)
    return ended[0]
