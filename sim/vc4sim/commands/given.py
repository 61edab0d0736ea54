"""Options of `vc4 run` that say what a program is given: its launches with their uniforms, and memory."""

import argparse
import dataclasses

from ..workload import Start
from ..workload.layout import ALIGNMENT, PROGRAM_ADDRESS
from .options import add_includes, integer

__all__ = ["add_given", "given_starts"]


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
        metavar="NAME[@ADDRESS]=BYTES",
        help="memory of a program, shown at the end: BYTES zeros, or @FILE for what a file holds",
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


def given_starts(options: argparse.Namespace) -> tuple[Start, ...]:
    """The launches of a program: those that `options` have, or one that begins with its first instruction."""
    return options.starts or (Start(),)


def _base(text: str) -> int:
    """Type of an option: the address of a program."""
    address = integer(0, (1 << 32) - ALIGNMENT)(text)
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
        *before, last = given_starts(namespace)
        namespace.starts = (*before, dataclasses.replace(last, uniforms=(*last.uniforms, str(values))))
