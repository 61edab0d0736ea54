"""From a design on a board to its bitstream, with tools from PyPI."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..children import side_by_side
from ..problem import BadInput
from ..synth.netlist import synthesise_design
from ..synth.route import Routed, place_and_route
from ..synth.targets import Target, ecp5
from ..synth.tools import run_tool
from .design import TOP, Design

__all__ = ["PACKER", "pack", "place_seeds", "synthesise_board", "target_of"]

PACKER = "yowasp-ecppack"
#: What nextpnr calls the devices, and how many LUTs they have.
_DEVICES = {"LFE5U-85F": "85k", "LFE5UM5G-85F": "um5g-85k"}
_LUTS = 83_640


def target_of(design: Design) -> Target:
    """The device of a board, as nextpnr wants to know it."""
    platform = design.platform
    package = platform.package.replace("BG", "CABGA")
    return ecp5(_DEVICES[platform.device], platform.speed, package, f"{platform.device}, speed grade {platform.speed}")


def synthesise_board(design: Design, folder: Path) -> int:
    """Makes cells of it, in `folder`; returns how many LUTs only leave room. Raises `BadInput` if Yosys fails."""
    (folder / f"{TOP}.lpf").write_text(design.files[f"{TOP}.lpf"], encoding="utf-8")
    verilog = {name: design.files[name] for name in design.verilog}
    return synthesise_design(design.files[f"{TOP}.il"], folder, _LUTS, verilog)


def place_seeds(design: Design, folder: Path, mhz: float, seeds: int, jobs: int) -> Iterator[Routed]:
    """Places and routes the cells with the seeds from 1 on, `jobs` at a time. Raises `BadInput` if nextpnr fails."""
    target = target_of(design)

    def route(seed: int) -> Routed:
        return place_and_route(target, folder, seed, mhz, ("--lpf", f"{TOP}.lpf", "--textcfg", f"seed_{seed}.config"))

    with side_by_side(jobs) as pool:
        yield from pool.map(route, range(1, seeds + 1))


def pack(run: Routed, folder: Path, output: Path) -> None:
    """Writes the bitstream of a run in `folder` to the file `output`, as a whole or not at all."""
    run_tool(PACKER, "--compress", "--input", f"seed_{run.seed}.config", "--bit", f"{TOP}.bit", folder=folder)
    made = folder / f"{TOP}.bit"
    if not made.stat().st_size:
        raise BadInput(f"{PACKER} has made an empty bitstream")
    beside = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        shutil.copyfile(made, beside)
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)
