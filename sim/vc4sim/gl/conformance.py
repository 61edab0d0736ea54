"""Piglit's tests on this GPU, and how they end on a chip: a table that both fill."""

import io
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from ..problem import BadInput
from .device import open_device
from .piglit import Outcome, Test, Verdict, run_test
from .programs import driver_variables, gpu_variables
from .record import SKIPPED, UNSTABLE, verdict_of_the_chip
from .server import serving

__all__ = ["Row", "Setup", "agreement", "conform", "missing", "read_table"]

TABLE = "table.tsv"
_COLUMNS = ("test", "here", "softpipe", "chip")
_GOOD = {Verdict.PASS, Verdict.WARN}
#: MiB; the chip's continuous integration has as much.
_MEMORY = "256"
_HERE = {"VC4SIM_MEMORY": _MEMORY, "PIGLIT_PLATFORM": "gbm", "WAFFLE_GBM_DEVICE": "/dev/dri/renderD128"}
_SOFTPIPE = {"PIGLIT_PLATFORM": "surfaceless_egl", "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "softpipe"}


@dataclass(frozen=True)
class Row:
    """A test, or a subtest.

    softpipe : of Mesa's own renderer, which is asked if here or there something is not right; else "", as for tests in windows
    chip : as `verdict_of_the_chip`
    """

    test: str
    here: str
    softpipe: str
    chip: str

    @property
    def counts(self) -> bool:
        """It has run in both places."""
        return self.here != Verdict.SKIP and self.chip not in (SKIPPED, UNSTABLE)

    @property
    def agrees(self) -> bool:
        """It is right in both places, or wrong in both."""
        return (self.here in _GOOD) == (self.chip in _GOOD)


@dataclass(frozen=True)
class Setup:
    """How tests are run.

    prefix : where Mesa is
    home : where piglit is
    folder : of the table, and of logs
    on : what draws
    limit : seconds for a test
    """

    prefix: Path
    home: Path
    folder: Path
    on: str
    limit: float

    @property
    def logs(self) -> Path:
        """What tests with something wrong have written."""
        return self.folder / "logs"


def missing(tests: Iterable[Test], folder: Path) -> list[Test]:
    """Those that the table in `folder` does not have yet."""
    known = {row.test for row in read_table(folder)}
    return [test for test in tests if test.name not in known]


def conform(tests: Sequence[Test], setup: Setup, jobs: int) -> Iterator[Test]:
    """Run tests, `jobs` at a time, and add them to the table; an item is a test that is done."""
    setup.logs.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    with (setup.folder / TABLE).open("ab", buffering=0) as file, context.Pool(jobs, _begin, (setup,)) as pool:
        if not file.tell():
            _write(file, [Row(*_COLUMNS)])
        for test, rows in pool.imap_unordered(_do, tests):
            _write(file, rows)
            yield test


def _write(file: io.FileIO, rows: Sequence[Row]) -> None:
    """All of a test in one call of the system, so that a run that is killed leaves all of it or nothing."""
    file.write("".join("\t".join(astuple(row)) + "\n" for row in rows).encode())


def read_table(folder: Path) -> list[Row]:
    """What there is so far. Raises `BadInput` if it is no such table."""
    path = folder / TABLE
    if not path.exists():
        return []
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    for number, row in enumerate(rows, 1):
        if len(row) != len(_COLUMNS):
            raise BadInput(f"{path}:{number}: has not the {len(_COLUMNS)} columns of a table of tests")
    return [Row(*row) for row in rows[1:]]


def agreement(rows: Iterable[Row]) -> tuple[int, int]:
    """How many agree, of how many that have run in both places."""
    counted = [row.agrees for row in rows if row.counts]
    return sum(counted), len(counted)


class _Worker:
    """A process that runs tests one after the other, and is their GPU."""

    def __init__(self, setup: Setup):
        self._setup = setup
        self._stack = ExitStack()
        self._server = self._stack.enter_context(serving(partial(open_device, on=setup.on)))
        self._own = {**os.environ, **driver_variables(setup.prefix)}

    def run(self, test: Test) -> list[Row]:
        """Its rows, those of subtests first."""
        here = self._run(test, gpu_variables(self._setup.prefix) | _HERE)
        chip = {name: verdict_of_the_chip(name) for name in here.verdicts}
        asks = any(verdict not in (*_GOOD, Verdict.SKIP) for verdict in (*here.verdicts.values(), *chip.values()))
        softpipe = self._run(test, _SOFTPIPE).verdicts if asks and not test.windowed else {}
        if asks:
            (self._setup.logs / f"{quote(test.name, safe=' @!')}.txt").write_text(here.log)
        return [Row(name, verdict, softpipe.get(name, ""), chip[name]) for name, verdict in here.verdicts.items()]

    def _run(self, test: Test, variables: Mapping[str, str]) -> Outcome:
        environment = {**self._own, **variables, "VC4_SERVER": str(self._server.path)}
        return run_test(test, self._setup.home, environment, self._server, self._setup.limit)


_worker: _Worker


def _begin(setup: Setup) -> None:
    """In a new process: interrupts are for the first one."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker = _Worker(setup)


def _do(test: Test) -> tuple[Test, list[Row]]:
    return test, _worker.run(test)
