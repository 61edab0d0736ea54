"""`TlbTransfers` and the memories of the tile buffer as native code, memory around them in C++; compared with the model."""

import ctypes
import weakref
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.structs import PAYLOAD_BITS, PipelineRecord
from vc4.records.control import RECORDS, ControlCode
from vc4.tlb.tile_store import TileStore
from vc4.tlb.transfers import TlbTransfers
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import Fields, packing
from vc4sim.model.memory import Memory
from vc4sim.model.tlb.tile_transfers import TileTransfers
from vc4sim.model.tlb.tlb import TileBuffer

from ..native_rig import native_rig

__all__ = ["Transfers", "record"]

_HERE = Path(__file__)
_SOURCES = (
    resources.files("vc4sim.backends") / "bench_bits.h",
    _HERE.parents[1] / "bench_memory.h",
    _HERE.with_suffix(".cc"),
)
_DRIVER = "".join(source.read_text() for source in _SOURCES)
_MOST_CLOCKS = 2_000_000
_RECORD_BYTES = 1 + PAYLOAD_BITS // 8
_LOADS = (ControlCode.LOAD_TILE_BUFFER_GENERAL, ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER)


class Device(wiring.Component):
    """Transfers, and the memories."""

    def __init__(self):
        super().__init__(
            {
                "records": In(stream.Signature(PipelineRecord)),
                "finished": Out(1),
                "beside": Out(1),
                "port": Out(MemoryPort(word_bytes=BUS_BYTES)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = TileStore()
        m.submodules.transfers = transfers = TlbTransfers()
        connect(m, transfers.tile, store.tile)
        connect(m, transfers.clears, store.clears)
        connect(m, flipped(self.records), transfers.records)
        connect(m, transfers.port, flipped(self.port))
        m.d.comb += [store.form.eq(transfers.form), self.finished.eq(transfers.finished)]
        m.d.comb += self.beside.eq(transfers.beside)
        return m


_WORD = ctypes.c_uint32


class _Options(ctypes.Structure):
    _fields_ = [(name, _WORD) for name in ("size", "latency", "gap", "seed", "most_clocks", "records")]


class Result(ctypes.Structure):
    """What came of a run."""

    _fields_ = [
        *((name, _WORD) for name in ("clocks", "requests", "words", "finished")),
        ("problem", 64 * ctypes.c_char),
    ]


@lru_cache
def library():
    bench = f"constexpr uint32_t RECORD_BYTES = {_RECORD_BYTES};\n{_DRIVER}"
    native = native_rig(lambda: (Device(), bench), bench, _HERE.read_text())
    native.make.restype = ctypes.c_void_p
    return native


def record(code: ControlCode, **values) -> ControlRecord:
    """A record with these fields; others are 0."""
    kind = RECORDS[code.value]
    return ControlRecord(0, kind, packing(kind.layout).unpack(_bits(kind, values)) if kind.layout else Fields())


def _bits(kind, values):
    return packing(kind.layout).pack(**values) if kind.layout else 0


class Transfers:
    """The hardware and the model side by side, each with a memory, `size` bytes of `rng`."""

    def __init__(self, rng, size, *, latency=0, gap=0.0):
        self.rng, self.size, self.latency, self.gap = rng, size, latency, gap
        self.memory = np.frombuffer(bytearray(rng.randbytes(size)), np.uint8)
        self.model_memory = Memory(size, image=self.memory.tobytes())
        self.model = TileTransfers(self.model_memory, TileBuffer())
        self._library = library()
        self._top = ctypes.c_void_p(self._library.make())
        weakref.finalize(self, self._library.release, self._top)

    def run(self, records) -> tuple[Result, list[int]]:
        """Carries out records, and compares memory; returns when each was taken, too."""
        data, wanted = b"", 0
        for one in records:
            fields = vars(one.fields)
            body = _bits(one.kind, fields).to_bytes(_RECORD_BYTES - 1, "little")
            length = one.kind.length
            data += bytes([one.kind.code.value]) + body[: length - 1] + self.rng.randbytes(_RECORD_BYTES - length)
            wanted += self._execute(one)
        options = _Options(
            *(self.size, self.latency, round(256 * self.gap), self.rng.getrandbits(32) | 1, _MOST_CLOCKS),
            len(records),
        )
        result, taken = Result(), (_WORD * len(records))()
        memory = ctypes.c_void_p(self.memory.ctypes.data)
        self._library.run(self._top, ctypes.byref(options), data, memory, taken, ctypes.byref(result))
        where = "\n".join(str(one) for one in records)
        assert not result.problem, f"{result.problem.decode()}, clock {result.clocks}, latency {self.latency}, {where}"
        differing = np.flatnonzero(self.memory != np.frombuffer(self.model_memory.data, np.uint8))
        assert not differing.size, f"{differing.size} bytes differ, from {differing[0]:#x} on, {where}"
        assert result.finished == wanted, where
        return result, list(taken)

    def _execute(self, one):
        """The model does it; returns whether a frame ends."""
        model, code, fields = self.model, one.kind.code, one.fields
        match code:
            case ControlCode.TILE_RENDERING_MODE_CONFIGURATION:
                model.configure(fields)
            case ControlCode.CLEAR_COLORS:
                model.set_clear_values(fields)
            case ControlCode.TILE_COORDINATES:
                model.begin(fields.tile_column_number, fields.tile_row_number)
            case _ if code in _LOADS:
                model.arm(one)
            case _:
                model.store(one)
        last = getattr(fields, "last_tile_of_frame", 0)
        return bool(last) or code is ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME
