"""`vc4 clist`: control lists as text."""

import argparse
from dataclasses import replace
from pathlib import Path

from vc4.config import preset
from vc4.records.control import Threads

from ..clist import CaptureJob, describe, load_capture, walk
from ..model.cle.control_records import ListError
from ..model.memory import Memory
from ..problem import BadInput, ExitStatus
from ..render.host import Host
from ..workload.example import frame_folder
from . import clist_run
from .options import Commands

__all__ = ["register"]

_DESCRIPTION = """\
Print the control lists of a captured frame with everything that they lead to, one
record a line: sub-lists, shader records and their attribute arrays, and tile lists
if memory has them. CASE is a directory with case.json and the memory that it names,
or an example.
With --binned the model's binner writes the tile lists of each job before.
"""

_THREADS = (Threads.BINNING, Threads.RENDERING)


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser("clist", help="show control lists", description="Tools for control lists.")
    inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    dump = inner.add_parser(
        "dump",
        help="print the control lists of a captured frame",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    dump.add_argument("case", metavar="CASE", type=Path, help="directory with case.json, or example")
    dump.add_argument("--binned", action="store_true", help="run the binning lists first: tile lists are there then")
    dump.set_defaults(execute=_dump)
    clist_run.register(inner)


def _dump(options: argparse.Namespace) -> int:
    capture = load_capture(frame_folder(options.case))
    host = Host(capture, preset("bcm2835")) if options.binned else None
    memory = host.memory if host else Memory(capture.memory_size)
    for job in capture.jobs:
        if host:
            _bin(host, job)
        else:
            job.load(memory)
        print(f"{capture.name}, {job.name}")
        for number in job.threads:
            _print_list(memory, job, number, f"{options.case}: {job.name}")
    return ExitStatus.PASS


def _bin(host: Host, job: CaptureJob) -> None:
    """Run only the binning list of a job, if it has one."""
    binning = {name: address for name, address in job.registers.items() if name.startswith("CT0")}
    for _ in host.run(replace(job, registers=binning)):
        pass


def _print_list(memory: Memory, job: CaptureJob, number: int, place: str) -> None:
    """All that the list of a thread leads to, up to what is wrong."""
    try:
        for line in walk(memory, job.registers[f"CT{number}CA"], job.registers[f"CT{number}EA"], _THREADS[number]):
            print(describe(line))
    except ListError as error:
        raise BadInput(f"{place}, thread {number}: {error}") from None
