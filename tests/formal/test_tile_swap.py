"""Two tile buffers: what is drawn is never what is stored, and has nothing but a clear when drawing begins."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib.wiring import In

from vc4.cle.structs import PipelineRecord
from vc4.records.control import ControlCode
from vc4.tlb import transfer_records
from vc4.tlb.quad_place import two_buffers

from .proof import Proof

pytestmark = pytest.mark.thorough

_MEMORY = (
    *(code for code in ControlCode if code.name.startswith("STORE_")),
    ControlCode.TILE_RENDERING_MODE_CONFIGURATION,
)


class SwapProof(Proof):
    """Any records; parts of tiles end when they like, clears are taken when they like."""

    def __init__(self):
        inputs = {"valid": In(1), "record": In(PipelineRecord), "ends": In(1), "ready": In(1)}
        super().__init__("control", inputs)

    def _sees(self):
        return {"swaps": ("swaps", 1)}

    def elaborate(self, platform):
        m = Module()
        m.submodules.control = dut = transfer_records.TransferRecords()
        moving = Signal()  # a part is on its way
        waiting, before = Signal(), Signal(PipelineRecord)
        m.d.sync += [
            moving.eq(dut.starts | (moving & ~dut.ends)),
            *(waiting.eq(self.valid & ~dut.records.ready), before.eq(self.record)),
        ]
        m.d.comb += [
            *(dut.records.valid.eq(self.valid), dut.records.payload.eq(self.record)),
            *(dut.ends.eq(self.ends), dut.clears.ready.eq(self.ready)),
            Assume(~waiting | (self.valid & (self.record == before))),
            Assume(~self.ends | moving),
        ]
        self._swap(m, dut, moving)
        return m

    def _swap(self, m, dut, moving):
        taken = self.valid & dut.records.ready
        clear, cleared = dut.clears.payload, dut.clears.valid & self.ready
        double = two_buffers(dut.form)
        other = clear.buffer != dut.buffer
        drawn, clean = Signal(), Signal()  # the buffer of the clock before; the other one was cleared in it, all of it
        configured = Signal()
        m.d.sync += [
            drawn.eq(dut.buffer),
            clean.eq(cleared & clear.colour & clear.zs & clear.mask & other),
            configured.eq(self.valid & (self.record.code == ControlCode.TILE_RENDERING_MODE_CONFIGURATION)),
        ]
        m.d.comb += [
            Assert(~dut.beside | (dut.transfer.buffer != dut.buffer), "what is stored beside is drawn"),
            Assert(~dut.beside | double, "there is one tile buffer only"),
            Assert(double | ~dut.buffer, "a tile buffer is drawn that is not there"),
            Assert((dut.buffer == drawn) | clean | configured, "a tile buffer is drawn that is not clean"),
            Assert(~(dut.clears.valid & dut.beside), "a clear while a tile is stored beside"),
            Assert(
                ~dut.clears.valid | ~other | (self.swaps & double), "a tile buffer is cleared that is not drawn next"
            ),
            Assert(
                ~(dut.beside & taken) | ~Cat(self.record.code == code for code in _MEMORY).any(),
                "a record that needs the memories goes on beside a store",
            ),
            Assert(~dut.starts | ~moving, "two parts at once"),
            Assert(~self.swaps | (double & other & clear.colour & clear.zs & clear.mask), "a swap with another clear"),
            Cover(dut.beside & dut.starts & dut.buffer, "the first tile buffer is stored beside"),
            Cover(dut.beside & dut.starts & ~dut.buffer, "so is the second one"),
        ]


def test_swap(prover):
    prover.holds(SwapProof(), depth=16, unbounded=False, cover=28)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("clear.buffer.eq(self.buffer ^ goes_on)", "clear.buffer.eq(self.buffer)"),
        ("self.buffer.eq(~self.buffer), self.beside.eq(1)", "self.beside.eq(1)"),
        ("m.d.sync += [self.buffer.eq(0), state.eq(_State.CLEARS)]", "m.d.sync += state.eq(_State.CLEARS)"),
        ("goes_on.eq(two_buffers(self.form) & swaps_after(record))", "goes_on.eq(two_buffers(self.form))"),
        ("with m.Case(ControlCode.TILE_RENDERING_MODE_CONFIGURATION, *_STORES):", "with m.Case(*_STORES):"),
    ],
    ids=["drawn", "same", "configured", "unclean", "beside"],
)
def test_faults(prover, faulty, monkeypatch, old, new):
    monkeypatch.setattr(transfer_records, "TransferRecords", faulty(transfer_records.TransferRecords, old, new))
    prover.refuted(SwapProof(), depth=16)
