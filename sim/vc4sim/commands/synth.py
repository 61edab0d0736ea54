"""`vc4 synth`: area and speed on an FPGA."""

import argparse
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from ..children import side_by_side
from ..problem import ExitStatus
from ..synth.figures import Figures
from ..synth.netlist import YOSYS, synthesise
from ..synth.route import place_and_route
from ..synth.targets import PARTS, TARGETS
from ..synth.tools import tool_version
from .options import Commands, add_config, config_of, integer

__all__ = ["register"]

_MOST_MHZ = 1000


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parts = "; ".join(f"{name}: {part.doc}" for name, part in PARTS.items())
    parser = commands.add_parser(
        "synth",
        help="measure area and speed on an FPGA",
        description="Synthesise, place and route a part of the GPU with Yosys and nextpnr, once for each seed, and print "
        "the cells that it needs, the clock that it reaches and its slowest path. A median clock below the one that is "
        "asked for is a failure. What it does, with which tools, goes to the standard error; it takes some minutes a seed.",
        epilog="The tools: pip install 'vc4-rtl[fpga]'",
    )
    add_config(parser)
    parser.add_argument("--part", choices=PARTS, default="qpu", help=f"what is measured (default: qpu). {parts}")
    parser.add_argument("--target", choices=TARGETS, default="ecp5-85", help="device (default: ecp5-85)")
    parser.add_argument(
        "--freq",
        type=integer(1, _MOST_MHZ),
        default=60,
        metavar="MHZ",
        help="clock that it must reach (default: 60)",
    )
    parser.add_argument(
        "--seeds",
        type=integer(1, 100),
        default=3,
        metavar="N",
        help="place and route with the seeds 1 to N (default: 3)",
    )
    parser.add_argument(
        "-j", "--jobs", type=integer(1, 64), default=2, metavar="N", help="seeds at the same time (default: 2)"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures as JSON")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep the files of the tools here")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    target, part = TARGETS[options.target], PARTS[options.part]
    with _folder(options.keep) as folder:
        # A tool that is missing should be missed at once.
        _say("looking for the tools; their first start on a machine takes a minute")
        tools = [tool_version(name, folder) for name in (YOSYS, target.tool)]
        _say(*tools)
        with (
            tqdm(total=1 + options.seeds, disable=not sys.stderr.isatty(), leave=False, desc="synthesis") as progress,
            side_by_side(options.jobs) as pool,
        ):
            _say(f"synthesis of {part.doc} (`{options.part}` of `{options.config}`)")
            start = time.monotonic()
            netlist = synthesise(part.build(config_of(options)), folder)
            progress.update()
            progress.set_description("place and route")
            _say(f"{sum(netlist.part.values()):,} cells of Yosys after {_since(start)}; place and route, {target.doc}")
            start = time.monotonic()
            runs = []
            for run in pool.map(
                lambda seed: place_and_route(target, folder, seed, options.freq), range(1, options.seeds + 1)
            ):
                runs.append(run)
                progress.update()
                _say(f"seed {run.seed}: {run.mhz:.1f} MHz after {_since(start)}")
    figures = Figures(
        options.config,
        (options.part, part),
        (options.target, target),
        options.freq,
        tools,
        netlist,
        runs,
    )
    print("\n".join(figures.lines()))
    if options.json:
        command = f"vc4 {shlex.join(options.arguments)}"
        options.json.write_text(json.dumps(figures.as_json(command), indent=1) + "\n", encoding="utf-8")
    return ExitStatus.PASS if figures.reached else ExitStatus.DIFFERS


def _say(*lines: str) -> None:
    """What is being done, beside the bar that shows how far it is."""
    for line in lines:
        tqdm.write(line, file=sys.stderr)


def _since(start: float) -> str:
    return f"{time.monotonic() - start:.0f} s"


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    """Where the tools work."""
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
