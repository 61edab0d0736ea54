"""`vc4 waves`: a figure of waves."""

import argparse
from pathlib import Path

from ..problem import BadInput, ExitStatus
from .options import Commands, integer, vcd_file

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "waves",
        help="draw the pipeline out of a VCD file",
        description="Draw the pipeline out of a VCD file that `vc4 run --on pysim --waves` has written: a row for each stage, with "
        "the instructions that pass through it, the quads, and the reasons of stalls.",
        epilog="For example: vc4 run coordinate_shader --on pysim --waves run.vcd && vc4 waves run.vcd -o run.svg",
    )
    clock = integer(0, (1 << 31) - 1)
    parser.add_argument("vcd", metavar="FILE.vcd", type=vcd_file, help="waves of a run")
    parser.add_argument(
        "-o", "--output", metavar="FIGURE", type=Path, required=True, help="file to write: .svg or .png"
    )
    parser.add_argument(
        "--from", dest="first", metavar="CLOCK", type=clock, help="first clock (default: of the first instruction)"
    )
    parser.add_argument("--to", dest="last", metavar="CLOCK", type=clock, help="last clock (default: 40 clocks in all)")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    if not options.vcd.is_file():
        raise BadInput(f"{options.vcd}: there is no such file")
    if _has_gpu_only(options.vcd):
        raise BadInput(f"{options.vcd}: waves of --on cxxrtl do not have the pipeline: write them with --on pysim")
    try:
        # Matplotlib is not needed for anything else, and slow to load.
        from ..waves.figure import render
    except ImportError as error:
        raise BadInput(str(error)) from None
    render(options.vcd, options.output, first=options.first, last=options.last)
    return ExitStatus.PASS


def _has_gpu_only(path: Path) -> bool:
    """Whether a VCD file has the GPU, but not the probe that sees the pipeline; only Amaranth's simulator has that."""
    scopes = set()
    with path.open(encoding="ascii", errors="replace") as file:
        for line in file:
            match line.split():
                case ["$scope", _, name, *_]:
                    scopes.add(name)
                case ["$enddefinitions", *_]:
                    break
    return "v3d" in scopes and "probe" not in scopes
