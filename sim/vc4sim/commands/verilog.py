"""`vc4 verilog`: the GPU as Verilog."""

import argparse
from pathlib import Path

from vc4.v3d_axi import V3DAxi

from ..notice import said_if_slow
from ..problem import ExitStatus
from ..synth.export import export_cells
from ..verilog import TOP, export
from ..verilog.bench import PROGRAM, bench_files
from ..workload import load_example
from .options import Commands, add_config, config_of

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "verilog",
        help="export the GPU as Verilog",
        description="Export the GPU as Verilog, with the top module v3d: registers on AXI4-Lite (s_axil_*), memory on AXI4 "
        "(m_axi_*), clk, rst and irq. The assertions and the trace port are for simulation, and are left out.",
    )
    add_config(parser)
    parser.add_argument(
        "--cells",
        choices=["ecp5"],
        help="not the RTL, but what Yosys makes of it: cells of an FPGA, and after them a model of each kind of cell, for "
        "simulators; it takes minutes. The tool: pip install 'vc4-rtl[fpga]'",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", metavar="FILE", type=Path, help="file to write (default: standard output)")
    where.add_argument(
        "--bench",
        metavar="FOLDER",
        type=Path,
        help=f"write it to FOLDER, with a bench for Icarus Verilog: a host, a memory with the program {PROGRAM}, and a "
        "Makefile; `make -C FOLDER` runs it",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    with said_if_slow(f"exporting {options.config}"):
        config = config_of(options)
        text = export_cells(V3DAxi(config), TOP) if options.cells else export(config)
    if options.bench:
        options.bench.mkdir(parents=True, exist_ok=True)
        for name, content in bench_files(text, load_example(PROGRAM)).items():
            (options.bench / name).write_text(content, encoding="utf-8")
    elif options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return ExitStatus.PASS
