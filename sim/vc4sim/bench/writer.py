"""A host that writes registers by itself."""

from collections.abc import Iterable
from typing import NamedTuple

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.axi import AxiLitePort
from vc4.regs.table import OFFSET_BITS

__all__ = [
    "FRAMES_DRAWN",
    "MEMORY_GAPS",
    "MEMORY_REFUSED",
    "MEMORY_REFUSED_END",
    "ON_DEMAND",
    "HostWrite",
    "HostWriter",
]

#: In place of a clock: when the binner waits for memory.
ON_DEMAND = (1 << 32) - 1

#: Offsets of registers of a native bench: how many frames count as drawn; chance of a pause of its memory, of 256; the addresses
#: that it refuses.
FRAMES_DRAWN, MEMORY_GAPS, MEMORY_REFUSED, MEMORY_REFUSED_END = (1 << 31 | number for number in range(4))


class HostWrite(NamedTuple):
    """A write of the host.

    clock : the first one in which it may happen, or `ON_DEMAND`
    offset, word : what is written, and where
    frames : so many have been drawn, and the clock counts from the interrupt of the last one on; it may also happen when more are
    script : scripts run side by side, each write after the one before of its script; the lowest number first
    """

    clock: int
    offset: int
    word: int
    frames: int = 0
    script: int = 0


_WRITE = data.StructLayout({"clock": 32, "offset": OFFSET_BITS, "word": 32})
_WHOLE = 0b1111


class HostWriter(wiring.Component):
    """Writes registers, one after the other, each no earlier than in its clock, or when the binner waits for memory; what another
    host reads passes. It has one script, which counts no frames, and no registers of a bench: only native benches have.

    Parameters
    ----------
    writes : see `HostWrite`

    Interface attributes
    --------------------
    reader : the other host, of which only the channels of reads count
    m_axil : the registers
    clock : which one this is
    demand : the binner waits for memory
    busy : something is not yet written, or not yet answered; but for what nobody has demanded
    """

    reader: In(AxiLitePort(address_bits=OFFSET_BITS))
    m_axil: Out(AxiLitePort(address_bits=OFFSET_BITS))
    clock: In(32)
    demand: In(1)
    busy: Out(1)

    def __init__(self, writes: Iterable[HostWrite]):
        self._writes = [{"clock": one.clock, "offset": one.offset, "word": one.word} for one in writes]
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        # One more than there are writes: it is never written.
        rows = memory.MemoryData(shape=_WRITE, depth=len(self._writes) + 1, init=self._writes)
        m.submodules.writes = writes = memory.Memory(rows)
        read = writes.read_port(domain="comb")
        axi, reader = self.m_axil, self.reader
        written = Signal(range(len(self._writes) + 1))
        waits = Signal()  # for an answer
        waits_for_demand = Signal()
        offers = Signal()
        ends = Signal()
        m.d.comb += [
            read.addr.eq(written),
            ends.eq(written == len(self._writes)),
            waits_for_demand.eq((read.data.clock == ON_DEMAND) & ~self.demand),
            offers.eq(
                ~waits & ~ends & ((read.data.clock <= self.clock) | (read.data.clock == ON_DEMAND)) & ~waits_for_demand
            ),
            self.busy.eq(waits | (~ends & ~waits_for_demand)),
            *(signal.eq(offers) for signal in (axi.awvalid, axi.wvalid)),
            axi.awaddr.eq(read.data.offset),
            axi.wdata.eq(read.data.word),
            axi.wstrb.eq(_WHOLE),
            axi.bready.eq(1),
            *(getattr(axi, name).eq(getattr(reader, name)) for name in ("araddr", "arprot", "arvalid", "rready")),
            *(getattr(reader, name).eq(getattr(axi, name)) for name in ("arready", "rvalid", "rdata", "rresp")),
        ]
        with m.If(offers & axi.awready):  # address and data are taken together
            m.d.sync += [waits.eq(1), written.eq(written + 1)]
        with m.Elif(axi.bvalid):
            m.d.sync += waits.eq(0)
        return m
