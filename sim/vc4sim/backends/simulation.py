"""Runs a bench that is hardware in Amaranth's own simulator."""

import contextlib
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path

import numpy as np
from amaranth.hdl import Fragment
from amaranth.sim import Simulator

from ..bench.traced import TracedGpu
from ..cxxrtl.build import NoCompiler
from ..problem import BadInput
from ..retired import EFFECTS, RETIRED, record
from ..uncollected import uncollected
from ..waves.view import write_view
from .base import BenchJob, Waves
from .split import split

__all__ = ["CLOCK_PERIOD", "bench_options", "say_instead", "simulate", "watch"]

#: Seconds; one clock is a hundred units of the waves' time scale of 100 ps.
CLOCK_PERIOD = 1e-8
_Testbench = Callable[..., Coroutine]


def bench_options(job: BenchJob, waves: Waves | None) -> dict:
    """Options of `TracedGpu` and its benches that follow from a job and its waves. Raises `BadInput` for a window of clocks."""
    if waves and not waves.whole:
        raise BadInput("pysim writes waves of the whole run only: for a window of clocks use --on cxxrtl")
    options = {name: getattr(job, name) for name in ("size", "base", "latency", "gap", "seed", "max_cycles")}
    return {"config": job.built, "init": job.image, "waves": bool(waves), **options}


def say_instead(reason: NoCompiler) -> None:
    """Why this simulator runs, and not the one that was asked for."""
    print(f"{reason}; this runs in Amaranth's simulator instead, which is slow", file=sys.stderr)


def simulate(
    bench: TracedGpu, testbench: _Testbench, background: Iterable[_Testbench] = (), waves: Waves | None = None
) -> None:
    """Run `testbench` to its end, called with the context of the simulator, and others beside it.

    `waves` are of the whole run; beside the VCD file, with the suffix `.gtkw`, lies then a view of it for GTKWave and Surfer.
    """
    with uncollected():
        design = Fragment.get(bench, platform=None)
        bench.find_levels(design)
        # The waves show the modules as they are written.
        simulator = Simulator(design if waves else split(design))
    simulator.add_clock(CLOCK_PERIOD)
    simulator.add_testbench(testbench)
    for process in background:
        simulator.add_testbench(process, background=True)
    with _waves(simulator, waves.path if waves else None):
        simulator.run()


async def watch(ctx, bench: TracedGpu, tell: Callable[[np.ndarray], None], kinds: frozenset[int] = EFFECTS) -> int:
    """Tell all records of `kinds`, but for those of `TIMES`, and wait for the end. Returns the number of instructions."""
    told, retired = [one for one in bench.told if one[0] in kinds | {RETIRED}], 0
    counts = [0] * len(told)
    while True:
        # One registered signal: a trigger of several would break when they change in different delta cycles.
        await ctx.changed(bench.event)
        records = []
        for index, (kind, number, count, content) in enumerate(told):
            if ctx.get(count) != counts[index]:
                counts[index] += 1
                retired += kind == RETIRED
                if kind in kinds:
                    records.append(record(kind, b"".join(_bytes(ctx.get(one)) for one in content), number))
        if records:
            tell(np.stack(records))
        if ctx.get(bench.stop):
            return retired


def _bytes(value, size: int = 4) -> bytes:
    """A signal's value, of so many bytes at least, the lowest first."""
    number = value if isinstance(value, int) else value.as_bits()
    return number.to_bytes(max(size, -(-number.bit_length() // 8)), "little")


@contextlib.contextmanager
def _waves(simulator: Simulator, path: Path | None) -> Iterator[None]:
    """What writes the waves while the simulation runs, and the view of them after it."""
    if path is None:
        yield
        return
    try:
        with simulator.write_vcd(str(path)):
            yield
    finally:
        write_view(path)
