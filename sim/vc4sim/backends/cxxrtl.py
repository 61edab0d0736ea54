"""Runs the RTL as native code made by CXXRTL."""

import ctypes
import functools
from pathlib import Path

from vc4.config import V3DConfig

from ..cache import cache_folder
from ..cxxrtl.build import Kind, NoCompiler, build_once, build_parts
from ..cxxrtl.joints import joints
from ..problem import BadInput
from ..waves.view import write_view
from . import pysim
from .base import Follower, Job, Outcome, Watcher, Waves
from .library import run_library
from .parts import TRACE, Gpu, bench_text, hardware_texts, program_bench
from .simulation import say_instead

__all__ = ["library", "run"]


@functools.cache
def library(config: V3DConfig, folder: Path, kind: Kind, bench: str) -> ctypes.CDLL:
    """The GPU and a bench, see `bench_text`. Raises `NoCompiler`."""
    driver = bench_text("bench_gpu.h", "bench_waves.h" if kind is Kind.WAVES else "bench_no_waves.h", bench)

    def make() -> ctypes.CDLL:
        gpu = Gpu(config)
        joined = [joints(its.one, its.count, whole="v3d", part=its.name, without=TRACE) for its in gpu.kinds]
        names = ", ".join(f"Instances<joints::{its.name}>" for its in gpu.kinds)
        kinds = f"namespace bench {{\ntemplate<class Joint> struct Instances;\nusing Kinds = std::tuple<{names}>;\n}}\n"
        parts = {"v3d": gpu.v3d} | {its.name: its.design for its in gpu.kinds}
        return build_parts(parts, "".join(joined) + kinds + gpu.constants + driver, folder, kind=kind)

    return build_once([repr(config), driver, kind.name, *hardware_texts()], make, folder)


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None, follow: Follower | None = None) -> Outcome:
    """Run `job`, see `base.Run`; the fewer listen, the faster.

    `waves` is a VCD file to write, with a view of it for GTKWave beside. It has all registers and ports of `V3D`, for which the GPU is compiled once more. Without a C++
    compiler everything runs in Amaranth's simulator, and that is said.
    """
    kind = Kind.WAVES if waves else Kind.FAST
    try:
        built = library(job.built, cache_folder(), kind, program_bench())
    except NoCompiler as reason:
        if waves and not waves.whole:
            raise BadInput(f"{reason}; without one, waves are of the whole run only") from None
        say_instead(reason)
        return pysim.run(job, watch, waves, follow)
    try:
        return run_library(built, job, watch, waves, follow)
    finally:
        if waves:
            write_view(waves.path)
