"""What programs can run on."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from vc4.config import V3DConfig

from ..uart.transport import PREFIX, is_device
from . import model
from .base import Follower, Job, Outcome, Run, Watcher, Waves

__all__ = ["ENGINES", "RTL_ENGINES", "WAVES_ENGINE", "Engine", "able", "simulator"]


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to run a `Job`.

    is_rtl : it is the RTL, with clocks
    is_board : on a board, which shows its registers and its memory only
    config : its configuration, if it has one of its own
    is_compiled : it needs a C++ compiler
    has_waves, has_window : it writes waves; of a window of clocks, too
    doc : one line about it
    """

    run: Run
    doc: str
    is_rtl: bool = True
    is_board: bool = False
    config: Callable[[], V3DConfig] | None = None
    is_compiled: bool = False
    has_waves: bool = False
    has_window: bool = False

    @property
    def is_simulated(self) -> bool:
        """It tells what happens in it."""
        return not self.is_board

    @property
    def is_compared(self) -> bool:
        """The model can run beside it."""
        return self.is_rtl and self.is_simulated


def _model(job: Job, watch: Watcher | None, waves: Waves | None, follow: Follower | None) -> Outcome:
    return model.run(job, watch)


def simulator(name: str) -> Run:
    """One of the RTL, which is imported when it runs something: who wants the model need not wait for that."""

    def run(job: Job, watch: Watcher | None, waves: Waves | None, follow: Follower | None) -> Outcome:
        return import_module(f".{name}", __package__).run(job, watch, waves, follow)

    return run


def _board(name: str) -> Engine:
    """One at the other end of a serial line, which is opened when something runs."""

    def run(job: Job, watch: Watcher | None, waves: Waves | None, follow: Follower | None) -> Outcome:
        return import_module("..uart.programs", __package__).run(name, job, watch, waves, follow)

    def config() -> V3DConfig:
        return import_module("..uart.programs", __package__).config(name)

    return Engine(run, f"the board at {name.removeprefix(PREFIX)}", is_board=True, config=config)


class _Engines(dict[str, Engine]):
    """Engines by their names; one that begins with `PREFIX` is a board, of which there is no list."""

    def __contains__(self, name: object) -> bool:
        return is_device(name) or super().__contains__(name)

    def __missing__(self, name: str) -> Engine:
        if not is_device(name):
            raise KeyError(name)
        return _board(name)


ENGINES = _Engines(
    model=Engine(_model, "the reference model", is_rtl=False),
    pysim=Engine(simulator("pysim"), "the RTL in Amaranth's own simulator", has_waves=True),
    cxxrtl=Engine(
        simulator("cxxrtl"), "the RTL as native code made by CXXRTL", is_compiled=True, has_waves=True, has_window=True
    ),
    native=Engine(simulator("native"), "the RTL as native code, all QPUs side by side: the fastest", is_compiled=True),
)

RTL_ENGINES = tuple(name for name, engine in ENGINES.items() if engine.is_rtl)

#: The one that writes waves without being compiled for it. Runs are the same on all RTL engines, clock by clock, so it can show what another one found.
WAVES_ENGINE = "pysim"


def able(what: str) -> list[str]:
    """Names of the engines that have something: `what` is a field or property of `Engine`."""
    return [name for name, engine in ENGINES.items() if getattr(engine, what)]
