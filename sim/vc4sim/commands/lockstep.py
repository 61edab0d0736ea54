"""`vc4 lockstep`: random programs on the RTL, with the model beside it."""

import argparse
import sys

from tqdm import tqdm

from vc4.config import preset

from ..backends.base import Ending, Job
from ..lockstep import Difference, Lockstep
from ..problem import BadInput, ExitStatus
from ..random_programs import random_job
from .engines import ENGINES, RTL_ENGINES, WAVES_ENGINE
from .options import Commands, add_config, add_memory, integer, vcd_file

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "lockstep",
        help="compare RTL and model with random programs",
        description="Run random programs on the RTL and on the model side by side, and compare every effect of every "
        "instruction. Program after program, each with the next seed, until enough instructions are compared.",
    )
    parser.add_argument("--on", choices=RTL_ENGINES, default="pysim", help="simulator of the RTL (default: pysim)")
    add_config(parser)
    parser.add_argument(
        "--count",
        type=integer(1, 1 << 40),
        default=1000,
        metavar="N",
        help="compare at least N instructions (default: 1000)",
    )
    parser.add_argument(
        "--length",
        type=integer(1, 1 << 16),
        default=400,
        metavar="L",
        help="words of a program, at least (default: 400)",
    )
    add_memory(parser, "of the first program, and of the pauses of memory")
    parser.add_argument("--waves", metavar="FILE.vcd", type=vcd_file, help="write waves of the last program")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    compared = programs = 0
    with tqdm(total=options.count, unit=" instructions", disable=not sys.stderr.isatty(), leave=False) as progress:
        while compared < options.count:
            seed = options.seed + programs
            job = random_job(seed, options.length, preset(options.config), latency=options.latency, gap=options.gap)
            try:
                done = _compare(job, options)
            except Difference as difference:
                progress.close()
                print(f"DIFFERENCE in the random program of seed {seed}: {difference}")
                print(f"replay: {_replay(options, seed)}")
                return ExitStatus.DIFFERS
            compared += done
            programs += 1
            progress.update(done)
    print(f"lockstep: {compared} instructions in {programs} program{'s' * (programs != 1)}, no difference")
    return ExitStatus.PASS


def _compare(job: Job, options: argparse.Namespace) -> int:
    """Run one program on both; returns the number of instructions. Raises `Difference`."""
    lockstep = Lockstep(job)
    outcome = ENGINES[options.on].run(job, lockstep, options.waves)
    lockstep.conclude(outcome)
    if outcome.ending is not Ending.DONE:
        raise BadInput(f"random program of seed {job.seed}: {outcome.why}")
    return lockstep.retired


def _replay(options: argparse.Namespace, seed: int) -> str:
    """The command that runs this program alone, with waves."""
    waves = options.waves or "difference.vcd"
    return (
        f"vc4 lockstep --on {WAVES_ENGINE} --config {options.config} --seed {seed} --count 1 --length {options.length} "
        f"--latency {options.latency} --gap {options.gap} --waves {waves}"
    )
