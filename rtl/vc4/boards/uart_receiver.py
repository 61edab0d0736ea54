"""Bytes from a serial line."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

__all__ = ["LEAST_DIVISOR", "UartReceiver"]

#: Clocks of a bit at the least: bits are looked at in their middle, and the line is seen two clocks late.
LEAST_DIVISOR = 4


class UartReceiver(wiring.Component):
    """Receives bytes of eight bits without parity, the lowest bit first (8N1).

    Behaviour: each bit is looked at once, in its middle, counted from where the start bit falls; the line may be
    asynchronous. A byte is told once, in the middle of its stop bit. A start bit that is gone in its middle is none. A byte
    without a stop bit is dropped, and the next one begins when the line has been high again.

    Parameters
    ----------
    divisor : clocks of a bit, at least `LEAST_DIVISOR`

    Interface attributes
    --------------------
    i : the line, high while nothing comes
    o : the bytes; nobody can have them wait
    """

    def __init__(self, divisor: int):
        if divisor < LEAST_DIVISOR:
            raise ValueError(f"a bit has at least {LEAST_DIVISOR} clocks, not {divisor!r}")
        self._divisor = divisor
        super().__init__({"i": In(1, init=1), "o": Out(stream.Signature(8, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        line = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.i, line, init=1)
        timer = Signal(range(self._divisor))  # clocks until the next bit is looked at
        looks = Signal()
        bits = Signal(range(8))
        m.d.comb += looks.eq(timer == 0)
        m.d.sync += timer.eq(Mux(looks, self._divisor - 1, timer - 1))
        with m.FSM(name="byte"):
            with m.State("IDLE"):
                m.d.sync += [timer.eq(self._divisor // 2 - 1), bits.eq(0)]
                with m.If(~line):
                    m.next = "START"
            with m.State("START"):
                with m.If(looks):
                    m.next = "DATA"
                with m.If(looks & line):
                    m.next = "IDLE"
            with m.State("DATA"):
                with m.If(looks):
                    m.d.sync += [self.o.payload.eq(Cat(self.o.payload[1:], line)), bits.eq(bits + 1)]
                    with m.If(bits == 7):
                        m.next = "STOP"
            with m.State("STOP"):
                m.d.comb += self.o.valid.eq(looks & line)
                with m.If(looks):
                    m.next = "BROKEN"
                with m.If(looks & line):
                    m.next = "IDLE"
            with m.State("BROKEN"):
                with m.If(line):
                    m.next = "IDLE"
        return m
