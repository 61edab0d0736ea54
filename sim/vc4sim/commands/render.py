"""`vc4 render`: captured frames as pictures."""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from vc4.regs.counters import SOURCES

from ..clist import Capture, load_capture
from ..problem import BadInput, ExitStatus
from ..render.host import Host
from ..render.picture import Picture, is_top_first, picture_of, save
from ..render.sizes import tiles_of
from ..timeline.model_frames import ModelFrameTimeline
from ..workload.example import frame_folder
from .engines import ENGINES, check_engine, wanted_timeline
from .frames import verdict
from .options import Commands, add_config, add_memory, add_timeline, config_of, integer, vcd_file, window
from .render_rtl import render_rtl

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
_CONFIG = "bcm2835"
_LABEL = 60
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
    add_config(parser, "gpu", "on the RTL (default: {})")
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
    parser.add_argument(
        "--max-cycles",
        type=integer(1, (1 << 31) - 1),
        default=50_000_000,
        metavar="N",
        help="give up a job after N clocks (default: 50000000)",
    )
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
    capture = load_capture(frame_folder(options.case))
    if ENGINES[options.on].is_rtl:
        return render_rtl(capture, options)
    host = Host(capture, config_of(options, _CONFIG))
    start = time.perf_counter()
    with wanted_timeline(options, options.case, lambda file: ModelFrameTimeline(file, host.gpu)) as timeline:
        _draw(host, capture, options.tile, timeline)
    seconds = time.perf_counter() - start
    picture = picture_of(capture, host.memory)
    if options.tile and not _window(host, picture)[..., 0].size:
        raise BadInput(f"{capture.name}: has no tile {options.tile[0]},{options.tile[1]}")
    if options.output:
        save(picture, options.output, top_first=is_top_first(capture))
    if options.stats:
        print("\n".join(_statistics(host, seconds)))
    print(f"{capture.name}: {picture.shape[1]} by {picture.shape[0]} pixels")
    if not options.compare:
        return ExitStatus.PASS
    return verdict(capture, picture, options.output, lambda rows: _window(host, rows))


def _draw(host: Host, capture: Capture, tile: tuple[int, int] | None, timeline: ModelFrameTimeline | None) -> None:
    """All jobs, with progress on a terminal."""
    binned = timeline.end_binning if timeline else lambda: None
    with tqdm(
        total=sum(map(tiles_of, capture.jobs)), unit=" tiles", disable=not sys.stderr.isatty(), leave=False
    ) as progress:
        done = 0
        for job in capture.jobs:
            if job is capture.jobs[-1]:
                host.gpu.renderer.only = tile
            for begun in host.run(job, binned=binned):
                progress.update(done + begun - progress.n)
            if timeline:
                timeline.end_job(job.name)
            done += len(host.gpu.renderer.tiles)


def _window(host: Host, picture: Picture) -> Picture:
    """The part of a picture, or of anything with rows and columns, that was to be drawn."""
    only, shape = host.gpu.renderer.only, host.gpu.renderer.tile.shape
    if only is None:
        return picture
    column, row = only
    rows = slice(row * shape.height, (row + 1) * shape.height)
    return picture[rows, column * shape.width : (column + 1) * shape.width]


def _statistics(host: Host, seconds: float) -> Iterator[str]:
    """What the frame took."""
    renderer, binner = host.gpu.renderer, host.gpu.binner
    fragments = renderer.fragments
    rows = [
        ("vertices shaded", binner.shading.shaded + renderer.screen.shading.shaded),
        ("their instructions", binner.shading.shaders.instructions + renderer.screen.shading.shaders.instructions),
        ("vectors of fragments", fragments.vectors),
        ("their instructions", host.gpu.fragment_shader.shaders.instructions),
    ]
    events = host.gpu.events
    rows += [(source.description, events[source.name]) for source in SOURCES if events[source.name]]
    for label, count in rows:
        yield f"{label:{_LABEL}}{count:>9}"
    yield f"{'seconds':{_LABEL}}{seconds:>9.1f}"
