"""The GPU as it is compiled: V3D without its QPUs, the QPU that stands for all of them, and the bench around them."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ShapeLike
from amaranth.lib import data

import vc4
from vc4.config import V3DConfig
from vc4.qpu.qpu import Qpu
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.trace import TracedIssue, TracedQuad
from vc4.v3d import V3D

from ..bench.driver import QUEUE, START_OFFSET
from ..bench.gather import Retired
from ..cxxrtl.build import Part
from ..cxxrtl.rtlil import Module
from ..cxxrtl.sockets import declaration, take_out, unplug
from ..retired import RECORD_WORDS
from .library import START_WORDS

__all__ = ["TRACE", "Gpu", "bench_text", "hardware_texts"]

#: The bench looks at the trace ports of the QPUs themselves.
TRACE = ("trace",)


class Gpu:
    """A configured GPU in two parts: `v3d`, with a port for each port of each QPU, and `qpu`.

    constants : C++ that says what the bench has to know of the configuration
    """

    def __init__(self, config: V3DConfig):
        whole, self.one = V3D(config), Qpu(config)
        for its in whole.slices:
            for socket in its.qpus:
                take_out(socket)
        self.constants = f"constexpr size_t TAG_BITS = {whole.bus.signature.tag_bits};\n"
        # Without the places in the source, the same hardware is the same text wherever it lies.
        text = rtlil.convert(whole, emit_src=False) + declaration(self.one)
        self.v3d = Part(text, self._unplug)
        self.qpu = Part(rtlil.convert(self.one, emit_src=False))

    def _unplug(self, flat: Module) -> None:
        unplug(flat, self.one, "qpu", without=TRACE)


def hardware_texts() -> list[str]:
    """The sources of the hardware: all that a GPU of some configuration is made of."""
    return [path.read_text() for path in sorted(Path(vc4.__file__).parent.rglob("*.py"))]


def bench_text(gpu: str, waves: str) -> str:
    """C++ of the bench: the file `gpu` has the GPU, the file `waves` its waves."""
    package = resources.files(__package__)
    files = (gpu, "bench_memory.h", "bench_gather.h", waves, "bench.cc")
    return _constants() + "".join((package / name).read_text() for name in files)


def _constants() -> str:
    """C++ that says where the fields of the trace port's structs and of the record of an instruction lie, and more."""
    structs = {"ISSUE": TracedIssue, "WRITTEN": TracedQuad, "RECORD": Retired}
    places = [(f"{name}_{field}", at) for name, struct in structs.items() for field, at in _fields(struct)]
    places += [("RECORD_WORDS", RECORD_WORDS), ("STALL_COUNT", len(STALL_REASONS)), ("START_WORDS", START_WORDS)]
    places += [("START_OFFSET", START_OFFSET), ("QUEUE", QUEUE)]
    return "".join(f"constexpr size_t {name} = {at};\n" for name, at in places)


def _fields(shape: ShapeLike, start: int = 0, prefix: str = "") -> Iterator[tuple[str, int]]:
    """The fields of a struct and of the structs in it, and their first bits."""
    for name, field in data.Layout.cast(shape):
        yield f"{prefix}{name}", start + field.offset
        if isinstance(field.shape, type) and issubclass(field.shape, data.Struct):
            yield from _fields(field.shape, start + field.offset, f"{prefix}{name}_")
