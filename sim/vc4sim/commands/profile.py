"""`vc4 profile`: what the clocks of a run went to."""

import argparse
from pathlib import Path

from ..backends.base import Ending
from ..backends.engines import ENGINES, RTL_ENGINES
from ..clist import Capture, load_capture
from ..cxxrtl.build import NoCompiler, find_compiler
from ..library.execute import job_of
from ..library.presets import advice, choices, lacks_rows
from ..problem import BadInput, ExitStatus
from ..profiler import Profile, profile
from ..timeline import Names
from .given import add_given, add_qpus, given_frame, given_workload
from .options import Commands, add_config, add_max_cycles, add_memory, config_of, integer, pace_of, picture_file

__all__ = ["register"]

_DESCRIPTION = """\
Run a program on the RTL, and say what its clocks went to: instruction by instruction beside the
source, by label, and what limits the whole. WHAT is what it is for `vc4 run`, or a frame, as for
`vc4 render`, of which it is the shaders.
"""
_EPILOG = """\
A QPU waits for the next instruction that it issues: what it has lost counts there.
docs/user/profiling.md says how to read the tables, and where the limits come from.

exit status:
  0  the program ended
  2  the input is wrong, or the program cannot go on
"""
_TOP = 20
_FRAME_CONFIG = "gpu"


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "profile",
        help="say what the clocks of a program or a frame went to",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", metavar="WHAT", help="example, assembly file, words, or directory of a case or a frame")
    parser.add_argument(
        "--on", choices=RTL_ENGINES, help="what to run it on (default: native, or pysim without a C++ compiler)"
    )
    add_config(parser, None, "(default: the smallest that has what WHAT needs; of a frame, gpu)")
    add_qpus(parser)
    parser.add_argument(
        "--order",
        choices=("clocks", "source"),
        default="clocks",
        help="what comes first (default: what takes most clocks)",
    )
    parser.add_argument(
        "--by",
        choices=("line", "instruction"),
        default="line",
        help="what is counted together: instructions of a line, of which a repetition makes several, or none (default: line)",
    )
    parser.add_argument(
        "--top",
        type=integer(0, 1 << 20),
        metavar="N",
        help=f"show the first N only; 0: all (default: {_TOP} in the order of clocks, else all)",
    )
    parser.add_argument("--roofline", metavar="FILE.png", type=picture_file, help="draw what limits it, as PNG or SVG")
    add_memory(parser, "decides the pauses of memory")
    add_max_cycles(parser, 50_000_000, "give up a program that has not ended after N clocks")
    add_given(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    on = options.on or _fastest()
    if frame := given_frame(options):
        return _profile_frame(load_capture(frame), options, on)
    workload = given_workload(options)
    for choice in choices(workload, options.config, options.errata):
        found = profile(job_of(workload, choice, **pace_of(options)), ENGINES[on].run, Names.of(workload))
        if not lacks_rows(found.outcome):
            break
    _report(workload.name, workload.description, found, options, choice.name, on)
    if found.outcome.ending is not Ending.DONE:
        missed = advice(workload, found.outcome, choice)
        raise BadInput(f"{workload.name}: {found.outcome.why}{'; ' * bool(missed)}{missed}")
    return ExitStatus.PASS


def _profile_frame(capture: Capture, options: argparse.Namespace, on: str) -> ExitStatus:
    # It takes a second: who has a program need not wait for that.
    from ..profiler.frames import profile_frame

    config = options.config or _FRAME_CONFIG
    found = profile_frame(capture, config_of(options, config).drawing, on, **pace_of(options))
    _report(capture.name, capture.details.text("description"), found, options, config, on)
    return ExitStatus.PASS


def _fastest() -> str:
    """The engine that needs least time."""
    try:
        find_compiler()
    except NoCompiler:
        return "pysim"
    return "native"


def _report(name: str, text: str, found: Profile, options: argparse.Namespace, config: str, on: str) -> None:
    outcome, by_clocks = found.outcome, options.order == "clocks"
    print(f"{name}: {text}" if text else name)
    print(
        f"{outcome.instructions:,} instructions in {outcome.cycles:,} clocks on {found.qpus} of the QPUs of {config}, by {on}\n"
    )
    top = options.top if options.top is not None else _TOP * by_clocks
    print("\n".join(found.lines(by_clocks=by_clocks, each=options.by == "instruction", top=top)))
    if options.roofline:
        _draw(options.roofline, name, found)


def _draw(path: Path, name: str, found: Profile) -> None:
    """The picture. Raises `BadInput` without matplotlib."""
    try:
        # Matplotlib is not needed for anything else, and slow to load.
        from ..profiler.roofline import draw
    except ImportError as error:
        raise BadInput(str(error)) from None
    draw(path, {name: found.limits})
