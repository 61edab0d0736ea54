"""What the host sees of the front end's streams."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .debug_structs import DEBUG_REGISTERS, DEBUG_SIGNALS

__all__ = ["DebugStatus"]


class DebugStatus(wiring.Component):
    """FDBGO, FDBGB, FDBGR and FDBGS: who was ready, who waited, and what was under way (guide, tables 89 to 92).

    Behaviour: a clock late, so that no path of the front end leads to the host. Nothing is kept.

    Interface attributes
    --------------------
    found : what the components say in this clock, by the names of the fields
    status : what they said in the clock before, register by register
    """

    found: In(DEBUG_SIGNALS)
    status: Out(DEBUG_REGISTERS)

    def elaborate(self, platform):
        m = Module()
        for name, layout in DEBUG_REGISTERS.members.items():
            m.d.sync += [self.status[name][field].eq(self.found[field]) for field in layout.members]
        return m
