"""A performance counter."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.register import WORD_BITS

from .structs import events_layout

__all__ = ["Counter"]


class Counter(wiring.Component):
    """Counts the events of one source (guide, tables 82 to 86); an event shows in `count` two clocks later.

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    events : of this clock, of all sources
    source : number of the one that is counted; numbers of none count nothing
    enable : count
    clear : become 0; events of the clock before get lost
    write_stb, write_data : a new count, unless it is cleared
    count : what has been counted, modulo 2**32
    """

    def __init__(self, config: V3DConfig):
        super().__init__(
            {
                "events": In(events_layout(config)),
                "source": In(range(1 << len(SOURCES).bit_length())),
                "enable": In(1),
                "clear": In(1),
                "write_stb": In(1),
                "write_data": In(WORD_BITS),
                "count": Out(WORD_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        choices = [self.events[source.name] for source in SOURCES]
        choices += [C(0, 1)] * ((1 << len(self.source)) - len(choices))
        chosen = select(self.source, choices)
        step = Signal(len(chosen))
        m.d.sync += step.eq(Mux(self.enable, chosen, 0))
        with m.If(self.clear):
            m.d.sync += self.count.eq(0)
        with m.Elif(self.write_stb):
            m.d.sync += self.count.eq(self.write_data)
        with m.Else():
            m.d.sync += self.count.eq(self.count + step)
        return m
