"""The GPU as it is compiled: V3D without what was taken out of it, one of each kind of that, and the bench around.

Taken out is what is there several times, and what has nothing to do in most clocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Fragment, ShapeLike
from amaranth.lib import data, wiring

import vc4
from vc4.config import V3DConfig
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.trace import TracedIssue, TracedQuad
from vc4.slice.sfu_port import SfuResult
from vc4.v3d import V3D

from ..bench.driver import QUEUE, START_OFFSET
from ..bench.gather import Retired
from ..bench.gpu import GRACE_CLOCKS, HOPELESS_STALLS, SHARED_STALLS
from ..cxxrtl.build import Part
from ..cxxrtl.rtlil import Module
from ..cxxrtl.sockets import declaration, ports, take_out, unplug
from ..hierarchy import DIRECTIONS
from ..queues import LEVEL_CLOCKS, Level, access_text, levels_of, ports_of
from ..retired import (
    BUS,
    EVENT_WORDS,
    ITEM,
    KIND_BITS,
    LEVELS,
    QUAD,
    R4_ARRIVED,
    RECORD_WORDS,
    RETIRED,
    SLOT,
    STAGED,
    START_WORDS,
    STARTED,
    WRITTEN,
)

__all__ = ["TRACE", "Gpu", "Kind", "bench_text", "hardware_texts", "program_bench"]

#: The bench looks at the trace ports of the QPUs themselves.
TRACE = ("trace",)
#: Blocks of which each slice has one; without pixels there is no VRI.
_OF_SLICES = ("instruction_cache", "uniform_cache", "sfu", "vri")
#: Large blocks that are there only once, and have nothing to do in most clocks.
_SLEEPERS = ("vpm", "l2c")


@dataclass(frozen=True)
class Kind:
    """What is taken out of the GPU: its name, `count` of them, one of these, and the design of each."""

    name: str
    count: int
    one: wiring.Component
    design: Part


class Gpu:
    """A configured GPU in parts: `v3d`, with a port for each port of all that was taken out of it, and `kinds` of that. Levels of
    queues are ports, too, of the part in which they are. With `only_qpus`, nothing but QPUs is taken out, at which benches look.

    constants : C++ that says what the bench has to know of the configuration
    """

    def __init__(self, config: V3DConfig, *, only_qpus: bool = False):
        whole = V3D(config)
        found = {name: [one for its in whole.slices for one in getattr(its, f"{name}s")] for name in ("qpu", "tmu")}
        found |= {name: [one for its in whole.slices if (one := getattr(its, name))] for name in _OF_SLICES}
        found |= {name: [getattr(whole, name)] for name in _SLEEPERS}
        found = {name: its for name, its in found.items() if its and (name == "qpu" or not only_qpus)}
        levels = levels_of(config, apart=found)
        self.kinds = tuple(_take_out(name, components, levels) for name, components in found.items())
        self.constants = f"constexpr size_t TAG_BITS = {whole.bus.signature.tag_bits};\n" + access_text(levels)
        sockets = "".join(declaration(kind.one, kind.name) for kind in self.kinds)
        self.v3d = Part(_rtlil(whole, "v3d", levels) + sockets, self._unplug)

    def _unplug(self, flat: Module) -> None:
        for kind in self.kinds:
            unplug(flat, kind.one, kind.name, without=TRACE)


def _take_out(name: str, components: Sequence[wiring.Component], levels: Sequence[Level]) -> Kind:
    kind = Kind(name, len(components), components[0], Part(_rtlil(components[0], name, levels)))
    for component in components:
        take_out(component, name)
    return kind


def _rtlil(component: wiring.Component, name: str, levels: Sequence[Level]) -> str:
    fragment = Fragment.get(component, platform=None)
    whole = {port: (value, DIRECTIONS[flow]) for port, flow, value in ports(component)}
    whole |= {port: (level, DIRECTIONS[wiring.Out]) for port, level in ports_of(fragment, name, levels).items()}
    # Without the places in the source, the same hardware is the same text wherever it lies.
    return rtlil.convert(fragment, ports=whole, emit_src=False)


def hardware_texts() -> list[str]:
    """The sources of the hardware, and how it is taken apart: all that a GPU of some configuration is made of."""
    folder = Path(vc4.__file__).parent
    paths = [path for path in folder.rglob("*.py") if not path.is_relative_to(folder / "boards")]
    return [path.read_text() for path in (Path(__file__), *sorted(paths))]


def bench_text(gpu: str, waves: str, bench: str) -> str:
    """C++ around the file `gpu`, which has the GPU, and the file `waves`, which has its waves, with the text of a `bench`."""
    files = (
        "bench_bits.h",
        "bench_checks.h",
        gpu,
        "bench_memory.h",
        "bench_gather.h",
        "bench_host.h",
        waves,
        "bench_run.h",
    )
    return _constants() + "".join(map(_text, files)) + bench


def program_bench() -> str:
    """The text of the bench for programs."""
    return _text("bench.cc")


def _text(name: str) -> str:
    return (resources.files(__package__) / name).read_text()


def _constants() -> str:
    """C++ that says where the fields of the trace port's structs and of the record of an instruction lie, and more."""
    structs = {"ISSUE": TracedIssue, "WRITTEN": TracedQuad, "QUAD": SfuResult, "RECORD": Retired}
    places = [(f"{name}_{field}", at) for name, struct in structs.items() for field, at in _fields(struct)]
    places += [("RECORD_WORDS", RECORD_WORDS), ("STALL_COUNT", len(STALL_REASONS)), ("START_WORDS", START_WORDS)]
    places += [("EVENT_WORDS", EVENT_WORDS), ("KIND_BITS", KIND_BITS), ("START_OFFSET", START_OFFSET), ("QUEUE", QUEUE)]
    places += [("RETIRED", RETIRED), ("WRITTEN", WRITTEN), ("STARTED", STARTED), ("R4_ARRIVED", R4_ARRIVED)]
    places += [("ITEM", ITEM), ("QUAD", QUAD), ("SLOT", SLOT), ("BUS", BUS), ("STAGED", STAGED)]
    places += [("LEVELS", LEVELS), ("LEVEL_CLOCKS", LEVEL_CLOCKS)]
    places += [("GRACE_CLOCKS", GRACE_CLOCKS), ("HOPELESS_STALLS", HOPELESS_STALLS), ("SHARED_STALLS", SHARED_STALLS)]
    return "".join(f"constexpr size_t {name} = {at};\n" for name, at in places)


def _fields(shape: ShapeLike, start: int = 0, prefix: str = "") -> Iterator[tuple[str, int]]:
    """The fields of a struct and of the structs in it, and their first bits."""
    for name, field in data.Layout.cast(shape):
        yield f"{prefix}{name}", start + field.offset
        if isinstance(field.shape, type) and issubclass(field.shape, data.Struct):
            yield from _fields(field.shape, start + field.offset, f"{prefix}{name}_")
