"""`vc4 synth`: area and speed on an FPGA."""

import argparse
import json
import shlex
import sys
import time
from pathlib import Path

from tqdm import tqdm

from ..children import side_by_side
from ..problem import BadInput, ExitStatus
from ..synth.area import FAMILIES, area_of
from ..synth.figures import Figures
from ..synth.netlist import YOSYS, synthesise
from ..synth.route import place_and_route
from ..synth.targets import PARTS, TARGETS
from .options import Commands, add_config, add_routing, config_of, integer
from .tools import say, since, versions_of, work_folder

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
    add_routing(parser)
    parser.add_argument(
        "--area",
        choices=FAMILIES,
        help="only count the cells of another family with Yosys, and say which of its devices have room",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures as JSON")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep the files of the tools here")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    if options.area:
        return _area(options)
    target, part = TARGETS[options.target], PARTS[options.part]
    part.check(config := config_of(options))
    with work_folder(options.keep) as folder:
        tools = versions_of([YOSYS, target.tool], folder)
        with (
            tqdm(total=1 + options.seeds, disable=not sys.stderr.isatty(), leave=False, desc="synthesis") as progress,
            side_by_side(options.jobs) as pool,
        ):
            say(f"synthesis of {part.doc} (`{options.part}` of `{options.config}`)")
            start = time.monotonic()
            netlist = synthesise(part.build(config), folder)
            progress.update()
            progress.set_description("place and route")
            say(f"{sum(netlist.part.values()):,} cells of Yosys after {since(start)}; place and route, {target.doc}")
            start = time.monotonic()
            runs = []
            for run in pool.map(
                lambda seed: place_and_route(target, folder, seed, options.freq), range(1, options.seeds + 1)
            ):
                runs.append(run)
                progress.update()
                say(f"seed {run.seed}: {run.mhz:.1f} MHz after {since(start)}")
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


def _area(options: argparse.Namespace) -> int:
    if options.json:
        raise BadInput("--json is for what is placed and routed, not for --area")
    part = PARTS[options.part]
    part.check(config := config_of(options))
    with work_folder(options.keep) as folder:
        (tool,) = versions_of([YOSYS], folder)
        say(f"synthesis of {part.doc} (`{options.part}` of `{options.config}`)")
        area = area_of(part.build(config), options.area, folder)
    print(f"{part.doc} (`{options.part}` of `{options.config}`), by {FAMILIES[options.area].synthesis}, with {tool}\n")
    print("\n".join(area.lines()))
    return ExitStatus.PASS
