"""The slot with which a fragment shader begins."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import FRAGMENT_REGISTER

from .control import Control
from .structs import THREADS

__all__ = ["FragmentStart"]


class FragmentStart(wiring.Component):
    """Brings W and Z into registers in front of the first instruction (pipeline facts, 4.7).

    Behaviour: a slot of the pipeline moves them, as soon as the quads are there. The first instruction follows in the next
    slot, or if it reads one of the two, after an empty one, which writes them back.

    Interface attributes
    --------------------
    starts : strobes: a vector comes to a thread
    there : threads with all quads of their vector
    thread, slot_end, sp_valid, sp_control, issues : the instruction in SP
    waits : it must not go yet
    loads, fills : the slot enters RA; the empty one does
    """

    starts: In(THREADS)
    there: In(THREADS)
    thread: In(range(THREADS))
    slot_end: In(1)
    sp_valid: In(1)
    sp_control: In(Control)
    issues: In(1)
    waits: Out(1)
    loads: Out(1)
    fills: Out(1)

    def elaborate(self, platform):
        m = Module()
        control = self.sp_control
        missing = Signal(THREADS)  # W and Z of these
        loaded = Signal()  # they are on their way
        reads = Signal()
        thread = 1 << self.thread
        own = (missing & thread).any()
        m.d.comb += [
            reads.eq(
                ((control.read_a | control.branch_register) & (control.raddr_a == FRAGMENT_REGISTER))
                | (control.read_b & ~control.b_immediate & (control.raddr_b == FRAGMENT_REGISTER))
            ),
            self.waits.eq(own | (loaded & reads)),
            self.loads.eq(self.slot_end & self.sp_valid & own & (self.there & thread).any()),
            self.fills.eq(self.slot_end & self.sp_valid & ~own & loaded & reads),
        ]
        m.d.sync += missing.eq((missing & ~Mux(self.loads, thread, 0)) | self.starts)
        with m.If(self.loads):
            m.d.sync += loaded.eq(1)
        with m.Elif(self.fills | self.issues):
            m.d.sync += loaded.eq(0)
        return m
