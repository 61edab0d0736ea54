"""`vc4 run`: run a program, and say whether it did what was expected."""

import argparse
import contextlib
import dataclasses
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from vc4.config import MAX_QPUS, preset

from ..backends.base import Ending, Job, Outcome, Watcher, Waves
from ..checker import Broken, Strict
from ..lockstep import Difference, Lockstep
from ..problem import BadInput, ExitStatus
from ..workload import Workload, example_names, load_case, load_example, load_source
from ..workload.files import STDIN
from .engines import ENGINES, RTL_ENGINES, WAVES_ENGINE, Engine
from .options import Commands, add_allow, add_config, add_memory, enough_qpus, integer, vcd_file, window
from .show import buffer_lines, error_lines, statistics_lines

__all__ = ["register"]

_DESCRIPTION = """\
Run a program on the reference model or on the RTL. WHAT is

  the name of a built-in example (vc4 examples lists them),
  an assembly file, or - for one on standard input, or
  a directory with a case: case.json, memory.bin, program.bin and expected.bin.

An example or a case says what memory must hold at the end, and that is checked.
"""

_EPILOG = """\
memory of examples and assembly files:
  The program lies at 0x00010000, behind it the uniforms, behind them the
  buffers, each at a multiple of 64 bytes. The QPU begins with the first word
  of the program. For example, a buffer of four vectors whose address is the
  second uniform:
      vc4 run kernel.qasm --uniform 1.5 --uniform '&out' --buffer out=256

exit status:
  0  the program ended, and memory holds what was expected
  1  memory holds something else, RTL and model have done different things, or
     the program has broken a rule (--strict)
  2  the input is wrong, or the program cannot go on: it does not end, leaves
     its memory, or needs a unit that the GPU does not have
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
    parser.add_argument("what", metavar="WHAT", help="example, assembly file or case directory")
    parser.add_argument("--on", choices=ENGINES, default="model", help=f"what to run it on (default: model). {engines}")
    add_config(parser)
    parser.add_argument(
        "--qpus",
        type=integer(1, MAX_QPUS),
        metavar="N",
        help="run an assembly file or an example on N QPUs at once, all with the same uniforms; of a case, at most N of its "
        "programs at once (default: 1; of a case, as many as it says)",
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
    parser.add_argument("--dump", metavar="FILE", type=Path, help="write all memory as it is at the end")
    add_memory(parser, "decides the pauses of memory")
    parser.add_argument(
        "--max-cycles",
        type=integer(1, (1 << 31) - 1),
        default=1_000_000,
        metavar="N",
        help="give up after N cycles, or N / 4 instructions of the model (default: 1000000)",
    )
    parser.add_argument(
        "--uniform",
        action="append",
        default=[],
        metavar="V",
        help="next uniform of an assembly file: an integer, a float with a dot, or &NAME for the address of a buffer; "
        "write --uniform=V if it begins with a minus sign",
    )
    parser.add_argument(
        "--buffer",
        action="append",
        default=[],
        metavar="NAME=BYTES",
        help="memory of an assembly file, shown at the end: BYTES zeros, or @FILE for what a file holds",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    engine = ENGINES[options.on]
    if not engine.is_rtl and (options.lockstep or options.waves):
        option = "--lockstep" if options.lockstep else "--waves"
        raise BadInput(f"{option} needs a simulator of the RTL: add --on {' or '.join(RTL_ENGINES)}")
    if options.window and not options.waves:
        raise BadInput("--window is about waves: add --waves FILE.vcd")
    workload = _workload(options)
    enough_qpus(workload.name, workload.qpus, options.config)
    job = Job(
        image=workload.image,
        base=workload.base,
        launches=workload.launches,
        config=preset(options.config),
        qpus=workload.qpus,
        latency=options.latency,
        gap=options.gap,
        seed=options.seed,
        max_cycles=options.max_cycles,
    )
    lockstep = Lockstep(job) if options.lockstep else None
    strict = Strict(job.base, len(job.image), options.allow, workload.source) if options.strict else None
    try:
        outcome = _run(job, engine, options, [watcher for watcher in (strict, lockstep) if watcher])
        if lockstep:
            lockstep.conclude(outcome)
    except Broken as broken:
        print(f"{broken}\n\nSTOPPED {workload.name}: instruction {broken.number} breaks {broken.rule}")
        return ExitStatus.DIFFERS
    except Difference as difference:
        print(f"DIFFERENCE in {workload.name}, seed {options.seed}: {difference}")
        print(f"replay: {_replay(options)}")
        return ExitStatus.DIFFERS
    return _report(workload, outcome, options, lockstep, strict)


def _workload(options: argparse.Namespace) -> Workload:
    """What the user has named, for as many QPUs as asked for; the names of examples come first."""
    what, examples, copies = options.what, example_names(), options.qpus or 1
    is_example = what in examples
    if not is_example and (what == STDIN or Path(what).is_file()):
        return _copied(load_source(what, options.uniform, options.buffer), copies)
    if options.uniform or options.buffer:
        raise BadInput(f"{what}: --uniform and --buffer are for assembly files")
    if is_example:
        return _copied(load_example(what), copies)
    if Path(what).is_dir():
        case = load_case(Path(what))
        return dataclasses.replace(case, qpus=options.qpus or case.qpus)
    raise BadInput(f"{what}: no assembly file, case directory, or example ({', '.join(examples)})")


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


def _run(job: Job, engine: Engine, options: argparse.Namespace, others: list[Watcher]) -> Outcome:
    """Run the job, watched by the trace if one is wanted, and by others. Raises what they raise."""
    with _trace_file(options.trace) as trace:
        watchers = [lambda event: print(event, file=trace), *others] if trace else others

        def watch(event) -> None:
            for watcher in watchers:
                watcher(event)

        first, last = options.window or (0, None)
        return engine.run(
            job, watch if watchers else None, Waves(options.waves, first, last) if options.waves else None
        )


def _replay(options: argparse.Namespace) -> str:
    """The command that does the same again, with waves."""
    waves = [] if options.waves else ["--on", WAVES_ENGINE, "--waves", "difference.vcd"]
    return f"vc4 {shlex.join([*options.arguments, *waves])}"


def _report(
    workload: Workload,
    outcome: Outcome,
    options: argparse.Namespace,
    lockstep: Lockstep | None,
    strict: Strict | None,
) -> ExitStatus:
    """Say how it went."""
    if options.dump:
        options.dump.write_bytes(outcome.memory)
    engine = ENGINES[options.on]
    if workload.description:
        print(f"{workload.name}: {workload.description}")
    if options.stats:
        print("\n".join(statistics_lines(outcome, engine.is_rtl)))
    if outcome.ending is not Ending.DONE:
        raise BadInput(f"{workload.name}: {outcome.why}{_places(workload, outcome)}")
    cycles = f" in {outcome.cycles} cycles" if engine.is_rtl else ""
    print(f"{outcome.instructions} instructions{cycles} on {engine.doc}")
    for line in error_lines(outcome.errors):
        print(line)
    for buffer in workload.buffers:
        print("\n".join(buffer_lines(buffer, workload.bytes_of(buffer, outcome.memory))))
    if lockstep:
        print(f"lockstep: {lockstep.retired} instructions, no difference")
    if strict:
        print(f"strict: {strict.retired} instructions, no rule broken")
    return _verdict(workload, outcome.memory)


def _places(workload: Workload, outcome: Outcome) -> str:
    """Where the QPUs of an outcome stand in the source, if there is one."""
    source = workload.source
    offsets = dict.fromkeys(pc - workload.base for pc in outcome.pcs) if source else ()
    places = [f"{source.place(offset)}: {source.line(offset)}" for offset in offsets if source and source.place(offset)]
    return f" ({'; '.join(places)})" if places else ""


def _verdict(workload: Workload, memory: bytes) -> ExitStatus:
    """Compare memory with what is expected, if something is."""
    difference = workload.difference(memory)
    if difference:
        print(f"FAIL {workload.name}: {difference}")
        return ExitStatus.DIFFERS
    if workload.checks:
        size, count = sum(len(check.expected) for check in workload.checks), len(workload.checks)
        origin = f": {workload.origin}" if workload.origin else ""
        print(f"PASS {workload.name} ({size} bytes in {count} region{'s' * (count != 1)}){origin}")
    return ExitStatus.PASS
