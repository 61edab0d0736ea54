"""Runs the exported Verilog as Verilator compiles it, on the bench of the other simulators: to measure ours beside another one."""

import ctypes
import functools
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from amaranth.hdl import Value
from amaranth.lib import wiring

from vc4.config import V3DConfig
from vc4.v3d import V3D

from ..cache import cache_folder
from ..children import run_child, side_by_side
from ..cxxrtl.build import build_once, compile_quietly, find_compiler, for_this_processor
from ..problem import BadInput
from ..queues import access_text
from ..verilog import export_component
from .base import Follower, Job, Outcome, Watcher, Waves
from .library import run_library
from .parts import bench_text, hardware_texts, program_bench

__all__ = ["run", "verilated_library"]

_VERILATOR = "verilator"
_NAME = "VerilatedV3d"
_WORD = 32
#: What makes it fastest: checks left out, all registers begin with 0 as ours do.
_OPTIONS = ("--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert")
_FLAGS = ("-O3", "-std=c++17", "-fPIC")
#: Of Verilator itself.
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
#: Where the access to the ports stands in the text of the bench.
_PORTS = "// PORTS\n"
#: Trace ports of a QPU.
_TRACE = re.compile(r"trace_(\d+)_(.*)")


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None, follow: Follower | None = None) -> Outcome:
    """Run `job`, see `base.Run`. Raises `BadInput` for waves, and where Verilator is not installed."""
    if waves:
        raise BadInput(f"{_VERILATOR} writes no waves: use --on pysim or --on cxxrtl")
    if not shutil.which(_VERILATOR):
        raise BadInput(f"{_VERILATOR} is not there: install it, as with apt-get install {_VERILATOR}")
    return run_library(_library(job.built), job, watch, follow=follow)


@functools.cache
def _library(config: V3DConfig) -> ctypes.CDLL:
    _, version = run_child([_VERILATOR, "--version"], Path.cwd())
    sources = [repr(config), version, _bench(), Path(__file__).read_text(), *hardware_texts()]
    return build_once(sources, lambda: _build(config, cache_folder()), cache_folder())


def _build(config: V3DConfig, folder: Path) -> ctypes.CDLL:
    v3d = V3D(config)
    sizes = f"namespace joints::qpu {{ constexpr size_t COUNT = {config.qpus}; }}\n"
    # The Verilog tells no levels.
    sizes += f"constexpr size_t TAG_BITS = {v3d.bus.signature.tag_bits};\n" + access_text(())
    driver = f'#include "{_NAME}.h"\n{sizes}{_bench().replace(_PORTS, _ports(v3d))}'
    return verilated_library({"v3d.v": export_component(v3d, "v3d")}, "v3d", _NAME, driver, folder)


def verilated_library(
    verilog: Mapping[str, str], top: str, name: str, driver: str, folder: Path, options: Sequence[str] = ()
) -> ctypes.CDLL:
    """A library in `folder` of the module `top`, as the class `name` of Verilator, and of a `driver` in C++, which includes it.

    verilog : texts by the names of their files
    options : further ones of Verilator
    """
    command = [_VERILATOR, *_OPTIONS, *options, "--prefix", name, "--top-module", top, "--Mdir", ".", *verilog]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        for file, text in verilog.items():
            (work / file).write_text(text)
        compile_quietly(command, work)
        (work / "driver.cpp").write_text(driver)
        _, root = run_child([_VERILATOR, "--getenv", "VERILATOR_ROOT"], work)
        include = Path(root.strip()) / "include"
        compiler = [*find_compiler(), *_FLAGS, *for_this_processor(), f"-I{include}", f"-I{include / 'vltstd'}"]

        def compiled(source: Path) -> str:
            compile_quietly([*compiler, "-c", str(source), "-o", f"{source.stem}.o"], work)
            return f"{source.stem}.o"

        with side_by_side() as pool:
            objects = list(pool.map(compiled, (*work.glob("*.cpp"), *(include / name for name in _RUNTIME))))
        library = folder / f"{work.name}.so"
        compile_quietly([*compiler, "-shared", *objects, "-pthread", "-latomic", "-o", str(library)], work)
    return ctypes.CDLL(str(library))


def _bench() -> str:
    return bench_text("bench_verilated.h", "bench_no_waves.h", program_bench())


def _ports(v3d: wiring.Component) -> str:
    """The access to the ports that the bench has for all simulators: of the GPU, and those of its QPUs."""
    whole, qpus = [], {}
    for path, member, value in v3d.signature.flatten(v3d):
        name, words = "_".join(map(str, path)), -(-len(Value.cast(value)) // _WORD)
        if found := _TRACE.fullmatch(name):
            qpus.setdefault(found[2], []).append((name, words))
        else:
            whole += _functions("__".join(map(str, path)), name, words, written=member.flow == wiring.In)
    traced = [_by_number(name, ports) for name, ports in qpus.items()]
    return (
        f"namespace v3d_ports {{\nusing namespace bench;\n{''.join(whole)}}}\n"
        f"namespace qpu_ports {{\nusing namespace bench;\n{''.join(traced)}}}\n"
    )


def _functions(function: str, port: str, words: int, *, written: bool) -> Iterator[str]:
    array = f"std::array<uint32_t, {words}>"
    if written:
        yield f"inline void {function}(V3d &v3d, const {array} &words) {{ bench::set<{words}>(v3d.{port}, words); }}\n"
    else:
        yield f"inline {array} {function}(const V3d &v3d) {{ return bench::get<{words}>(v3d.{port}); }}\n"


def _by_number(name: str, ports: list[tuple[str, int]]) -> str:
    words = ports[0][1]
    arms = " ".join(f"case {number}: return get<{words}>(qpu.v3d.{port});" for number, (port, _) in enumerate(ports))
    return (
        f"inline std::array<uint32_t, {words}> trace__{name}(const Qpu &qpu) {{\n"
        f"    switch (qpu.number) {{ {arms} }}\n    return {{}};\n}}\n"
    )
