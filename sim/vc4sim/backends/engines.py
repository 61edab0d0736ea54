"""What programs can run on."""

from dataclasses import dataclass
from importlib import import_module

from . import model
from .base import Follower, Job, Outcome, Run, Watcher, Waves

__all__ = ["ENGINES", "RTL_ENGINES", "WAVES_ENGINE", "Engine", "able", "simulator"]


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
        return import_module(f".{name}", __package__).run(job, watch, waves, follow)

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


def able(what: str) -> list[str]:
    """Names of the engines that have something: `what` is a field of `Engine`."""
    return [name for name, engine in ENGINES.items() if getattr(engine, what)]
