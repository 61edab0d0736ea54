"""The executor as native code between a host, memory and pipelines in C++; compared with the model's."""

import ctypes
import random
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.data import Layout
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES
from vc4.cle.cle import Cle, PipelinePort
from vc4.cle.structs import ItemKind, ListItem, PipelineRecord
from vc4.cle.structs import Primitive as PrimitiveItem
from vc4.config import preset
from vc4.host.port import RegisterPort
from vc4.host.register_file import RegisterFile
from vc4.host.structs import connect_registers
from vc4.records.compressed import VERTICES
from vc4.records.control import RECORDS
from vc4.records.primitives import PrimitiveType
from vc4.regs.lists import LISTS
from vc4.regs.table import register
from vc4sim.cache import cache_folder
from vc4sim.cxxrtl.build import Kind, Part, build_once, build_parts
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.primitives import Primitive
from vc4sim.waves.view import write_view

__all__ = ["LINE_BYTES", "Run", "execute", "given", "taken"]

LINE_BYTES = 64
_HERE = Path(__file__)
_BACKENDS = resources.files("vc4sim.backends")
_CONFIG = preset("bcm2835")
_WORD = ctypes.c_uint32
_MOST_ITEMS, _MOST_LINES = 4_000, 20_000
_ITEM_WORDS = 6


class Device(wiring.Component):
    """The executor with its registers, and one way into memory."""

    def __init__(self):
        self._cle = Cle(_CONFIG)
        self._hub = Hub(len(self._cle.ports), word_bytes=BUS_BYTES)
        super().__init__(
            {
                "port": In(RegisterPort()),
                "binner": Out(PipelinePort()),
                "renderer": Out(PipelinePort()),
                "flushed": Out(1),
                "drawn": Out(1),
                "running": Out(2),
                "starves": Out(2),
                "bus": Out(self._hub.bus.signature),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cle = cle = self._cle
        m.submodules.registers = registers = RegisterFile(_CONFIG)
        connect(m, flipped(self.port), registers.port)
        connect_registers(m, registers, cle)
        connect(m, cle.binner, flipped(self.binner))
        connect(m, cle.renderer, flipped(self.renderer))
        m.submodules.hub = hub = self._hub
        connect(m, hub.bus, flipped(self.bus))
        for port, client in zip(cle.ports, hub.clients, strict=True):
            connect(m, port, client)
        m.d.comb += [
            self.flushed.eq(cle.flushed),
            self.drawn.eq(cle.drawn),
            self.starves.eq(cle.starves),
            self.running.eq(Cat(cle.live.CT0CS.CTRUN, cle.live.CT1CS.CTRUN)),
        ]
        return m


class _Options(ctypes.Structure):
    _fields_ = [(name, _WORD) for name in ("base", "size", "latency", "gap", "pipeline_gap", "seed", "most_clocks")]


class _Result(ctypes.Structure):
    _fields_ = [
        *((name, _WORD) for name in ("clocks", "rests", "items", "lines", "flushed", "drawn")),
        *((name, 2 * _WORD) for name in ("running", "starved")),
        ("problem", 64 * ctypes.c_char),
    ]


@dataclass
class Run:
    """What came of a run.

    clocks : in which each thread ran
    starved : in which it waited for its list
    rests : nothing moves any more
    items : what each pipeline got
    lines : that were read, as multiples of `LINE_BYTES`
    flushed, drawn : interrupts
    registers : at the end, by name
    """

    clocks: tuple[int, int]
    starved: tuple[int, int]
    rests: bool
    items: tuple[list, list]
    lines: set[int]
    flushed: int
    drawn: int
    registers: dict[str, int] = field(default_factory=dict)


@lru_cache
def _library(kind):
    headers = ("bench_bits.h", "bench_waves.h" if kind is Kind.WAVES else "bench_no_waves.h")
    driver = "".join(path.read_text() for path in (*map(_BACKENDS.joinpath, headers), _HERE.with_suffix(".cc")))
    part, folder = Part(rtlil.convert(Device(), emit_src=False)), cache_folder()
    made_of = [part.rtlil, driver, kind.name]
    native = build_once(made_of, lambda: build_parts({"executor": part}, driver, folder, kind=kind), folder)
    native.make.restype = ctypes.c_void_p
    native.read.restype = _WORD
    return native


def execute(base, image, script, *, seed, latency=1, gap=0.0, pipeline_gap=0.3, most_clocks=100_000, waves=None) -> Run:
    """Runs lists.

    base, image : memory
    script : writes of the host: the first clock in which each may happen, the register's name, a word
    gap, pipeline_gap : chance of a pause, in each clock on each channel to memory, and of each pipeline
    waves : `Waves` to write, always all of them
    """
    native = _library(Kind.WAVES if waves else Kind.FAST)
    top = ctypes.c_void_p(native.make())
    options = _Options(
        *(base, len(image), latency, round(256 * gap), round(256 * pipeline_gap)),
        *(random.Random(seed).getrandbits(32) | 1, most_clocks),
    )
    writes = np.array([(clock, register(name).offset, data) for clock, name, data in script], np.uint32)
    items, lines = np.zeros((_MOST_ITEMS, _ITEM_WORDS), np.uint32), np.zeros(_MOST_LINES, np.uint32)
    result, data = _Result(), np.frombuffer(image, np.uint8)
    arrays = [ctypes.c_void_p(array.ctypes.data) for array in (data, writes, items, lines)]
    native.run(
        *(top, ctypes.byref(options), arrays[0], arrays[1], len(script)),
        *(arrays[2], _MOST_ITEMS, arrays[3], _MOST_LINES, ctypes.byref(result)),
        str(waves.path).encode() if waves else None,
    )
    if waves:
        write_view(waves.path)
    registers = {one.name: native.read(top, one.offset) for one in LISTS}
    native.release(top)
    assert not result.problem, result.problem.decode()
    found = ([], [])
    for thread, *words in items[: result.items].tolist():
        bits = sum(word << 32 * number for number, word in enumerate(words))
        found[thread].append(taken(bits))
    return Run(
        *(tuple(result.running), tuple(result.starved), bool(result.rests), found, set(lines[: result.lines].tolist())),
        *(result.flushed, result.drawn, registers),
    )


def _places(layout):
    """Lowest bit and mask of each field."""
    return [(field.offset, (1 << Shape.cast(field.shape).width) - 1) for _, field in Layout.cast(layout)]


_ITEM, _RECORD, _PRIMITIVE = map(_places, (ListItem, PipelineRecord, PrimitiveItem))


def taken(bits):
    """A `ListItem`, as the model has it."""
    kind, body = (bits >> low & mask for low, mask in _ITEM)
    match ItemKind(kind):
        case ItemKind.RECORD:
            code, payload = (body >> low & mask for low, mask in _RECORD)
            length = RECORDS[code].length - 1
            return RECORDS[code].code, (payload & (1 << 8 * length) - 1).to_bytes(length, "little")
        case ItemKind.PRIMITIVE:
            type_, vertices, coordinates, clipped = (body >> low & mask for low, mask in _PRIMITIVE)
            type_ = PrimitiveType(type_)
            count = VERTICES[type_]
            return (
                type_,
                tuple(vertices >> 32 * one & 0xFFFF_FFFF for one in range(count)),
                bool(coordinates),
                bool(clipped),
            )
        case ItemKind.END:
            return None


def given(item, memory):
    """What the model has handed over."""
    match item:
        case ControlRecord():
            return item.code, memory.read(item.address + 1, item.kind.length - 1) if item.kind.length > 1 else b""
        case Primitive():
            return item.type, item.vertices, item.coordinates, item.clipped is not None
        case _:
            return None
