"""`vc4 verilog`: the GPU as Verilog."""

import argparse
from pathlib import Path

from vc4.config import preset

from ..notice import said_if_slow
from ..problem import ExitStatus
from ..verilog import export
from .options import Commands, add_config

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
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="file to write (default: standard output)")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    with said_if_slow(f"exporting {options.config}"):
        text = export(preset(options.config))
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return ExitStatus.PASS
