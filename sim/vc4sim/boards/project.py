"""A project for Vivado."""

from collections.abc import Mapping

from amaranth import Elaboratable

from vc4.boards.board import Board

from .design import TOP, Design, design_of

__all__ = ["VERILOG", "project_files", "project_of"]

VERILOG = f"{TOP}.v"
#: Of the files of Amaranth, those that a project needs, and what they are called in it.
_FILES = {VERILOG: VERILOG, f"{TOP}.xdc": f"{TOP}.xdc", "paths.xdc": "paths.xdc", f"{TOP}.tcl": "build.tcl"}
#: Nothing waits for what comes from a host and goes to one, or for lights: they have no clock in common with anybody.
_PATHS = """\
set_false_path -from [get_ports -filter {DIRECTION == IN && NAME !~ clk*}]
set_false_path -to [get_ports -filter {DIRECTION == OUT}]
"""
#: A design that is too slow ends the script before there is a bitstream.
_CHECK = """
phys_opt_design
if {[get_property SLACK [get_timing_paths -delay_type max]] < 0} {
    error "the clock is missed"
}
if {[get_property SLACK [get_timing_paths -delay_type min]] < 0} {
    error "a hold time is missed"
}
"""


def project_of(board: Board, top: Elaboratable) -> Design:
    """`top` for Vivado. Raises `BadInput` as `design_of` does."""
    return design_of(board, top, {"paths.xdc": _PATHS}, script_after_route=_CHECK)


def project_files(design: Design) -> Mapping[str, str]:
    """Texts by the names of their files; `vivado -mode batch -source build.tcl` makes the bitstream `top.bit` from them."""
    return {name: design.files[made] for made, name in _FILES.items()}
