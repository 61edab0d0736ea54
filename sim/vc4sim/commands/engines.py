"""What programs can run on."""

import argparse
import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module

from ..backends import model
from ..backends.base import Follower, Job, Outcome, Run, Watcher, Waves
from ..problem import BadInput
from ..timeline.timeline import Kind, timeline_of
from ..timeline.trace_file import TraceFile

__all__ = [
    "ENGINES",
    "RTL_ENGINES",
    "WAVES_ENGINE",
    "Engine",
    "check_engine",
    "simulator",
    "wanted_timeline",
    "wanted_waves",
]


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to run a `Job`.

    is_rtl : it simulates the RTL, with clocks
    is_compiled : it needs a C++ compiler
    has_waves, has_window : it writes waves; of a window of clocks, too
    doc : one line about it
    """

    run: Run
    doc: str
    is_rtl: bool = True
    is_compiled: bool = False
    has_waves: bool = False
    has_window: bool = False


def _model(job: Job, watch: Watcher | None, waves: Waves | None, follow: Follower | None) -> Outcome:
    return model.run(job, watch)


def simulator(name: str) -> Run:
    """One of the RTL, which is imported when it runs something: who wants the model need not wait for that."""

    def run(job: Job, watch: Watcher | None, waves: Waves | None, follow: Follower | None) -> Outcome:
        return import_module(f"..backends.{name}", __package__).run(job, watch, waves, follow)

    return run


ENGINES = {
    "model": Engine(_model, "the reference model", is_rtl=False),
    "pysim": Engine(simulator("pysim"), "the RTL in Amaranth's own simulator", has_waves=True),
    "cxxrtl": Engine(
        simulator("cxxrtl"), "the RTL as native code made by CXXRTL", is_compiled=True, has_waves=True, has_window=True
    ),
    "native": Engine(
        simulator("native"), "the RTL as native code, all QPUs side by side: the fastest", is_compiled=True
    ),
}

RTL_ENGINES = tuple(name for name, engine in ENGINES.items() if engine.is_rtl)

#: The one that writes waves without being compiled for it. Runs are the same on all RTL engines, clock by clock, so it can show what another one found.
WAVES_ENGINE = "pysim"


def check_engine(options: argparse.Namespace) -> None:
    """Raises `BadInput` for what the engine of a command does not have, and names those that do."""
    engine = ENGINES[options.on]
    for asked, has, option in (
        (options.lockstep, "is_rtl", "--lockstep"),
        (options.waves, "has_waves", "--waves"),
        (options.window, "has_window", "--window"),
    ):
        if asked and not getattr(engine, has):
            able = " or ".join(name for name, one in ENGINES.items() if getattr(one, has))
            raise BadInput(f"{option} is not for {options.on}: add --on {able}")
    if options.window and not options.waves:
        raise BadInput("--window is about waves: add --waves FILE.vcd")


def wanted_waves(options: argparse.Namespace) -> Waves | None:
    """The waves that a command is asked for."""
    return Waves(options.waves, *(options.window or ())) if options.waves else None


def wanted_timeline(
    options: argparse.Namespace, what: object, make: Callable[[TraceFile], Kind]
) -> AbstractContextManager[Kind | None]:
    """The timeline that a command is asked for, of some kind; `what` it shows is in its metadata."""
    if not options.timeline:
        return contextlib.nullcontext()
    is_rtl = ENGINES[options.on].is_rtl
    return timeline_of(options.timeline, make, is_rtl=is_rtl, program=str(what), engine=options.on)
