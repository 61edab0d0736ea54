"""The vertex pipe memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort

from .merge import Merge
from .port import VpmPort, VpmUnbuilt
from .store import VpmStore
from .structs import QuadWrite, VdwStore
from .vdw import Vdw
from .write_port import WritePort

__all__ = ["Vpm"]


class Vpm(wiring.Component):
    """A memory of rows of sixteen words, which QPUs write by vectors and a DMA engine stores to memory by blocks.

    Behaviour: one quad of a vector a clock from the QPUs, one word of the bus a clock to memory; see `WritePort` and
    `Vdw` for what waits for what. Each QPU has set-ups of its own. The QPUs that have vectors take turns with every quad,
    those that have stores with every store, see `Merge`. The commands of one QPU happen in their order; of those of
    several, a store reads what was written before it was taken, and rows that it has yet to read stay as they are.

    Implements section 7 of the guide, as far as `VpmUnbuilt` does not name it. A program that needs more stops the port of
    its QPU, and the reason is shown.

    Parameters
    ----------
    rows : rows of sixteen words: 64 in 4 KiB
    qpus : number of QPUs
    word_bytes : width of the bus in bytes: 4, 8 or 16
    tag_bits : width of a tag

    Interface attributes
    --------------------
    qpus : the port of each QPU
    bus : the port to memory
    unbuilt : why each port has stopped; sticky
    error : memory has answered a store with an error; sticky
    """

    def __init__(self, rows: int = 64, *, qpus: int = 1, word_bytes: int, tag_bits: int = 1):
        if rows not in (64, 128, 192, 256):
            raise ValueError(f"rows must be 64, 128, 192 or 256, not {rows!r}")
        if word_bytes not in (4, 8, 16):
            raise ValueError(f"word_bytes must be 4, 8 or 16, not {word_bytes!r}")
        self._rows = rows
        self._count = qpus
        self._word_bytes = word_bytes
        self._tag_bits = tag_bits
        super().__init__(
            {
                "qpus": In(VpmPort()).array(qpus),
                "bus": Out(MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)),
                "unbuilt": Out(VpmUnbuilt).array(qpus),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.quads = quads = Merge(QuadWrite, self._count)
        m.submodules.stores = stores = Merge(VdwStore, self._count)
        m.submodules.store = store = VpmStore(self._rows)
        m.submodules.vdw = vdw = Vdw(word_bytes=self._word_bytes, tag_bits=self._tag_bits)
        for number, qpu in enumerate(self.qpus):
            m.submodules[f"write_port{number}"] = port = WritePort(self._rows)
            connect(m, flipped(qpu), port.port)
            connect(m, port.quads, quads.i[number])
            connect(m, port.stores, stores.i[number])
            m.d.comb += [
                port.unread.eq(vdw.unread),
                port.store_done.eq(vdw.done),
                self.unbuilt[number].eq(port.unbuilt),
            ]
        connect(m, quads.o, store.writes)
        connect(m, stores.o, vdw.stores)
        connect(m, vdw.bus, flipped(self.bus))
        m.d.comb += [
            store.read.eq(vdw.read),
            store.read_enable.eq(vdw.read_enable),
            vdw.read_data.eq(store.read_data),
            self.error.eq(vdw.error),
        ]
        return m
