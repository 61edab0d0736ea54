"""What a worker does: a job."""

import hashlib
import os
import socket
import time
import traceback
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import count

from ..coverage.count import Cells
from ..lockstep import Difference
from .job import Failure, Job, Result
from .kind import Kind
from .kinds import KINDS

__all__ = ["run_job", "sources", "what_of"]

#: Failures of a job that are made small: what is behind the others is mostly the same.
_SHRUNK = 1
#: Failures after which a job ends: it would find the same again and again.
_MOST_FAILURES = 5


@cache
def sources() -> str:
    """A digest of all that decides what a job finds: the sources of hardware, model and tools."""
    digest = hashlib.sha256()
    for package in ("vc4", "vc4sim"):
        for path in _files(resources.files(package)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _files(folder: Traversable) -> list[Traversable]:
    """All sources in a folder, in an order that is the same everywhere."""
    found = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.is_dir():
            found += _files(path)
        elif path.name.endswith((".py", ".h", ".cc")):
            found.append(path)
    return found


def run_job(job: Job) -> Result:
    """Run a job to its end; what fails is in the result. No exception leaves it but interrupts."""
    begun, computed = time.monotonic(), time.process_time()
    settings, kind = job.settings, KINDS[job.settings.kind]
    covered = Cells(kind.groups(settings))
    units = items = instructions = 0
    failures: list[Failure] = []
    for seed in count(job.seed):
        if units >= job.units or len(failures) >= _MOST_FAILURES:
            break
        try:
            done = kind.run(settings, seed, job.cells, covered, on=settings.on)
        except Exception as error:
            failures.append(_failure(kind, job, seed, error, shrinks=len(failures) < _SHRUNK))
            units += kind.item
        else:
            units += done.units
            instructions += done.instructions
        items += 1
    return Result(
        units,
        items,
        instructions,
        time.monotonic() - begun,
        time.process_time() - computed,
        covered.packed(),
        tuple(failures),
        f"{socket.gethostname()}:{os.getpid()}",
        sources(),
    )


def what_of(error: Exception) -> str:
    """The kind of failure."""
    if isinstance(error, Difference):
        return "DIFFERENCE"
    return "FAILED CHECK" if isinstance(error, AssertionError) else "ERROR"


def _failure(kind: Kind, job: Job, seed: int, error: Exception, *, shrinks: bool) -> Failure:
    """What has failed, small."""
    what = what_of(error)
    if what == "ERROR":
        return Failure(seed, what, "".join(traceback.format_exception(error)).rstrip())
    small = None
    if shrinks and job.settings.shrink_runs:
        try:
            small = kind.shrink(job.settings, seed, job.cells, lambda: None)
        except Exception as other:
            return Failure(seed, what, f"{error}\nnot made smaller: {other}")
    return Failure(seed, what, str(error), *(small or ()))
