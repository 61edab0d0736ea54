"""One register at a time."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.axi import AxiLitePort
from vc4.regs.register import WORD_BITS
from vc4.regs.table import OFFSET_BITS

__all__ = ["RegisterAccess"]

_WHOLE = 0b1111


class RegisterAccess(wiring.Component):
    """Reads or writes a register of the GPU.

    Interface attributes
    --------------------
    start : begin; `write`, `offset` and `word` stay until `done`
    read_word : what was read, in the clock of `done`
    m_axil : the registers
    done : the last clock of it
    """

    start: In(1)
    write: In(1)
    offset: In(OFFSET_BITS)
    word: In(WORD_BITS)
    read_word: Out(WORD_BITS)
    m_axil: Out(AxiLitePort(address_bits=OFFSET_BITS))
    done: Out(1)

    def elaborate(self, platform):
        m = Module()
        axi = self.m_axil
        m.d.comb += [
            axi.awaddr.eq(self.offset),
            axi.araddr.eq(self.offset),
            axi.wdata.eq(self.word),
            axi.wstrb.eq(_WHOLE),
            axi.bready.eq(1),
            axi.rready.eq(1),
            self.read_word.eq(axi.rdata),
            self.done.eq(axi.bvalid | axi.rvalid),
        ]
        with m.If(self.start):
            m.d.sync += [axi.awvalid.eq(self.write), axi.wvalid.eq(self.write), axi.arvalid.eq(~self.write)]
        for channel in ("aw", "w", "ar"):
            with m.If(getattr(axi, f"{channel}ready")):
                m.d.sync += getattr(axi, f"{channel}valid").eq(0)
        return m
