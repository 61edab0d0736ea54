"""Options of `vc4 run` and `vc4 debug` that say what to run, and what it is given: launches with their uniforms, and memory."""

import argparse
import dataclasses
from pathlib import Path

from vc4.config import MAX_QPUS

from ..problem import BadInput
from ..workload import Start, Workload, example_names, load_case, load_example, load_source
from ..workload.array_type import ELEMENTS
from ..workload.example import frame_folder, is_frame
from ..workload.files import STDIN
from ..workload.memory import ADDRESSES, ALIGNMENT, PROGRAM_ADDRESS
from .options import add_includes, integer

__all__ = ["add_given", "add_qpus", "given_frame", "given_workload"]


def add_given(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "--uniform",
        action=_AddUniform,
        metavar="V",
        help="next uniform of a program: an integer, a float with a dot, or &NAME or &NAME+BYTES for an address: NAME is a "
        "buffer, a label, or program; write --uniform=V if it begins with a minus sign",
    )
    parser.add_argument(
        "--launch",
        action=_AddLaunch,
        metavar="PC[,UNIFORMS]",
        help="run the program from PC on, a label or an address like those of --uniform, with the uniforms that lie at "
        "UNIFORMS, or those that follow; may be given several times: all run at the same time",
    )
    parser.add_argument(
        "--buffer",
        action="append",
        default=[],
        metavar="NAME[@ADDRESS]=TYPE:SHAPE",
        help=f"memory of a program, shown at the end: zeros of a TYPE, {' '.join(ELEMENTS)}, in a SHAPE like 64 or 16x16; "
        "or what a file holds: @FILE.npy, an array of NumPy, or TYPE:@FILE; or what has no type: BYTES zeros, or @FILE",
    )
    parser.add_argument(
        "--base",
        type=_base,
        default=PROGRAM_ADDRESS,
        metavar="ADDRESS",
        help=f"where a program lies, a multiple of 64 (default: {PROGRAM_ADDRESS:#x})",
    )
    parser.add_argument(
        "--load", action="append", default=[], metavar="FILE@ADDRESS", help="put what a file holds into memory"
    )
    add_includes(parser)
    parser.set_defaults(starts=(), launched=False)


def add_qpus(parser: argparse.ArgumentParser) -> None:
    """The option that says how many QPUs run it."""
    parser.add_argument(
        "--qpus",
        type=integer(1, MAX_QPUS),
        metavar="N",
        help="run a program or an example on N QPUs at once, all with the same uniforms; of a case, or of launches, at most "
        "N at once (default: 1; of a case, as many as it says; of launches, all)",
    )


def _starts(options: argparse.Namespace) -> tuple[Start, ...]:
    """The launches of a program: those that `options` have, or one that begins with its first instruction."""
    return options.starts or (Start(),)


def given_workload(options: argparse.Namespace) -> Workload:
    """What the user has named, for as many QPUs as asked for; the names of examples come first."""
    what, examples, copies = options.what, example_names(), options.qpus or 1
    is_example = what in examples
    if not is_example and (what == STDIN or Path(what).is_file()):
        starts = _starts(options)
        found = load_source(what, starts, options.buffer, options.load, base=options.base, folders=options.folders)
        return _copied(found, copies) if not options.launched else _at_once(found, options.qpus)
    if options.starts or options.buffer or options.load:
        raise BadInput(f"{what}: --uniform, --launch, --buffer and --load are for assembly files and words")
    if is_example:
        return _copied(load_example(what), copies)
    if Path(what).is_dir():
        return _at_once(load_case(Path(what)), options.qpus)
    raise BadInput(f"{what}: no assembly file, words, case directory, or example ({', '.join(examples)})")


def given_frame(options: argparse.Namespace) -> Path | None:
    """The folder of the frame that the user has named, if it is one; the names of programs come first. Raises `BadInput` for options
    of programs.
    """
    folder = frame_folder(Path(options.what))
    if options.what in example_names() or not is_frame(folder):
        return None
    if options.starts or options.buffer or options.load or options.qpus:
        raise BadInput(f"{options.what}: --uniform, --launch, --buffer, --load and --qpus are for programs")
    return folder


def _at_once(workload: Workload, qpus: int | None) -> Workload:
    """At most so many programs at the same time, if it is said how many."""
    return dataclasses.replace(workload, qpus=qpus or workload.qpus)


def _copied(workload: Workload, copies: int) -> Workload:
    """The same program on several QPUs at once."""
    return dataclasses.replace(workload, launches=workload.launches * copies, qpus=copies)


def _base(text: str) -> int:
    """Type of an option: the address of a program."""
    address = integer(0, ADDRESSES - ALIGNMENT)(text)
    if address % ALIGNMENT:
        raise argparse.ArgumentTypeError(f"must be a multiple of {ALIGNMENT}, not {text!r}")
    return address


class _AddLaunch(argparse.Action):
    """Begins a launch."""

    def __call__(self, parser, namespace, values, option_string=None):
        """Add it."""
        if namespace.starts and not namespace.launched:
            raise argparse.ArgumentError(self, "the uniforms in front of the first one belong to none")
        pc, _, place = str(values).partition(",")
        namespace.starts, namespace.launched = (*namespace.starts, Start(pc, place)), True


class _AddUniform(argparse.Action):
    """Gives the launch before it a uniform, or the one that begins with the first instruction."""

    def __call__(self, parser, namespace, values, option_string=None):
        """Add it."""
        *before, last = _starts(namespace)
        namespace.starts = (*before, dataclasses.replace(last, uniforms=(*last.uniforms, str(values))))
