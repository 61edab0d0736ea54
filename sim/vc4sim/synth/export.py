"""A component as cells of an FPGA, which any simulator of Verilog runs."""

import tempfile
from pathlib import Path

from amaranth.lib import wiring

from .models import models_of
from .netlist import verilog_of

__all__ = ["export_cells"]


def export_cells(component: wiring.Component, name: str) -> str:
    """What Yosys makes of `component` for an ECP5, as Verilog, and after it a model of each kind of cell.

    The module has the ports that it has in `vc4sim.verilog.export_component`, so that it can stand in that one's place.
    Raises `BadInput` if Yosys is not installed or fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        netlist = verilog_of(component, name, Path(folder))
    return f"{netlist}\n{models_of(netlist)}"
