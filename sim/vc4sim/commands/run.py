"""`vc4 run`: run a program, and say whether it did what was expected."""

import argparse
import contextlib
import dataclasses
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from vc4.config import MAX_QPUS

from ..backends.base import Job, Outcome, Watcher
from ..checker import Broken, Strict
from ..lockstep import Difference, Lockstep
from ..problem import BadInput, ExitStatus
from ..timeline import Names, Timeline
from ..workload import Workload, example_names, load_case, load_example, load_source
from ..workload.files import STDIN
from .engines import ENGINES, WAVES_ENGINE, Engine, check_engine, wanted_timeline, wanted_waves
from .given import add_given, given_starts
from .options import Commands, add_allow, add_config, add_memory, add_timeline, config_of, integer, vcd_file, window
from .presets import enough_qpus, lacks_rows, serving
from .verdict import report

__all__ = ["register", "workload_of"]


_DESCRIPTION = """\
Run a program on the reference model or on the RTL. WHAT is

  the name of a built-in example (vc4 examples lists them),
  an assembly file, or - for one on standard input,
  words: FILE.bin of 64 bits each; FILE.hex with 16 digits a line, or, like
  FILE.c and FILE.h, with an array of C, whose words of 32 bits are the halves
  of instructions, the low one first, or
  a directory with a case: case.json, memory.bin, program.bin and expected.bin.

An example or a case says what memory must hold at the end, and that is checked.
"""

_EPILOG = """\
memory of examples and programs:
  The program lies at 0x00010000, behind it the uniforms, behind them the
  buffers, each at a multiple of 64 bytes. The QPU begins with the first word
  of the program. For example, a buffer of four vectors whose address is the
  second uniform:
      vc4 run kernel.qasm --uniform 1.5 --uniform '&out' --buffer out=256

several launches, at the same time:
  Each --launch takes the uniforms that are given behind it. Two QPUs, each with
  its half of a buffer:
      vc4 run kernel.qasm --buffer out=128 \\
          --launch '&program' --uniform 0 --uniform '&out' \\
          --launch '&program' --uniform 1 --uniform '&out+64'
  With uniforms, and a second program, that lie in memory already:
      vc4 run first.bin --load all.bin@0x40000 --launch 0x40000,0x40800

exit status:
  0  the program ended, and memory holds what was expected
  1  memory holds something else, RTL and model have done different things, or
     the program has broken a rule (--strict)
  2  the input is wrong, or the program cannot go on: it does not end, leaves
     its memory, or needs a unit that the GPU does not have
  130  interrupted, by Ctrl-C
  141  nobody reads the output any more
"""


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "run",
        help="run an example, an assembly file or a case",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    engines = "; ".join(f"{name}: {engine.doc}" for name, engine in ENGINES.items())
    parser.add_argument("what", metavar="WHAT", help="example, assembly file, words or case directory")
    parser.add_argument("--on", choices=ENGINES, default="model", help=f"what to run it on (default: model). {engines}")
    add_config(parser, None, "(default: the smallest that has what WHAT needs)")
    parser.add_argument(
        "--qpus",
        type=integer(1, MAX_QPUS),
        metavar="N",
        help="run a program or an example on N QPUs at once, all with the same uniforms; of a case, or of launches, at most "
        "N at once (default: 1; of a case, as many as it says; of launches, all)",
    )
    parser.add_argument("--lockstep", action="store_true", help="run the model beside the RTL and compare every effect")
    parser.add_argument(
        "--strict", action="store_true", help="stop at the first instruction that breaks a rule of `vc4 check`"
    )
    add_allow(parser)
    parser.add_argument(
        "--trace", metavar="FILE", help="write one line for every instruction and memory write; - prints"
    )
    parser.add_argument(
        "--waves", metavar="FILE.vcd", type=vcd_file, help="write waves of the RTL, and FILE.gtkw beside"
    )
    parser.add_argument(
        "--window",
        type=window,
        metavar="FIRST:LAST",
        help="of the waves, only the clocks from FIRST on to the one before LAST (needs --on cxxrtl)",
    )
    parser.add_argument("--stats", action="store_true", help="print instructions, cycles, and cycles lost by reason")
    add_timeline(parser)
    parser.add_argument("--dump", metavar="FILE", type=Path, help="write all memory as it is at the end")
    add_memory(parser, "decides the pauses of memory")
    parser.add_argument(
        "--max-cycles",
        type=integer(1, (1 << 31) - 1),
        default=1_000_000,
        metavar="N",
        help="give up a program that has not ended after N clocks; the model counts four for each instruction of a QPU, "
        "which is what the RTL needs at least (default: 1000000)",
    )
    add_given(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    engine = ENGINES[options.on]
    check_engine(options)
    workload = workload_of(options)
    presets = [options.config] if options.config else serving(workload)
    enough_qpus(workload.name, workload.qpus, presets[0])
    for smaller in presets[:-1]:
        # A program may turn out to need a larger VPM.
        status = _attempt(workload, smaller, engine, options, last=False)
        if status is not None:
            return status
    return _attempt(workload, presets[-1], engine, options) or ExitStatus.PASS


def _attempt(
    workload: Workload, config: str, engine: Engine, options: argparse.Namespace, *, last: bool = True
) -> ExitStatus | None:
    """Run on the preset `config` and say how it went; `None`, with nothing said, if a larger one is wanted."""
    job = _job(workload, config, options)
    lockstep = Lockstep(job) if options.lockstep else None
    strict = Strict(job.base, len(job.image), options.allow, workload.source) if options.strict else None
    try:
        outcome = _run(job, engine, options, strict, lockstep, Names.of(workload))
        if lockstep:
            lockstep.conclude(outcome)
    except Broken as broken:
        print(f"{broken}\n\nSTOPPED {workload.name}: instruction {broken.number} breaks {broken.rule}")
        return ExitStatus.DIFFERS
    except Difference as difference:
        print(f"DIFFERENCE in {workload.name}, seed {options.seed}: {difference}")
        print(f"replay: {_replay(options)}")
        return ExitStatus.DIFFERS
    return report(workload, outcome, config, options, lockstep, strict) if last or not lacks_rows(outcome) else None


def _job(workload: Workload, config: str, options: argparse.Namespace) -> Job:
    return Job(
        image=workload.image,
        base=workload.base,
        launches=workload.launches,
        config=config_of(options, config),
        qpus=workload.qpus,
        latency=options.latency,
        gap=options.gap,
        seed=options.seed,
        max_cycles=options.max_cycles,
    )


def workload_of(options: argparse.Namespace) -> Workload:
    """What the user has named, for as many QPUs as asked for; the names of examples come first."""
    what, examples, copies = options.what, example_names(), options.qpus or 1
    is_example = what in examples
    if not is_example and (what == STDIN or Path(what).is_file()):
        starts = given_starts(options)
        found = load_source(what, starts, options.buffer, options.load, base=options.base, folders=options.folders)
        return _copied(found, copies) if not options.launched else _at_once(found, options.qpus)
    if options.starts or options.buffer or options.load:
        raise BadInput(f"{what}: --uniform, --launch, --buffer and --load are for assembly files and words")
    if is_example:
        return _copied(load_example(what), copies)
    if Path(what).is_dir():
        return _at_once(load_case(Path(what)), options.qpus)
    raise BadInput(f"{what}: no assembly file, words, case directory, or example ({', '.join(examples)})")


def _at_once(workload: Workload, qpus: int | None) -> Workload:
    """At most so many programs at the same time, if it is said how many."""
    return dataclasses.replace(workload, qpus=qpus or workload.qpus)


def _copied(workload: Workload, copies: int) -> Workload:
    """The same program on several QPUs at once."""
    return dataclasses.replace(workload, launches=workload.launches * copies, qpus=copies)


@contextlib.contextmanager
def _trace_file(name: str | None) -> Iterator[TextIO | None]:
    """Where the trace goes, if anywhere."""
    if name == "-":
        yield sys.stdout
    elif name:
        with Path(name).open("w", encoding="utf-8") as file:
            yield file
    else:
        yield None


def _run(
    job: Job,
    engine: Engine,
    options: argparse.Namespace,
    strict: Strict | None,
    lockstep: Lockstep | None,
    names: Names,
) -> Outcome:
    """Run the job, watched by trace and timeline if they are wanted, and by others. Raises what they raise."""
    timed = wanted_timeline(options, options.what, lambda file: Timeline(file, job.built, names))
    with _trace_file(options.trace) as trace, timed as timeline:
        watchers: list[Watcher] = [lambda event: print(event, file=trace)] if trace else []
        watchers += [strict] if strict else []
        follow = lockstep
        if timeline and engine.is_rtl:
            job = timeline.of(job, effects=bool(watchers or lockstep))
            follow = timeline.beside(lockstep)
        elif timeline:
            watchers.append(timeline.watch)

        def watch(event) -> None:
            for watcher in watchers:
                watcher(event)

        return engine.run(job, watch if watchers else None, wanted_waves(options), follow)


def _replay(options: argparse.Namespace) -> str:
    """The command that does the same again, with waves."""
    waves = [] if options.waves else ["--on", WAVES_ENGINE, "--waves", "difference.vcd"]
    return f"vc4 {shlex.join([*options.arguments, *waves])}"
