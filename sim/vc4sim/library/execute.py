"""Runs programs on an engine, perhaps with the model beside it, and on the smallest configuration that serves."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vc4.config import V3DConfig
from vc4.errata import Erratum

from ..backends.base import Ending, Follower, Job, Outcome, Watcher, Waves
from ..backends.engines import ENGINES, Engine, able
from ..checker import Strict
from ..events import Event
from ..limits import CYCLES, LARGEST_GAP, LATENCIES, SEEDS
from ..lockstep import Lockstep
from ..problem import BadInput
from ..timeline import Names, Timeline
from ..timeline.timeline import timeline_of
from ..timeline.trace_file import TraceFile
from ..workload import Workload
from .presets import Choice, advice, choices, lacks_rows, on_board
from .result import DidNotEnd, Result

__all__ = ["Listening", "Setup", "execute", "job_of"]


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The GPU that programs run on, and the memory in front of it.

    on : name of the engine: `model`, `pysim`, `cxxrtl`, `native`, or a board, `uart:DEVICE` or `uart:DEVICE,BAUD`
    config : name of a preset, or a configuration; `None`: the smallest preset that has what a program needs, or what
        a board has
    errata : faults of chips that it has, too, see `V3DConfig`
    lockstep : the model runs beside the RTL, and every effect of each instruction is compared
    latency : clocks from a request of memory to its first word, 1 to 1024
    gap : chance that memory pauses in a clock, 0 to 0.95
    seed : of the pauses, 0 to 2**31 - 1
    max_cycles : clocks after which a run is given up; the model counts four for each instruction of a QPU. By default a million
        for programs, and fifty millions for each job of a frame on the RTL

    Raises `BadInput` for what does not exist or is out of range, and for lockstep without RTL.
    """

    on: str = "model"
    config: str | V3DConfig | None = None
    errata: str | Collection[Erratum] = ()
    lockstep: bool = False
    latency: int = 20
    gap: float = 0.0
    seed: int = 1
    max_cycles: int | None = None

    def __post_init__(self) -> None:
        if self.on not in ENGINES:
            raise BadInput(f"no engine is called {self.on!r}: there are {', '.join(ENGINES)}")
        for name, allowed in (("latency", LATENCIES), ("seed", SEEDS), ("max_cycles", CYCLES)):
            value = getattr(self, name)
            if (name, value) == ("max_cycles", None):
                continue
            if not isinstance(value, int) or value not in allowed:
                raise BadInput(f"{name} must be an integer from {allowed[0]} to {allowed[-1]}, not {value!r}")
        if not 0 <= self.gap <= LARGEST_GAP:
            raise BadInput(f"gap must be 0 to {LARGEST_GAP}, not {self.gap!r}")
        if self.lockstep and not self.engine.is_compared:
            raise BadInput(f"lockstep compares the RTL with the model: it is for {', '.join(able('is_compared'))}")

    @property
    def engine(self) -> Engine:
        """That of its name."""
        return ENGINES[self.on]

    @property
    def pace(self) -> dict[str, Any]:
        """What a job of any kind is given of it."""
        names = ("latency", "gap", "seed", *(["max_cycles"] if self.max_cycles else []))
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class Listening:
    """Who listens to a run.

    watch : makes who is told of every event; once for each configuration that is tried
    waves : to write
    timeline : file for one, see `Timeline`
    strict : every instruction is held against the rules of `vc4 check`
    allow : numbers of rules that are left out, like R4
    writes, reads : of registers, see `Job`
    """

    watch: Callable[[], AbstractContextManager[Watcher | None]] = nullcontext
    waves: Waves | None = None
    timeline: Path | None = None
    strict: bool = False
    allow: Collection[str] = ()
    writes: tuple[tuple[str, int], ...] = ()
    reads: tuple[str, ...] = ()


def execute(workload: Workload, setup: Setup, listening: Listening = Listening()) -> Result:
    """Run all programs of `workload` to their end.

    Raises `BadInput` if the GPU has too few QPUs, `DidNotEnd`, `Difference` in lockstep, and `Broken` with `strict`.
    """
    if listening.timeline and setup.engine.is_board:
        raise BadInput(f"{setup.on}: a board tells no timeline")
    *smaller, last = _choices(workload, setup)
    for choice in smaller:
        outcome, result = _run(workload, choice, setup, listening)
        if not lacks_rows(outcome):
            break
        # A program may turn out to need a larger VPM.
    else:
        choice = last
        outcome, result = _run(workload, choice, setup, listening)
    if outcome.ending is not Ending.DONE:
        why = "; ".join(text for text in (outcome.why, result.missed) if text)
        raise DidNotEnd(f"{workload.name}: {why}{_places(workload, outcome)}", result)
    return result


def _choices(workload: Workload, setup: Setup) -> list[Choice]:
    """What to run it on, the smallest first."""
    if setup.engine.config is None:
        return choices(workload, setup.config, setup.errata)
    return [on_board(workload, setup.engine.config(), setup.config, setup.errata)]


def job_of(workload: Workload, choice: Choice, **more: Any) -> Job:
    """A run of `workload` on a configuration; `more` are other fields of the job."""
    return Job(
        image=workload.image,
        base=workload.base,
        launches=workload.launches,
        config=choice.config,
        qpus=workload.qpus,
        **more,
    )


def _run(workload: Workload, choice: Choice, setup: Setup, listening: Listening) -> tuple[Outcome, Result]:
    """Run it on a configuration."""
    job = job_of(workload, choice, **setup.pace, writes=listening.writes, reads=listening.reads)
    lockstep = Lockstep(job) if setup.lockstep else None
    strict = Strict(job.base, len(job.image), listening.allow, workload.source) if listening.strict else None
    with listening.watch() as watch, _timeline(listening.timeline, job, workload, setup) as timeline:
        watchers = [one for one in (watch, strict) if one]
        follow: Follower | None = lockstep
        if timeline and setup.engine.is_rtl:
            job = timeline.of(job, effects=bool(watchers or lockstep))
            follow = timeline.beside(lockstep)
        elif timeline:
            watchers.append(timeline.watch)

        def tell(event: Event) -> None:
            for watcher in watchers:
                watcher(event)

        outcome = setup.engine.run(job, tell if watchers else None, listening.waves, follow)
    if lockstep:
        lockstep.conclude(outcome)
    result = Result.of(
        outcome,
        config=choice.name,
        cycles=outcome.cycles if setup.engine.is_rtl else None,
        compared=lockstep.retired if lockstep else None,
        checked=strict.retired if strict else None,
        missed=advice(workload, outcome, choice),
    )
    return outcome, result


def _timeline(path: Path | None, job: Job, workload: Workload, setup: Setup) -> AbstractContextManager[Timeline | None]:
    """That of a run, if somebody wants it."""
    if path is None:
        return nullcontext()

    def make(file: TraceFile) -> Timeline:
        return Timeline(file, job.built, Names.of(workload))

    return timeline_of(path, make, is_rtl=setup.engine.is_rtl, program=workload.name, engine=setup.on)


def _places(workload: Workload, outcome: Outcome) -> str:
    """Where the QPUs of an outcome are in the source, if there is one."""
    source = workload.source
    offsets = dict.fromkeys(pc - workload.base for pc in outcome.pcs) if source else ()
    places = [f"{source.place(offset)}: {source.line(offset)}" for offset in offsets if source and source.place(offset)]
    return f" ({'; '.join(places)})" if places else ""
