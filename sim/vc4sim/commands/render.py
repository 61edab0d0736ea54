"""`vc4 render`: captured frames as pictures."""

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

from vc4.config import PRESETS, preset
from vc4.regs.counters import SOURCES

from ..clist import Capture, CaptureJob, load_capture
from ..lockstep.difference import Difference
from ..problem import BadInput, ExitStatus
from ..render.host import Host
from ..render.picture import Picture, compare, difference_picture, expected_picture, is_top_first, picture_of, save
from ..workload.example import frame_folder
from .engines import ENGINES, check_engine, wanted_waves
from .options import Commands, add_memory, integer, vcd_file, window

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
_MOST_PIXELS = 1 << 16
#: What `--stats` counts on the RTL.
_COUNTED = tuple(
    source.name
    for source in SOURCES
    if source.name.startswith(("FEP", "PSE", "TLB", "QPU_CLOCKS", "QPU_STALLS")) and not source.name.endswith("COVERED")
)


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
    parser.add_argument(
        "--config", choices=PRESETS, default="gpu", help="configuration of the GPU, on the RTL (default: gpu)"
    )
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
        "--tile", metavar="X,Y", type=_tile, help="draw only this tile of the last job, and compare only that"
    )
    parser.add_argument("--stats", action="store_true", help="print what there was to do, and how long it took")
    parser.set_defaults(execute=_render)


def _render(options: argparse.Namespace) -> int:
    check_engine(options)
    capture = load_capture(frame_folder(options.case))
    if ENGINES[options.on].is_rtl:
        return _render_rtl(capture, options)
    host = Host(capture, preset(_CONFIG))
    start = time.perf_counter()
    _draw(host, capture, options.tile)
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
    return _verdict(capture, picture, options.output, lambda rows: _window(host, rows))


def _render_rtl(capture: Capture, options: argparse.Namespace) -> int:
    """The same by the RTL; the model bins."""
    from ..frames.host import DrawHost  # it takes a second: who wants the model need not wait for that

    if options.tile:
        raise BadInput(f"--tile is not for {options.on}: add --on model")
    config = dataclasses.replace(preset(options.config), lists=True, pixels=True)
    memory = {name: getattr(options, name) for name in ("latency", "gap", "seed", "max_cycles")}
    host = DrawHost(capture, config, options.on, counted=_COUNTED if options.stats else (), **memory)
    same = 0
    for job in tqdm(capture.jobs, unit=" jobs", disable=not sys.stderr.isatty(), leave=False):
        waves = wanted_waves(options) if job is capture.jobs[-1] else None
        try:
            drawn = host.run(job, lockstep=options.lockstep, waves=waves)
        except Difference as difference:
            print(f"DIFFERENCE in {capture.name}, {job.name}, seed {options.seed}: {difference}")
            return ExitStatus.DIFFERS
        if drawn is None:
            continue
        run, beside = drawn
        same += beside.retired if beside else 0
        print(f"{capture.name}, {job.name}: {run.cycles} cycles, {run.instructions} instructions")
        if options.stats:
            print("\n".join(f"  {count:10}  {name.lower()}" for name, count in run.counts.items()))
    picture = picture_of(capture, host.memory)
    if options.output:
        save(picture, options.output, top_first=is_top_first(capture))
    if options.lockstep:
        print(f"lockstep: {same} instructions and all memory, no difference")
    print(f"{capture.name}: {picture.shape[1]} by {picture.shape[0]} pixels")
    return _verdict(capture, picture, options.output, lambda rows: rows) if options.compare else ExitStatus.PASS


def _draw(host: Host, capture: Capture, tile: tuple[int, int] | None) -> None:
    """All jobs, with progress on a terminal."""
    with tqdm(
        total=sum(map(_tiles, capture.jobs)), unit=" tiles", disable=not sys.stderr.isatty(), leave=False
    ) as progress:
        done = 0
        for job in capture.jobs:
            if job is capture.jobs[-1]:
                host.gpu.renderer.only = tile
            for begun in host.run(job):
                progress.update(done + begun - progress.n)
            done += len(host.gpu.renderer.tiles)


def _tiles(job: CaptureJob) -> int:
    """Tiles of a job, as far as the case says."""
    count = 1
    for side in ("width", "height"):
        frame, tile = f"frame_{side}", f"tile_{side}"
        if frame not in job.details or tile not in job.details:
            return 0
        count *= -(-job.details.integer(frame, 1, _MOST_PIXELS) // job.details.integer(tile, 1, _MOST_PIXELS))
    return count


def _window(host: Host, picture: Picture) -> Picture:
    """The part of a picture, or of anything with rows and columns, that was to be drawn."""
    only, shape = host.gpu.renderer.only, host.gpu.renderer.tile.shape
    if only is None:
        return picture
    column, row = only
    rows = slice(row * shape.height, (row + 1) * shape.height)
    return picture[rows, column * shape.width : (column + 1) * shape.width]


def _verdict(
    capture: Capture, picture: Picture, path: Path | None, part: Callable[[np.ndarray], np.ndarray]
) -> ExitStatus:
    """Compare `part` of it, and say how it went."""
    comparison = compare(capture, picture, expected_picture(capture))
    if path:
        name = path.with_name(f"{path.stem}-difference{path.suffix}")
        save(difference_picture(comparison), name, top_first=is_top_first(capture))
    bad = part(comparison.bad)
    passes = np.count_nonzero(bad) <= comparison.most
    word = "PASS" if passes else "FAIL"
    print(f"{word} {capture.name}: {np.count_nonzero(bad)} bad pixels of {bad.size}, at most {comparison.most}")
    return ExitStatus.PASS if passes else ExitStatus.DIFFERS


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
