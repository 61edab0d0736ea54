"""`vc4 lockstep`: random programs, or random frames, on the RTL, with the model beside it."""

import argparse
import shlex
import sys
from pathlib import Path

from tqdm import tqdm

from ..backends.base import Job, Waves
from ..backends.engines import ENGINES, RTL_ENGINES, WAVES_ENGINE
from ..coverage import Coverage, RuleCount, table
from ..lockstep import Difference
from ..problem import ExitStatus
from ..random_programs import compare_programs, random_run
from ..shrink import keep, shrink
from .lockstep_frames import FRAMES_CONFIG, compare_frames
from .options import Commands, add_config, add_memory, config_of, config_words, integer, vcd_file

__all__ = ["register"]

_WAVES = "difference.vcd"
#: What programs have if nothing is asked for.
_CONFIG, _LATENCY, _GAP = "qpu", 20, 0.0


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "lockstep",
        help="compare RTL and model with random programs or frames",
        description="Run random programs on the RTL and on the model side by side, and compare every effect of every "
        "instruction. Program after program, each with the next seed, until enough instructions are compared; with several "
        "QPUs, a few programs side by side, which use semaphores, the mutex and the VPM together. A program "
        "that shows a difference is made as small as it gets, and kept. With --frames, random frames in place of programs: "
        "control lists of a tile or two, with vertices and fragment shaders; also what is in memory at the end is compared.",
    )
    parser.add_argument("--on", choices=RTL_ENGINES, help="simulator of the RTL (default: pysim; of frames: native)")
    add_config(parser, None, f"(default: {_CONFIG}; of frames: {FRAMES_CONFIG})")
    parser.add_argument(
        "--frames",
        type=integer(1, 1 << 40),
        nargs="?",
        const=2000,
        metavar="N",
        help="draw N random frames, each with the next seed (default: 2000)",
    )
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
    add_memory(parser, "of the first program or frame, and of the pauses of memory")
    # A frame has its own if nothing is asked for.
    parser.set_defaults(latency=None, gap=None)
    parser.add_argument("--waves", metavar="FILE.vcd", type=vcd_file, help="write waves of the last program")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="print what the programs have reached, what they have not, and which rules they have broken",
    )
    parser.add_argument(
        "--shrink-runs",
        type=integer(0, 1 << 20),
        default=400,
        metavar="N",
        help="make a failing program small with at most N runs; 0: not at all (default: 400)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=Path("lockstep-failures"),
        metavar="DIR",
        help="folder for small failing programs, as cases of `vc4 run` (default: lockstep-failures)",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    options.config = options.config or (FRAMES_CONFIG if options.frames else _CONFIG)
    options.on = options.on or ("native" if options.frames else "pysim")
    if options.frames:
        return compare_frames(options)
    options.latency = _LATENCY if options.latency is None else options.latency
    options.gap = _GAP if options.gap is None else options.gap
    compared = programs = 0
    config = config_of(options)
    coverage, rules = Coverage(), RuleCount() if options.coverage else None
    with tqdm(total=options.count, unit=" instructions", disable=not sys.stderr.isatty(), leave=False) as progress:
        while compared < options.count:
            job = random_run(
                options.seed + programs,
                options.length,
                config,
                latency=options.latency,
                gap=options.gap,
            )
            try:
                done = _compare(job, options, coverage, rules)
            except (Difference, AssertionError) as error:
                progress.close()
                _report(job, error, options)
                return ExitStatus.DIFFERS
            compared += done
            programs += 1
            progress.update(done)
    print(f"lockstep: {compared} instructions in {programs} program{'s' * (programs != 1)}, no difference")
    if rules:
        print("\n".join([*table(coverage), rules.summary()]))
    print(coverage.summary())
    return ExitStatus.PASS


def _compare(job: Job, options: argparse.Namespace, coverage: Coverage, rules: RuleCount | None) -> int:
    """Run one program on both; returns the number of instructions. Raises `Difference`, or what a check of the RTL does."""
    if rules:
        rules.begin(job)

    def watch(event) -> None:
        coverage(event)
        if rules:
            rules(event)

    done = compare_programs(job, ENGINES[options.on].run, watch, Waves(options.waves) if options.waves else None)
    coverage.finish()
    return done


def _report(job: Job, error: Difference | AssertionError, options: argparse.Namespace) -> None:
    """Say what went wrong, and make it small."""
    what = "DIFFERENCE" if isinstance(error, Difference) else "FAILED CHECK"
    print(f"{what} in the random program of seed {job.seed}: {error}")
    print(f"replay: {_replay(options, job.seed)}")
    if not options.shrink_runs:
        return
    engine = ENGINES[options.on]
    with tqdm(total=options.shrink_runs, unit=" runs", disable=not sys.stderr.isatty(), leave=False) as progress:
        small = shrink(engine.run, job, options.shrink_runs, progress.update)
    if not small:
        print("not made smaller: it does not fail again")
        return
    folder = options.save / f"seed-{job.seed}"
    what = str(error).partition("\n")[0]
    memory = keep(small, folder, f"random program of seed {job.seed}, made small: {what}")
    plural = "" if small.instructions == 1 else "s"
    print(f"smallest: {small.instructions} instruction{plural} besides nops, after {small.runs} runs, in {folder}")
    config = config_words(options) if small.job.reserved.start > 1 or options.errata else []
    command = ["run", str(folder), "--on", WAVES_ENGINE, *config, "--lockstep", *memory, "--waves", _WAVES]
    print(f"replay: vc4 {shlex.join(command)}")


def _replay(options: argparse.Namespace, seed: int) -> str:
    """The command that runs this program alone, with waves."""
    return (
        f"vc4 lockstep --on {WAVES_ENGINE} {' '.join(config_words(options))} --seed {seed} --count 1 --length {options.length} "
        f"--latency {options.latency} --gap {options.gap} --shrink-runs 0 --waves {options.waves or _WAVES}"
    )
