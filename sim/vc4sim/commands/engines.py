"""What programs can run on."""

from collections.abc import Callable
from dataclasses import dataclass

from ..backends import cxxrtl, model, native, pysim
from ..backends.base import Job, Outcome, Watcher, Waves

__all__ = ["ENGINES", "RTL_ENGINES", "WAVES_ENGINE", "Engine"]


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to run a `Job`.

    run : given the job, a watcher or `None`, and the waves to write or `None`, gives the outcome
    is_rtl : it simulates the RTL, with clocks and waves; otherwise there are never any waves
    doc : one line about it
    """

    run: Callable[[Job, Watcher | None, Waves | None], Outcome]
    is_rtl: bool
    doc: str


def _model(job: Job, watch: Watcher | None, waves: Waves | None) -> Outcome:
    return model.run(job, watch)


ENGINES = {
    "model": Engine(_model, False, "the reference model"),
    "pysim": Engine(pysim.run, True, "the RTL in Amaranth's own simulator"),
    "cxxrtl": Engine(cxxrtl.run, True, "the RTL as native code made by CXXRTL"),
    "native": Engine(native.run, True, "the RTL as native code, all QPUs side by side: the fastest"),
}

RTL_ENGINES = tuple(name for name, engine in ENGINES.items() if engine.is_rtl)

#: The one that writes waves without being compiled for it. Runs are the same on all RTL engines, clock by clock, so it can show what another one found.
WAVES_ENGINE = "pysim"
