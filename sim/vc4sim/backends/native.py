"""Runs the RTL as native code that computes all QPUs, and all texture units, side by side: the fastest simulator."""

import ctypes
import functools
from pathlib import Path

from vc4.config import V3DConfig

from ..cache import cache_folder
from ..cxxrtl.build import NoCompiler, build_once, make_once
from ..native.activity import recorded_in
from ..native.build import compile_joined, flags, link_joined, source_texts
from ..problem import BadInput
from . import pysim
from .base import Follower, Job, Outcome, Watcher, Waves
from .library import run_library
from .parts import Gpu, bench_text, hardware_texts, program_bench
from .simulation import say_instead

__all__ = ["library", "refuse_waves", "run"]


@functools.cache
def library(config: V3DConfig, folder: Path, bench: str) -> ctypes.CDLL:
    """The GPU and a bench, see `bench_text`. Raises `NoCompiler`."""
    driver = bench_text("bench_lanes.h", "bench_no_waves.h", bench)
    made_of = [repr(config), flags(), recorded_in(), *source_texts(), *hardware_texts()]

    def compile_gpu() -> Path:
        # A GPU of one QPU has no lanes, and the rest of it is small enough to be cut by what is known of its changes.
        gpu = Gpu(config, only_qpus=config.qpus == 1 and not config.pixels)
        parts = {its.name: (its.design, its.count) for its in gpu.kinds}
        return compile_joined(gpu.v3d, parts, gpu.constants, folder)

    def make() -> ctypes.CDLL:
        # All benches share the GPU, which takes much longer to compile.
        return link_joined(make_once(made_of, compile_gpu, folder), driver, folder)

    return build_once([driver, *made_of], make, folder)


def refuse_waves(waves: Waves | None) -> None:
    """Raises `BadInput` if somebody wants some."""
    if waves:
        raise BadInput("native writes no waves: use --on pysim or --on cxxrtl")


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None, follow: Follower | None = None) -> Outcome:
    """Run `job`, see `base.Run`; the fewer listen, the faster.

    Without a C++ compiler everything runs in Amaranth's simulator, and that is said. Raises `BadInput` for waves.
    """
    refuse_waves(waves)
    try:
        built = library(job.built, cache_folder(), program_bench())
    except NoCompiler as reason:
        say_instead(reason)
        return pysim.run(job, watch, follow=follow)
    return run_library(built, job, watch, follow=follow)
