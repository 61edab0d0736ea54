"""The host's way to the registers, as AXI4-Lite."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.host.port import RegisterPort
from vc4.regs.table import OFFSET_BITS

from .axi import AxiLitePort, Response

__all__ = ["AxiLite"]

#: Strobes of a write of a whole word.
_WHOLE = 0b1111


class AxiLite(wiring.Component):
    """Carries out what an AXI4-Lite master asks, one access at a time.

    Behaviour: address and data of a write may come in any order and distance; both are taken in one clock, one after both
    are there. The response comes one clock later, as the word of a read does after its address. Everything that goes to
    the master comes from registers. Reads and writes take turns when both wait.

    Registers are whole words: a write of some of its bytes does nothing and is answered with an error (SLVERR); one of no
    byte does nothing.

    Interface attributes
    --------------------
    s_axil : the master
    port : the registers
    """

    s_axil: In(AxiLitePort(address_bits=OFFSET_BITS))
    port: Out(RegisterPort())

    def elaborate(self, platform):
        m = Module()
        axi, port = self.s_axil, self.port
        write = Signal()  # this clock takes one
        read = Signal()
        write_waits = Signal()
        read_waits = Signal()
        fetched = Signal()  # the registers have the word of the read that was taken

        m.d.comb += [
            write_waits.eq(axi.awvalid & axi.wvalid & ~write & ~axi.bvalid),
            read_waits.eq(axi.arvalid & ~read & ~axi.rvalid & ~write_waits),
            axi.awready.eq(write),
            axi.wready.eq(write),
            axi.arready.eq(read),
            port.write_stb.eq(write & (axi.wstrb == _WHOLE)),
            port.write_data.eq(axi.wdata),
            port.read_stb.eq(read),
            axi.rvalid.eq(fetched),
            axi.rdata.eq(port.read_data),
            axi.rresp.eq(Response.OKAY),
        ]
        m.d.sync += [write.eq(write_waits), read.eq(read_waits)]
        with m.If(write_waits | read_waits):
            m.d.sync += port.address.eq(Mux(write_waits, axi.awaddr, axi.araddr))
        with m.If(write):
            partial = (axi.wstrb != _WHOLE) & axi.wstrb.any()
            m.d.sync += [axi.bvalid.eq(1), axi.bresp.eq(Mux(partial, Response.SLVERR, Response.OKAY))]
        with m.Elif(axi.bready):
            m.d.sync += axi.bvalid.eq(0)
        with m.If(read):
            m.d.sync += fetched.eq(1)
        with m.Elif(axi.rready):
            m.d.sync += fetched.eq(0)
        return m
