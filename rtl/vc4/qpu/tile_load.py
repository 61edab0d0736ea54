"""Loads from the tile buffer into r4."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import QUADS

from .control import Control
from .structs import LANES, THREADS
from .tile_beat import TileBeat, TileWork

__all__ = ["TileLoad"]


class _State(enum.Enum, shape=2):
    NOTHING = 0
    ASKS = 1
    WAITS = 2
    THERE = 3


class TileLoad(wiring.Component):
    """Asks for what the instruction in SP loads, before it goes (docs/reference/rendering.md, fragment shaders).

    Behaviour: when all that the instructions before it have written is on its way, four beats ask; the instruction goes when
    the answer is there. That is some fifteen clocks; other threads and QPUs work meanwhile.

    Interface attributes
    --------------------
    control, thread : the instruction in SP
    wants : it loads, and may touch the tile buffer, whose queue has room for the four beats
    issues : it goes on its way
    pending : an instruction in the pipeline has something to say to the tile buffer
    came : the answer is there
    o : stream of beats, which are taken at once
    waits : the instruction must not go yet
    """

    control: In(Control)
    thread: In(range(THREADS))
    wants: In(1)
    issues: In(1)
    pending: In(1)
    came: In(1)
    o: Out(stream.Signature(TileBeat))
    waits: Out(1)

    def elaborate(self, platform):
        m = Module()
        state = Signal(_State)
        quad = Signal(range(QUADS))
        beat = self.o.payload
        m.d.comb += [
            self.o.valid.eq(state == _State.ASKS),
            beat.work.eq(TileWork.REQUEST),
            beat.command.eq(self.control.tile_load),
            beat.thread.eq(self.thread),
            # A read of coverage clears it: places that repeat the last quad come before it.
            beat.quad.eq(~quad),
            beat.mask.eq((1 << LANES) - 1),
            self.waits.eq(state != _State.THERE),
        ]
        with m.Switch(state):
            with m.Case(_State.NOTHING):
                with m.If(self.wants & ~self.pending):
                    m.d.sync += state.eq(_State.ASKS)
            with m.Case(_State.ASKS):
                m.d.sync += quad.eq(quad + 1)
                with m.If(quad == QUADS - 1):
                    m.d.sync += state.eq(_State.WAITS)
            with m.Case(_State.WAITS):
                with m.If(self.came):
                    m.d.sync += state.eq(_State.THERE)
            with m.Case(_State.THERE):
                with m.If(self.issues):
                    m.d.sync += state.eq(_State.NOTHING)
        return m
