"""Set-ups and starts of the DMA engines by a QPU."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.vpm import (
    SETUP_BITS,
    DmaMode,
    SetupId,
    VdrBasicSetup,
    VdrExtendedSetup,
    VdwBasicSetup,
    VdwStrideSetup,
)

from .structs import VdrLoad, VdwStore

__all__ = ["DmaPort"]


class DmaPort(wiring.Component):
    """Keeps what one QPU sets up for loads and stores, and starts them (guide, tables 34 to 37).

    Behaviour: a start passes without delay if the engine is free and it is the turn of this QPU. A load waits for the vectors
    that this QPU is to be given first. After reset all set-ups are 0.

    Interface attributes
    --------------------
    setup : a word
    store_setup_stb, load_setup_stb : it was written to `vw_setup` or `vr_setup`, and sets up DMA
    store_addresses, load_addresses : streams of addresses in memory
    fetching : this QPU is to be given vectors first
    stores, loads : streams to the engines
    store_done, load_done : strobes: the store or load that the engine had, whoever gave it, is done
    store_busy, load_busy : one of this QPU is under way
    """

    setup: In(SETUP_BITS)
    store_setup_stb: In(1)
    load_setup_stb: In(1)
    store_addresses: In(stream.Signature(32))
    load_addresses: In(stream.Signature(32))
    fetching: In(1)
    stores: Out(stream.Signature(VdwStore))
    loads: Out(stream.Signature(VdrLoad))
    store_done: In(1)
    load_done: In(1)
    store_busy: Out(1)
    load_busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        self._stores(m)
        self._loads(m)
        for starts, addresses, waits in (
            (self.stores, self.store_addresses, Const(0)),
            (self.loads, self.load_addresses, self.fetching),
        ):
            m.d.comb += [
                starts.payload.address.eq(addresses.payload),
                starts.valid.eq(addresses.valid & ~waits),
                addresses.ready.eq(starts.ready & ~waits),
            ]
        for name, starts, busy, done in (
            ("store", self.stores, self.store_busy, self.store_done),
            ("load", self.loads, self.load_busy, self.load_done),
        ):
            begins = starts.valid & starts.ready
            active = Signal(name=f"{name}_active")
            m.d.comb += busy.eq(active)
            m.d.sync += [
                active.eq(begins | (active & ~done)),
                Assert(~(begins & active), f"an engine takes a {name} while it has one"),
            ]
        return m

    def _stores(self, m):
        basic = Signal(VdwBasicSetup)
        stride = Signal(VdwStrideSetup)
        with m.If(self.store_setup_stb):
            with m.If(VdwBasicSetup(self.setup).id == SetupId.VDW_BASIC):
                m.d.sync += basic.eq(self.setup)
            with m.Else():
                m.d.sync += stride.eq(self.setup)
        m.d.comb += [self.stores.payload.basic.eq(basic), self.stores.payload.stride.eq(stride)]

    def _loads(self, m):
        basic = Signal(VdrBasicSetup)
        extended = Signal(VdrExtendedSetup)
        with m.If(self.load_setup_stb):
            with m.If(VdrBasicSetup(self.setup).mode == DmaMode.EXTENDED):
                m.d.sync += extended.eq(self.setup)
            with m.Else():
                m.d.sync += basic.eq(self.setup)
        m.d.comb += [self.loads.payload.basic.eq(basic), self.loads.payload.pitch.eq(extended.pitch)]
