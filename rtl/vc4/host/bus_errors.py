"""Errors of the bus, as the host sees them."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BusErrors"]


class BusErrors(wiring.Component):
    """Keeps errors of the bus until the host clears them, and the address of the first; the chip has nothing like it.

    Interface attributes
    --------------------
    response_stb, response_address : memory has answered with an error
    window_stb, window_address : an access was outside of the memory windows
    clear : what the host clears now; bit 0: answers, bit 1: windows
    enables : what interrupts the host
    flags : what has come
    address : of the first that came since there was none; if both come at once, of the one outside of the windows
    irq : an enabled one has come
    """

    response_stb: In(1)
    response_address: In(32)
    window_stb: In(1)
    window_address: In(32)
    clear: In(2)
    enables: In(2)
    flags: Out(2)
    address: Out(32)
    irq: Out(1)

    def elaborate(self, platform):
        m = Module()
        come = Signal(2)
        left = Signal(2)  # of what has come
        m.d.comb += [
            come.eq(Cat(self.response_stb, self.window_stb)),
            left.eq(self.flags & ~self.clear),
            self.irq.eq((self.flags & self.enables).any()),
        ]
        m.d.sync += self.flags.eq(left | come)
        with m.If(come.any() & ~left.any()):
            m.d.sync += self.address.eq(Mux(self.window_stb, self.window_address, self.response_address))
        return m
