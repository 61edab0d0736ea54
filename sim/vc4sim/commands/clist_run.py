"""`vc4 clist run`: control lists on the RTL."""

import argparse
import dataclasses
from collections.abc import Iterator
from pathlib import Path

from vc4.regs import table

from ..backends.engines import RTL_ENGINES
from ..clist import load_capture
from ..frames.captures import front_jobs
from ..frames.front import FrontRun, run_front
from ..frames.job import FrontJob
from ..frames.lockstep import FrontLockstep
from ..frames.text import lines_of
from ..lockstep import Difference
from ..problem import BadInput, ExitStatus
from ..workload.example import frame_folder
from .engines import check_engine, wanted_waves
from .options import Commands, add_config, add_max_cycles, add_memory, config_of, pace_of, vcd_file, window

__all__ = ["register"]

_DESCRIPTION = """\
Run both control lists of a captured frame on the RTL, at once, and print what binner
and renderer get: records, shader records, and primitives with their shaded vertices.
The model bins before, so that the tile lists are there. CASE is a directory with
case.json and the memory that it names, or a frame of `vc4 examples`.
"""
_EPILOG = """\
exit status:
  0  the lists have come to their ends
  1  they have not, or RTL and model differ (--lockstep)
  2  the input is wrong
"""
_THREADS = ("binning", "rendering")
_STATUS = ("CT0CS", "CT1CS", "CT0CA", "CT1CA")
_FIELDS = {field.name: field.mask for field in table.register("CT0CS").fields}


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "run",
        help="run the control lists of a captured frame on the RTL",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("case", metavar="CASE", type=Path, help="directory with case.json, or example")
    parser.add_argument("--on", choices=RTL_ENGINES, default="native", help="simulator (default: native)")
    add_config(parser, "gpu")
    parser.add_argument(
        "--lockstep", action="store_true", help="compare all of it, and every instruction of shaders, with the model"
    )
    parser.add_argument(
        "--waves", metavar="FILE.vcd", type=vcd_file, help="write waves of the last job, and FILE.gtkw beside"
    )
    parser.add_argument(
        "--window", type=window, metavar="FIRST:LAST", help="of the waves, only these clocks, without LAST"
    )
    parser.add_argument("--stats", action="store_true", help="print clocks, counters, and what has waited")
    parser.add_argument("--quiet", action="store_true", help="do not print what binner and renderer get")
    add_memory(parser, "decides the pauses of memory")
    add_max_cycles(parser, 10_000_000, "give up after N clocks")
    parser.set_defaults(execute=_run)


def _run(options: argparse.Namespace) -> int:
    check_engine(options)
    capture = load_capture(frame_folder(options.case))
    config = dataclasses.replace(config_of(options), lists=True, trace=True)
    jobs = list(front_jobs(capture, config, **pace_of(options)))
    if not jobs:
        raise BadInput(f"{capture.name}: has no job that bins")
    return max(_one(f"{capture.name}, {job.name}", front, options) for job, front in jobs)


def _one(name: str, job: FrontJob, options: argparse.Namespace) -> int:
    """Run a job, and say how it went."""
    lockstep = FrontLockstep(job) if options.lockstep else None
    try:
        run = run_front(job, options.on, follow=lockstep, waves=wanted_waves(options), read=_STATUS)
        if lockstep:
            lockstep.compare(run)
    except Difference as difference:
        print(f"DIFFERENCE in {name}, seed {job.seed}: {difference}")
        return ExitStatus.DIFFERS
    print(name)
    if not options.quiet:
        for thread, items in zip(_THREADS, run.items, strict=True):
            print(f"{thread}: {len(items)} items")
            for item in items:
                print("\n".join(f"  {line}" for line in lines_of(item, _THREADS.index(thread))))
    if options.stats:
        print("\n".join(_statistics(run)))
    if lockstep:
        print(f"lockstep: {lockstep.retired} instructions, {sum(map(len, run.items))} items, no difference")
    stands = list(_stands(run))
    print(f"STOPPED {name}: {'; '.join(stands)}" if stands else f"DONE {name}: {run.cycles} cycles")
    return ExitStatus.DIFFERS if stands else ExitStatus.PASS


def _statistics(run: FrontRun) -> Iterator[str]:
    yield f"{run.cycles} cycles, {run.instructions} instructions of shaders"
    yield "performance counters"
    yield from (f"  {count:10}  {name.lower()}" for name, count in run.counts.items())
    yield "clocks in which something waited"
    yield from (f"  {count:10}  {name}" for name, count in run.stalls.items())


def _stands(run: FrontRun) -> Iterator[str]:
    """Threads that have not come to the end of their list."""
    for number, name in enumerate(_THREADS):
        status, place = run.read[f"CT{number}CS"], run.read[f"CT{number}CA"]
        if status & _FIELDS["CTERR"]:
            yield f"{name} has stopped at {place:#010x}, where something is wrong"
        elif status & _FIELDS["CTRUN"]:
            yield f"{name} waits at {place:#010x}"
