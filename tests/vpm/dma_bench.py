"""Both DMA engines as native code, the VPM and memory around them in C++; compared with the blocks of the model."""

import ctypes
import random
import weakref
from dataclasses import astuple, dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.data import Layout
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort
from vc4.records.vpm import DmaMode, SetupId, VdrBasicSetup, VdwBasicSetup, VdwStrideSetup
from vc4.vpm.structs import QuadAddress, QuadWrite, RowRange, VdrLoad, VdwStore, Words
from vc4.vpm.vdr import Vdr
from vc4.vpm.vdw import Vdw
from vc4sim.model.vpm.blocks import Block, load_block, store_block

from ..native_rig import native_rig

__all__ = [
    "BASE",
    "BUSES",
    "MODES",
    "SIZE",
    "SOME_MODES",
    "VPM_ROWS",
    "Engines",
    "Load",
    "Store",
    "load",
    "on_its_bus",
    "random_load",
    "random_store",
    "run_random",
    "store",
]

BASE, SIZE = 0x0001_0000, 0x4000
VPM_ROWS = 128
#: MODEW, but for the reserved code.
MODES = [mode for mode in DmaMode if mode is not DmaMode.EXTENDED]
#: For a parameter of tests: one of each size by default.
SOME_MODES = [
    pytest.param(mode, marks=[pytest.mark.thorough] * (mode not in (DmaMode.WORD, DmaMode.BYTE_3))) for mode in MODES
]


def on_its_bus(word_bytes, *values):
    """Parameters of a test, the width of the bus first: each width is compiled for itself, and one of them stands for all."""
    return pytest.param(word_bytes, *values, marks=[pytest.mark.thorough] * (word_bytes != 8))


BUSES = pytest.mark.parametrize("word_bytes", [on_its_bus(word_bytes) for word_bytes in (8, 4, 16)])
_HERE = Path(__file__)
_SOURCES = (
    resources.files("vc4sim.backends") / "bench_bits.h",
    _HERE.parents[1] / "bench_memory.h",
    _HERE.with_suffix(".cc"),
)
_DRIVER = "".join(source.read_text() for source in _SOURCES)
_MOST_CLOCKS = 500_000
_GAPS = [0, 0, 0.3, 0.7]
_BLOCKS_OF_A_BENCH = 20


class Pair(wiring.Component):
    """Both engines side by side."""

    def __init__(self, word_bytes):
        self._word_bytes = word_bytes
        flags = ("done", "error", "bad_setup", "stalled")
        super().__init__(
            {
                "loads": In(stream.Signature(VdrLoad)),
                "stores": In(stream.Signature(VdwStore)),
                "load_bus": Out(MemoryPort(word_bytes=word_bytes)),
                "store_bus": Out(MemoryPort(word_bytes=word_bytes)),
                "reads": Out(stream.Signature(QuadAddress)),
                "read_data": In(Words),
                "writes": Out(stream.Signature(QuadWrite)),
                "unread": Out(RowRange),
                "unwritten": Out(RowRange),
                **{f"{engine}_{flag}": Out(1) for engine in ("load", "store") for flag in flags},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.vdr = vdr = Vdr(word_bytes=self._word_bytes)
        m.submodules.vdw = vdw = Vdw(word_bytes=self._word_bytes)
        connect(m, flipped(self.loads), vdr.loads)
        connect(m, flipped(self.stores), vdw.stores)
        connect(m, vdr.bus, flipped(self.load_bus))
        connect(m, vdw.bus, flipped(self.store_bus))
        connect(m, vdr.writes, flipped(self.writes))
        connect(m, vdw.reads, flipped(self.reads))
        m.d.comb += [
            vdw.read_data.eq(self.read_data),
            vdw.unwritten.eq(vdr.unwritten),
            vdr.unread.eq(vdw.unread),
            self.unread.eq(vdw.unread),
            self.unwritten.eq(vdr.unwritten),
        ]
        for engine, device in (("load", vdr), ("store", vdw)):
            for flag in ("done", "error", "bad_setup", "stalled"):
                m.d.comb += getattr(self, f"{engine}_{flag}").eq(getattr(device, flag))
        return m


_WORD = ctypes.c_uint32


class _Options(ctypes.Structure):
    _fields_ = [
        *((name, _WORD) for name in ("base", "size", "latency", "gap", "vpm_gap", "seed", "most_clocks")),
        ("load", 3 * _WORD),
        ("store", 3 * _WORD),
        ("loads", _WORD),
        ("stores", _WORD),
    ]


class Result(ctypes.Structure):
    """What came of a run; clocks are from the one that takes a block to the one of `done`."""

    _fields_ = [
        *((name, _WORD) for name in ("clocks", "load_clocks", "store_clocks", "read_words", "write_words")),
        *((name, _WORD) for name in ("quads_read", "quads_written")),
        *((name, _WORD) for name in ("load_error", "store_error", "load_bad", "store_bad")),
        ("load_rows", 2 * _WORD),
        ("store_rows", 2 * _WORD),
        ("problem", 64 * ctypes.c_char),
    ]


def _fields(layout, word):
    const = layout.from_bits(word)
    return {name: const[name] for name, _ in Layout.cast(layout) if name not in ("id", "unused")}


@dataclass(frozen=True)
class Load:
    """A load of the block that the set-up word and the extended pitch mean."""

    basic: int
    pitch: int
    address: int

    def __str__(self):
        return f"load {_fields(VdrBasicSetup, self.basic)} pitch {self.pitch} address {self.address:#x}"

    @property
    def block(self) -> Block:
        return load_block(self.basic, self.pitch, self.address)


@dataclass(frozen=True)
class Store:
    """A store of the block that the set-up words mean."""

    basic: int
    stride: int
    address: int

    def __str__(self):
        setups = _fields(VdwBasicSetup, self.basic), _fields(VdwStrideSetup, self.stride)
        return f"store {setups} address {self.address:#x}"

    @property
    def block(self) -> Block:
        return store_block(self.basic, self.stride, self.address)


def load(address=BASE, *, pitch=64, **fields) -> Load:
    """Sixteen rows of sixteen words, but for `fields`."""
    return Load(VdrBasicSetup.const({"id": 1, "row_pitch": 1} | fields).as_bits(), pitch, address)


def store(address=BASE, *, stride=0, block_mode=0, **fields) -> Store:
    """Sixteen rows of sixteen words, but for `fields`."""
    basic = {"id": SetupId.VDW_BASIC, "horizontal": 1, "units": 16, "depth": 16} | fields
    strides = {"id": SetupId.VDW_STRIDE, "stride": stride, "block_mode": block_mode}
    return Store(VdwBasicSetup.const(basic).as_bits(), VdwStrideSetup.const(strides).as_bits(), address)


def random_address(rng):
    """Any byte; often in front of the end of a page, and now and then outside of memory."""
    return rng.choice(
        [
            BASE + rng.randrange(SIZE),
            BASE + rng.randrange(SIZE // 2),
            BASE + 4096 * rng.randrange(SIZE // 4096 + 1) - rng.randrange(600),
            BASE + 64 * rng.randrange(SIZE // 64),
        ]
    )


def random_load(rng):
    """Any fields."""
    return load(
        random_address(rng),
        pitch=rng.choice([rng.randrange(1 << 13), rng.randrange(200)]),
        mode=rng.choice(MODES),
        column=rng.choice([0, rng.randrange(16)]),
        row=rng.randrange(VPM_ROWS),
        vertical=rng.randrange(2),
        row_pitch=rng.randrange(16),
        rows=rng.randrange(16),
        row_length=rng.randrange(16),
        memory_pitch=rng.choice([0, 0, rng.randrange(6), rng.randrange(16)]),
    )


def random_store(rng):
    """Any fields."""
    counts = [1, 2, 16, rng.randrange(20), rng.randrange(128)]
    return store(
        random_address(rng),
        stride=rng.choice([0, rng.randrange(100), rng.randrange(1 << 16)]),
        block_mode=rng.randrange(3) == 0,
        mode=rng.choice(MODES),
        column=rng.choice([0, rng.randrange(16)]),
        row=rng.randrange(VPM_ROWS),
        horizontal=rng.randrange(2),
        laned=rng.randrange(3) == 0,
        depth=rng.choice(counts),
        units=rng.choice(counts),
    )


def _places(block: Block) -> np.ndarray:
    """Bytes of the VPM, [row, byte]."""
    rows = len(block.addresses)
    places = block.places[..., None] + np.arange(block.width)
    return np.broadcast_to(places, (rows, *places.shape[1:])).reshape(rows, -1)


def _addresses(block: Block) -> np.ndarray:
    """Bytes of memory, [row, byte]."""
    first = np.array(block.addresses, np.int64)
    return (first[:, None] + np.arange(block.row_bytes)) % (1 << 32)


def bus_words(block: Block, word_bytes: int) -> int:
    """Words of the bus that have a byte of the block, row by row."""
    return sum((address % word_bytes + block.row_bytes - 1) // word_bytes + 1 for address in block.addresses)


def apart(one: Block, other: Block) -> bool:
    """Whether they have to do with different bytes of memory: no order is kept between accesses of both engines."""
    return not np.intersect1d(_addresses(one), _addresses(other)).size


@lru_cache
def library(word_bytes):
    """The engines for one width of the bus."""
    bench = f"constexpr uint32_t WORD_BYTES = {word_bytes};\n{_DRIVER}"
    native = native_rig(lambda: (Pair(word_bytes), bench), bench, Path(__file__).read_text())
    native.make.restype = ctypes.c_void_p
    return native


class Engines:
    """Both engines, the VPM and memory.

    Parameters
    ----------
    word_bytes : width of the bus
    rng : a `random.Random`
    latency : clocks from a request to its first word, on top of one
    gap, vpm_gap : chance of a pause, in each clock on each channel to memory, and on the ports to the VPM
    """

    def __init__(self, word_bytes: int, rng, *, latency=0, gap=0.0, vpm_gap=0.0):
        self.word_bytes, self.rng = word_bytes, rng
        self.latency, self.gap, self.vpm_gap = latency, gap, vpm_gap
        self.memory = np.frombuffer(bytearray(rng.randbytes(SIZE)), np.uint8)
        self.vpm = np.frombuffer(bytearray(rng.randbytes(VPM_ROWS * 64)), np.uint8)
        self.load_error = self.store_error = False  # whether memory has answered with an error
        self._library = library(word_bytes)
        self._top = ctypes.c_void_p(self._library.make())
        weakref.finalize(self, self._library.release, self._top)

    def run(self, load: Load | None = None, store: Store | None = None, *, load_clock=1, store_clock=1) -> Result:
        """Runs one that comes in `load_clock` and one that comes in `store_clock`, and compares all that they did.

        Both must be `apart`. If they have rows in common they go one after the other, and the load first if they come
        at the same time.
        """
        memory, vpm = self.memory.copy(), self.vpm.copy()
        blocks = [(load_clock, "load", load), (store_clock, "store", store)]
        for _, kind, one in sorted((entry for entry in blocks if entry[2]), key=lambda entry: entry[:2]):
            for places, addresses in zip(_places(one.block), _addresses(one.block), strict=True):
                inside = (addresses >= BASE) & (addresses < BASE + SIZE)
                if kind == "load":
                    vpm[places[inside]] = memory[addresses[inside] - BASE]
                    self.load_error |= not inside.all()
                else:
                    memory[addresses[inside] - BASE] = vpm[places[inside]]
                    self.store_error |= not inside.all()
        result = self.start(load, store, load_clock=load_clock, store_clock=store_clock)
        bench = f"{self.word_bytes} bytes, latency {self.latency}, gaps {self.gap} {self.vpm_gap}"
        where = f"{bench}: {load} in clock {load_clock}, {store} in clock {store_clock}"
        assert not result.problem, f"{result.problem.decode()}, {where}"
        assert (self.vpm == vpm).all(), f"the VPM differs, {where}"
        assert (self.memory == memory).all(), f"memory differs, {where}"
        words = [bus_words(one.block, self.word_bytes) if one else 0 for one in (load, store)]
        assert [result.read_words, result.write_words] == words, where
        assert [result.load_error, result.store_error] == [self.load_error, self.store_error], where
        assert [result.load_bad, result.store_bad] == [0, 0], where
        for one, (first, count) in ((load, result.load_rows), (store, result.store_rows)):
            assert not one or all((row - first) % VPM_ROWS < count for row in one.block.rows), where
        return result

    def start(self, load: Load | None = None, store: Store | None = None, *, load_clock=1, store_clock=1) -> Result:
        """Runs them, and compares nothing."""
        options = _Options(
            *(BASE, SIZE, self.latency, round(256 * self.gap), round(256 * self.vpm_gap)),
            *(self.rng.getrandbits(32) | 1, _MOST_CLOCKS),
            (3 * _WORD)(*(astuple(load) if load else ())),
            (3 * _WORD)(*(astuple(store) if store else ())),
            load_clock if load else 0,
            store_clock if store else 0,
        )
        result = Result()
        arrays = (ctypes.c_void_p(array.ctypes.data) for array in (self.memory, self.vpm))
        self._library.run(self._top, ctypes.byref(options), *arrays, ctypes.byref(result))
        return result


def run_random(word_bytes: int, seed: int, count: int, draw) -> None:
    """Runs `count` times what `draw(rng)` draws, a load and a store or `None`; latency and gaps change as well.

    A pair that is not `apart` is left out.
    """
    rng = random.Random(seed)
    for number in range(count):
        if number % _BLOCKS_OF_A_BENCH == 0:
            latency = rng.choice([0, 0, 1, 5, 40])
            engines = Engines(word_bytes, rng, latency=latency, gap=rng.choice(_GAPS), vpm_gap=rng.choice(_GAPS))
        load, store = draw(rng)
        if not load or not store or apart(load.block, store.block):
            clocks = {name: rng.choice([1, 1, 2, 3, 4, 20, 200]) for name in ("load_clock", "store_clock")}
            engines.run(load, store, **clocks)
