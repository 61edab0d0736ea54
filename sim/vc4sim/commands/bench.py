"""`vc4 bench`: how fast things are, measured side by side on this machine."""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tqdm import tqdm

from ..backends.base import Ending, Follower, Job, Outcome
from ..backends.engines import ENGINES, Engine, simulator
from ..cxxrtl.build import NoCompiler, find_compiler
from ..lockstep import Lockstep
from ..model.compiled import forced
from ..problem import BadInput, ExitStatus
from ..workload import example_names, load_example
from .bench_activity import record_activity
from .bench_frames import measure_frames, rate_lines
from .bench_model import measure
from .options import Commands, add_config, config_of, seconds

__all__ = ["register"]

_DESCRIPTION = "Measure how fast things are, on this machine."
_SIMULATORS = """\
Run the same program, again and again, on every simulator and print the clocks that each simulates in a second. What
comes before the first clock, like building the design, does not count. Where Verilator is installed, it simulates the exported
Verilog beside ours.
"""
_MODEL = """\
Run programs, again and again, on the model, and draw frames; print instructions a second, and seconds a frame, interpreted
and compiled. What is needed to compile does not count.
"""
_FRAMES = """\
Draw captured frames on the RTL, again and again, and print their clocks and how many of them are simulated in a second.
"""
_ACTIVITY = """\
Record what changes, clock by clock, in the parts of the presets while they run a program and draw frames: native code is cut where
changes end, so that it is fast. It is worth doing after the hardware has become another one; results never depend on it.
"""


@dataclass(frozen=True)
class _Contestant:
    """A way to run a job, on one of `_ENGINES`; `follower` makes what follows it."""

    name: str
    engine: str
    follower: Callable[[Job], Follower | None]


_VERILATOR = "verilator"
#: Those of the other commands, and one that is not ours, to compare with.
_ENGINES = ENGINES | {
    _VERILATOR: Engine(simulator("verilated"), "the exported Verilog, by Verilator", is_compiled=True)
}
_CONTESTANTS = (
    _Contestant("pysim", "pysim", lambda job: None),
    _Contestant("cxxrtl", "cxxrtl", lambda job: None),
    _Contestant(_VERILATOR, _VERILATOR, lambda job: None),
    _Contestant("native", "native", lambda job: None),
    _Contestant("native with lockstep", "native", Lockstep),
)
_REFERENCE = "pysim"
#: Those on which a frame takes no more than minutes.
_DRAWING = ("native", "cxxrtl")
#: Clocks of the first measurement of each.
_FIRST = 200
#: How often the program is run, one after the other: more than anybody waits for.
_TIMES = 10_000


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser("bench", help="measure the simulators, or the model", description=_DESCRIPTION)
    what = parser.add_subparsers(required=True, metavar="WHAT")
    simulators = what.add_parser("sim", help="clocks a second of every simulator", description=_SIMULATORS)
    add_config(simulators)
    simulators.add_argument(
        "--program", choices=example_names(), default="mandelbrot", help="example to run (default: mandelbrot)"
    )
    simulators.add_argument(
        "--on",
        action="append",
        choices=list(dict.fromkeys(one.engine for one in _CONTESTANTS)),
        metavar="SIMULATOR",
        help="measure only this simulator, pysim, cxxrtl, verilator or native; may be given several times (default: all that are there)",
    )
    simulators.set_defaults(execute=_measure_simulators)
    model = what.add_parser("model", help="the model, interpreted and compiled", description=_MODEL)
    model.add_argument(
        "workloads",
        nargs="*",
        metavar="WORKLOAD",
        help="example, directory with a case, or with a captured frame (default: all examples)",
    )
    model.set_defaults(execute=_measure_model)
    frames = what.add_parser("frames", help="clocks a second of captured frames", description=_FRAMES)
    frames.add_argument("frames", nargs="+", type=Path, metavar="CASE", help="directory with a captured frame")
    frames.add_argument("--on", choices=_DRAWING, default="native", help="simulator of the RTL (default: native)")
    add_config(frames, "gpu")
    frames.set_defaults(execute=_measure_frames)
    activity = what.add_parser("activity", help="what changes while presets work", description=_ACTIVITY)
    activity.add_argument("--into", type=Path, metavar="FOLDER", help="where the files go (default: into the package)")
    activity.set_defaults(execute=_record_activity)
    for one in (simulators, model, frames):
        one.add_argument(
            "--seconds", type=seconds, default=5.0, metavar="S", help="measure each for about S seconds (default: 5)"
        )
        one.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON, too")


def _job(options: argparse.Namespace) -> Job:
    workload = load_example(options.program)
    launches = workload.launches * _TIMES
    return Job(image=workload.image, base=workload.base, launches=launches, config=config_of(options))


def _measure_model(options: argparse.Namespace) -> int:
    figures = measure(options.workloads, options.seconds)
    print("\n".join(figures.lines()))
    if options.json:
        options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n")
    return ExitStatus.PASS


def _measure_frames(options: argparse.Namespace) -> int:
    rates = measure_frames(options.frames, config_of(options), options.on, options.seconds)
    print(f"clocks of frames on {options.config}, {options.on}")
    print("\n".join(rate_lines(rates)))
    if options.json:
        options.json.write_text(json.dumps([asdict(rate) for rate in rates], indent=2) + "\n")
    return ExitStatus.PASS


def _record_activity(options: argparse.Namespace) -> int:
    for path in record_activity(options.into):
        print(path)
    return ExitStatus.PASS


def _measure_simulators(options: argparse.Namespace) -> int:
    wanted = options.on or [name for name in _ENGINES if name != _VERILATOR or shutil.which(_VERILATOR)]
    contestants = [one for one in _CONTESTANTS if one.engine in wanted]
    _check_compiler(contestants)
    job = _job(options)
    quiet = not sys.stderr.isatty()
    with forced("compiled"):
        rates = {
            one.name: _clocks_per_second(one, job, options.seconds)
            for one in tqdm(contestants, unit=" simulators", disable=quiet, leave=False)
        }
    print(f"clocks a second of {options.program} on {options.config}")
    for name, rate in rates.items():
        times = f"{rate / rates[_REFERENCE]:>9,.1f} x {_REFERENCE}" if _REFERENCE in rates else ""
        print(f"  {name:<22}{rate:>12,.0f}{times}")
    if options.json:
        figures = {"program": options.program, "config": options.config, "clocks_per_second": rates}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return ExitStatus.PASS


def _check_compiler(contestants: Sequence[_Contestant]) -> None:
    """Raises `BadInput` if one needs a compiler, and there is none: in its place another would be measured."""
    if not any(_ENGINES[one.engine].is_compiled for one in contestants):
        return
    try:
        find_compiler()
    except NoCompiler as reason:
        able = " ".join(f"--on {one.engine}" for one in _CONTESTANTS if not _ENGINES[one.engine].is_compiled)
        raise BadInput(f"{reason}; without one, measure {able}") from None


def _clocks_per_second(contestant: _Contestant, job: Job, budget: float) -> float:
    """From the difference of a short run and of one that takes about `budget` seconds more."""
    few = _timed(contestant, job, _FIRST)  # it also compiles what is not there yet
    few = _timed(contestant, job, _FIRST)
    clocks = _FIRST
    while True:
        clocks *= 4
        more = _timed(contestant, job, clocks)
        outcome, spent = more[0], more[1] - few[1]
        if outcome.ending is Ending.STUCK:
            raise BadInput(outcome.why)
        if 2 * spent >= budget:
            return (outcome.cycles - few[0].cycles) / spent


def _timed(contestant: _Contestant, job: Job, clocks: int) -> tuple[Outcome, float]:
    """A run of `clocks`, and the seconds that it took."""
    job = replace(job, max_cycles=clocks)
    follow = contestant.follower(job)
    start = time.perf_counter()
    outcome = _ENGINES[contestant.engine].run(job, None, None, follow)
    return outcome, time.perf_counter() - start
