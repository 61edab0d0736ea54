"""`vc4 run`: run a program, and say whether it did what was expected."""

import argparse
import contextlib
import shlex
from collections.abc import Iterator
from pathlib import Path

from ..backends.base import Job, Watcher
from ..backends.engines import ENGINES, WAVES_ENGINE
from ..checker import Broken
from ..library.execute import Listening, execute
from ..library.result import DidNotEnd
from ..lockstep import Difference
from ..problem import ExitStatus
from .buffers import add_buffers, check_buffers
from .engines import check_engine, setup_of, wanted_waves
from .given import add_given, add_qpus, given_workload
from .options import Commands, add_allow, add_config, add_max_cycles, add_memory, add_timeline, vcd_file, window
from .verdict import report, report_statistics

__all__ = ["register"]


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
  The program lies at 0x00010000, after it the uniforms, after them the
  buffers, each at a multiple of 64 bytes. The QPU begins with the first word
  of the program. For example, a buffer of 64 floats whose address is the second
  uniform; and one that begins as an array of NumPy, with what comes out of it:
      vc4 run kernel.qasm --uniform 1.5 --uniform '&out' --buffer out=f32:64
      vc4 run kernel.qasm --uniform '&x' --buffer x=@x.npy --save x=y.npy

several launches, at the same time:
  Each --launch takes the uniforms that are given after it. Two QPUs, each with
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
    add_qpus(parser)
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
    add_max_cycles(
        parser,
        Job.max_cycles,
        "give up a program that has not ended after N clocks; the model counts four for each instruction of a QPU, "
        "which is what the RTL needs at least",
    )
    add_given(parser)
    add_buffers(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    check_engine(options)
    workload = check_buffers(given_workload(options), options)
    setup = setup_of(options, options.config)
    listening = Listening(
        watch=lambda: _trace(options.trace),
        waves=wanted_waves(options),
        timeline=options.timeline,
        strict=options.strict,
        allow=options.allow,
    )
    try:
        return report(workload, execute(workload, setup, listening), options)
    except DidNotEnd as end:
        report_statistics(workload, end.result, options)
        raise
    except Broken as broken:
        print(f"{broken}\n\nSTOPPED {workload.name}: instruction {broken.number} breaks {broken.rule}")
    except Difference as difference:
        print(f"DIFFERENCE in {workload.name}, seed {options.seed}: {difference}")
        print(f"replay: {_replay(options)}")
    return ExitStatus.DIFFERS


@contextlib.contextmanager
def _trace(name: str | None) -> Iterator[Watcher | None]:
    """Who writes a line for every event, if somebody wants that."""
    if name == "-":
        yield print
    elif name:
        with Path(name).open("w", encoding="utf-8") as file:
            yield lambda event: print(event, file=file)
    else:
        yield None


def _replay(options: argparse.Namespace) -> str:
    """The command that does the same again, with waves."""
    waves = [] if options.waves else ["--on", WAVES_ENGINE, "--waves", "difference.vcd"]
    return f"vc4 {shlex.join([*options.arguments, *waves])}"
