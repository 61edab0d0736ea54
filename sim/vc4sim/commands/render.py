"""`vc4 render`: captured frames as pictures."""

import argparse
import sys
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..backends.engines import ENGINES
from ..clist import load_capture
from ..library.draw import draw
from ..library.frame import Frame
from ..lockstep import Difference
from ..problem import BadInput, ExitStatus
from ..render.picture import difference_picture, save
from ..render.sizes import tiles_of
from ..workload.example import frame_folder
from .engines import check_engine, setup_of, wanted_waves
from .options import Commands, add_config, add_max_cycles, add_memory, add_timeline, vcd_file, window

__all__ = ["register"]

_DESCRIPTION = """\
Draw a captured frame: registers, control lists and memory go in, a picture comes out.
CASE is a directory with case.json and the memory that it names, or a frame of `vc4 examples`.
"""
_EPILOG = """\
exit status:
  0  the picture is there, and as it should be
  1  more pixels are off than the case allows (--compare), or RTL and model differ (--lockstep)
  2  the input is wrong, or the frame cannot be drawn
"""
_MOST_TILES = 256


def _tile(text: str) -> tuple[int, int]:
    """Type of an option: column and row of a tile."""
    column, comma, row = text.partition(",")
    if not (comma and column.isdecimal() and row.isdecimal() and max(int(column), int(row)) < _MOST_TILES):
        raise argparse.ArgumentTypeError(f"must be a column and a row like 1,0, not {text!r}")
    return int(column), int(row)


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "render",
        help="draw a captured frame",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("case", metavar="CASE", type=Path, help="directory with case.json, or example")
    parser.add_argument("--on", choices=ENGINES, default="model", help="what draws it (default: model)")
    add_config(parser, None, "on the RTL (default: gpu; a board has its own)")
    parser.add_argument(
        "--lockstep", action="store_true", help="on the RTL: compare every instruction, and all memory, with the model"
    )
    parser.add_argument(
        "--waves", metavar="FILE.vcd", type=vcd_file, help="write waves of the last job, and FILE.gtkw beside"
    )
    parser.add_argument(
        "--window", type=window, metavar="FIRST:LAST", help="of the waves, only these clocks, without LAST"
    )
    add_memory(parser, "decides the pauses of memory")
    add_max_cycles(parser, 50_000_000, "give up a job after N clocks")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the picture, a PNG file")
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare it with what the case expects; with -o FILE.png the differences go to FILE-difference.png",
    )
    parser.add_argument(
        "--tile",
        metavar="X,Y",
        type=_tile,
        help="draw only this tile of the last job, and compare only that; on the RTL: only its clocks, for --waves and --stats",
    )
    add_timeline(parser)
    parser.add_argument("--stats", action="store_true", help="print what there was to do, and how long it took")
    parser.set_defaults(execute=_render)


def _render(options: argparse.Namespace) -> int:
    check_engine(options)
    if options.tile and options.window:
        raise BadInput("--tile says which clocks: leave --window out")
    is_rtl = ENGINES[options.on].is_rtl
    capture = load_capture(frame_folder(options.case))
    setup = setup_of(options, options.config if is_rtl else None)
    try:
        with tqdm(
            total=sum(map(tiles_of, capture.jobs)), unit=" tiles", disable=not sys.stderr.isatty(), leave=False
        ) as bar:
            frame = draw(
                capture,
                setup,
                tile=options.tile,
                waves=wanted_waves(options),
                timeline=options.timeline,
                progress=lambda tiles: bar.update(tiles - bar.n),
            )
    except Difference as difference:
        print(f"DIFFERENCE in {'; '.join(difference.__notes__)}, seed {options.seed}: {difference}")
        return ExitStatus.DIFFERS
    if options.output:
        save(frame.picture, options.output, top_first=frame.is_top_first)
    if options.stats:
        print(frame)
    elif is_rtl:
        print(*frame.jobs, sep="\n")
    if options.lockstep:
        print(f"lockstep: {frame.compared} instructions and all memory, no difference")
    print(f"{capture.name}: {frame.picture.shape[1]} by {frame.picture.shape[0]} pixels")
    return _verdict(frame, options.output) if options.compare else ExitStatus.PASS


def _verdict(frame: Frame, path: Path | None) -> ExitStatus:
    """Compare what was drawn with what is expected, and say how it went."""
    comparison = frame.compare()
    if path:
        name = path.with_name(f"{path.stem}-difference{path.suffix}")
        save(difference_picture(comparison), name, top_first=frame.is_top_first)
    bad = comparison.bad[frame.window]
    passes = np.count_nonzero(bad) <= comparison.most
    said = f"{np.count_nonzero(bad)} bad pixels of {bad.size}, at most {comparison.most}"
    print(f"{'PASS' if passes else 'FAIL'} {frame.capture.name}: {said}")
    return ExitStatus.PASS if passes else ExitStatus.DIFFERS
