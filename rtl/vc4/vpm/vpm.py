"""The vertex pipe memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort

from .port import VpmPort, VpmUnbuilt
from .store import VpmStore
from .vdw import Vdw
from .write_port import WritePort

__all__ = ["Vpm"]


class Vpm(wiring.Component):
    """A memory of rows of sixteen words, which a QPU writes by vectors and a DMA engine stores to memory by blocks.

    Behaviour: one quad of a vector a clock from the QPU, one word of the bus a clock to memory; see `WritePort` and
    `Vdw` for what waits for what.

    Implements section 7 of the guide for one QPU, as far as `VpmUnbuilt` does not name it. A program that needs more
    stops the port, and the reason is shown.

    Parameters
    ----------
    rows : rows of sixteen words: 64 in 4 KiB
    word_bytes : width of the bus in bytes: 4, 8 or 16
    tag_bits : width of a tag

    Interface attributes
    --------------------
    qpu : the port of the QPU
    bus : the port to memory
    unbuilt : why the port has stopped; sticky
    error : memory has answered a store with an error; sticky
    """

    def __init__(self, rows: int = 64, *, word_bytes: int, tag_bits: int = 1):
        if rows not in (64, 128, 192, 256):
            raise ValueError(f"rows must be 64, 128, 192 or 256, not {rows!r}")
        if word_bytes not in (4, 8, 16):
            raise ValueError(f"word_bytes must be 4, 8 or 16, not {word_bytes!r}")
        self._rows = rows
        self._word_bytes = word_bytes
        self._tag_bits = tag_bits
        super().__init__(
            {
                "qpu": In(VpmPort()),
                "bus": Out(MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)),
                "unbuilt": Out(VpmUnbuilt),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.write_port = write_port = WritePort(self._rows)
        m.submodules.store = store = VpmStore(self._rows)
        m.submodules.vdw = vdw = Vdw(word_bytes=self._word_bytes, tag_bits=self._tag_bits)
        connect(m, flipped(self.qpu), write_port.port)
        connect(m, write_port.quads, store.writes)
        connect(m, write_port.stores, vdw.stores)
        connect(m, vdw.bus, flipped(self.bus))
        m.d.comb += [
            write_port.unread.eq(vdw.unread),
            write_port.store_done.eq(vdw.done),
            store.read.eq(vdw.read),
            store.read_enable.eq(vdw.read_enable),
            vdw.read_data.eq(store.read_data),
            self.unbuilt.eq(write_port.unbuilt),
            self.error.eq(vdw.error),
        ]
        return m
