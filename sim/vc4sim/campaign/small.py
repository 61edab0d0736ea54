"""Makes programs small, as cases of `vc4 run`."""

import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..backends.base import Job as RunJob
from ..backends.engines import ENGINES, WAVES_ENGINE
from ..shrink import keep, shrink
from .job import Settings
from .kind import Small

__all__ = ["FOLDER", "small_program"]

#: Stands in the text for the folder with the files.
FOLDER = "{folder}"


def small_program(settings: Settings, job: RunJob, what: str, told: Callable[[], object]) -> Small | None:
    """What is left of a run of programs that fails, as a case; `None` if it does not fail again. `what`: the run, in words."""
    small = shrink(ENGINES[settings.on].run, job, settings.shrink_runs, told)
    if not small:
        return None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / f"seed-{job.seed}"
        memory = keep(small, folder, f"{what}, made small: {str(small.error).splitlines()[0]}")
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    # Programs that run on the first QPU alone do so on any configuration.
    config = ["--config", settings.config] if small.job.reserved.start > 1 or settings.config != "qpu" else []
    errata = ["--errata", settings.errata] if settings.errata else []
    options = shlex.join([*config, *errata, "--lockstep", *memory, "--waves", "difference.vcd"])
    plural = "s" * (small.instructions != 1)
    return Small(
        f"{small.instructions} instruction{plural} besides nops, after {small.runs} runs\n"
        f"replay: vc4 run {FOLDER} --on {WAVES_ENGINE} {options}",
        files,
    )
