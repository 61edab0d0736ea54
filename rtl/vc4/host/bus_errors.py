"""Errors of the bus, as the host sees them."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.regs.extension import BUS_ERROR_CAUSES

__all__ = ["BusErrors"]

#: A bit for each cause.
_Causes = data.StructLayout({name: 1 for name, _ in BUS_ERROR_CAUSES})


class BusErrors(wiring.Component):
    """Keeps errors of the bus until the host clears them, and the address of the first; the chip has nothing like it.

    Interface attributes
    --------------------
    response_stb, response_address : memory has answered with an error
    window_stb, window_address : an access was outside of the memory windows
    lookup_stb : a lookup was one of these; it comes later than they do
    clear : what the host clears now
    enables : what interrupts the host
    flags : what has come
    address : of the first answer or access outside of the windows that came since there was none; of the access, if both come
        at once
    irq : an enabled one has come
    """

    response_stb: In(1)
    response_address: In(32)
    window_stb: In(1)
    window_address: In(32)
    lookup_stb: In(1)
    clear: In(_Causes)
    enables: In(_Causes)
    flags: Out(_Causes)
    address: Out(32)
    irq: Out(1)

    def elaborate(self, platform):
        m = Module()
        come = Signal(_Causes)
        left = Signal(_Causes)  # of what has come
        m.d.comb += [
            come.RESPONSE.eq(self.response_stb),
            come.WINDOW.eq(self.window_stb),
            come.LOOKUP.eq(self.lookup_stb),
            left.eq(self.flags.as_value() & ~self.clear.as_value()),
            self.irq.eq((self.flags.as_value() & self.enables.as_value()).any()),
        ]
        m.d.sync += self.flags.eq(left.as_value() | come.as_value())
        with m.If((come.RESPONSE | come.WINDOW) & ~(left.RESPONSE | left.WINDOW)):
            m.d.sync += self.address.eq(Mux(self.window_stb, self.window_address, self.response_address))
        return m
