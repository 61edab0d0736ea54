"""Bytes to a serial line."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .uart_receiver import LEAST_DIVISOR

__all__ = ["UartTransmitter"]

_BITS = 10  # of a byte on the line: start bit, byte, stop bit


class UartTransmitter(wiring.Component):
    """Sends bytes of eight bits without parity, the lowest bit first (8N1), back to back if there are some.

    Parameters
    ----------
    divisor : clocks of a bit, at least `LEAST_DIVISOR`

    Interface attributes
    --------------------
    i : the bytes; one is taken when the stop bit of the one before has ended
    o : the line, high while nothing is sent; it comes from a register
    """

    def __init__(self, divisor: int):
        if divisor < LEAST_DIVISOR:
            raise ValueError(f"a bit has at least {LEAST_DIVISOR} clocks, not {divisor!r}")
        self._divisor = divisor
        super().__init__({"i": In(stream.Signature(8)), "o": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        bits = Signal(_BITS, init=(1 << _BITS) - 1)  # the one on the line is the lowest
        left = Signal(range(_BITS + 1))
        timer = Signal(range(self._divisor))
        m.d.comb += [self.i.ready.eq(left == 0), self.o.eq(bits[0])]
        with m.If(self.i.ready):
            with m.If(self.i.valid):
                m.d.sync += [
                    bits.eq(Cat(Const(0, 1), self.i.payload, Const(1, 1))),
                    left.eq(_BITS),
                    timer.eq(self._divisor - 1),
                ]
        with m.Elif(timer == 0):
            m.d.sync += [bits.eq(Cat(bits[1:], Const(1, 1))), left.eq(left - 1), timer.eq(self._divisor - 1)]
        with m.Else():
            m.d.sync += timer.eq(timer - 1)
        return m
