"""How much of an FPGA a design needs, by Yosys alone: for families that are not placed and routed here."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from amaranth.lib import wiring

from ..verilog.once import kinds
from .netlist import YOSYS, run_yosys
from .tools import run_tool

__all__ = ["FAMILIES", "Area", "Family", "area_of", "area_of_verilog"]

_TOP, _COUNTS = "top", "area.json"


@dataclass(frozen=True, slots=True)
class Family:
    """A family of devices.

    synthesis : command of Yosys
    resources : what is counted; for types of cells, as expressions, how much of it one needs
    devices : names of devices, and what they have of each resource, in that order
    """

    synthesis: str
    resources: Mapping[str, Mapping[str, float]]
    devices: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Area:
    """What a design needs on a family.

    cells : by their types
    """

    family: Family
    cells: Mapping[str, int]

    @property
    def needs(self) -> dict[str, int]:
        """How much of each resource."""
        return {
            name: -int(
                -sum(
                    n * weight
                    for cell, n in self.cells.items()
                    for kind, weight in types.items()
                    if re.fullmatch(kind, cell)
                )
                // 1
            )
            for name, types in self.family.resources.items()
        }

    def lines(self) -> Iterator[str]:
        """The table in Markdown, and which devices have room."""
        devices = self.family.devices
        yield f"| {'resource':22} | {'needs':>8} |" + "".join(f" {name:>10} |" for name in devices)
        yield f"|{'-' * 24}|{'-' * 9}:|" + "-----------:|" * len(devices)
        for place, (name, count) in enumerate(self.needs.items()):
            yield f"| {name:22} | {count:8,} |" + "".join(f" {has[place]:10,} |" for has in devices.values())
        yield ""
        for name, has in devices.items():
            lacks = [what for (what, count), there in zip(self.needs.items(), has, strict=True) if count > there]
            yield f"{name}: {'does not fit: too few ' + ', '.join(lacks) if lacks else 'fits, before placement'}"


_LUT, _FF, _DSP = "LUTs", "flip-flops", "DSPs"
#: Devices: data sheets DS180 of Xilinx, FPGA-DS-02008 and FPGA-DS-02029 of Lattice, DS102, DS1103 and DS981 of Gowin. LUT-RAMs count
#: as the LUTs that hold them. Multipliers of Gowin's older family count as they are, of the newer one as DSPs.
FAMILIES = {
    "xc7": Family(
        "synth_xilinx -family xc7 -flatten",
        {
            _LUT: {"LUT[1-6]|SRL16E": 1, "RAM32X1D|RAM64X1D": 2, "RAM(32|64)M": 4},
            _FF: {"FD[RSCP]E": 1},
            "block RAMs of 36 Kbit": {"RAMB36E1": 1, "RAMB18E1": 0.5},
            _DSP: {"DSP48E1": 1},
        },
        {"XC7A35T": (20_800, 41_600, 50, 90), "XC7A100T": (63_400, 126_800, 135, 240)},
    ),
    "ice40": Family(
        "synth_ice40 -dsp",
        {_LUT: {"SB_LUT4": 1}, _FF: {"SB_DFF.*": 1}, "block RAMs of 4 Kbit": {"SB_RAM40.*": 1}, _DSP: {"SB_MAC16": 1}},
        {"UP5K": (5_280, 5_280, 30, 8), "HX8K": (7_680, 7_680, 32, 0)},
    ),
    "gw2a": Family(
        "synth_gowin -family gw2a",
        {
            _LUT: {"LUT[1-4]|ALU": 1, "RAM16S.*[14]": 4},
            _FF: {"DFF.*": 1},
            "block RAMs of 18 Kbit": {"(SDP|SP|DP|pROM).*": 1},
            "multipliers of 18 bits": {"MULT18X18": 1, "MULT9X9": 0.5, "MULT36X36": 4},
        },
        {"GW2A-18": (20_736, 15_552, 46, 48)},
    ),
    "gw5a": Family(
        "synth_gowin -family gw5a",
        {
            _LUT: {"LUT[1-4]|ALU": 1, "RAM16S.*[14]": 4},
            _FF: {"DFF.*": 1},
            "block RAMs of 18 Kbit": {"(SDP|SP|DP|pROM).*": 1},
            _DSP: {"MULT.*": 1},
        },
        {"GW5A-25": (23_040, 23_040, 56, 28), "GW5AT-138": (138_240, 138_240, 340, 298)},
    ),
}


def area_of(part: wiring.Component, family: str, folder: Path) -> Area:
    """What `part` needs. The files of Yosys are in `folder`. Raises `BadInput` if it fails."""
    run_yosys("".join(kinds(part, _TOP)), _TOP, _script(family), folder)
    return _read(family, folder)


def area_of_verilog(text: str, family: str, folder: Path) -> Area:
    """What the module `top` in Verilog needs. The files of Yosys are in `folder`. Raises `BadInput` if it fails."""
    (folder / "top.v").write_text(text, encoding="utf-8")
    script = f"read_verilog top.v\n{_script(family)}"
    (folder / "area.ys").write_text(script, encoding="utf-8")
    run_tool(YOSYS, "-q", "-l", "area.log", "-s", "area.ys", folder=folder)
    return _read(family, folder)


def _script(family: str) -> str:
    return f"{FAMILIES[family].synthesis} -top {_TOP}\ntee -q -o {_COUNTS} stat -json\n"


def _read(family: str, folder: Path) -> Area:
    text = (folder / _COUNTS).read_text(encoding="utf-8")
    return Area(FAMILIES[family], json.loads(text[text.index("{") :])["design"]["num_cells_by_type"])
