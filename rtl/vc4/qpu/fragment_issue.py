"""What the instruction in SP of a fragment shader waits for."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .control import Control
from .fragment_start import FragmentStart
from .structs import THREADS, FragmentStalls, FragmentState
from .tile_beat import TileBeat
from .tile_load import TileLoad

__all__ = ["FragmentIssue"]


class FragmentIssue(wiring.Component):
    """Knows which threads shade fragments, and how far these are.

    Interface attributes
    --------------------
    starts, started, shades : a program begins, its thread, and whether it shades fragments
    ends, thread : the program of this thread has ended
    slot_end, sp_valid, sp_control, issues : the instruction in SP, and whether it goes on its way; it is that of `thread`
    state : of the vectors, and of the ways to tile buffer and interpolator
    fragments : threads that shade fragments
    closing : one of them has ended, and what it has said to the tile buffer is not taken yet
    loads, fills : a slot enters RA that brings W and Z into registers; or one after that, which does nothing
    beats : stream of beats for the tile buffer, which are taken at once
    stalls : why the instruction waits
    """

    starts: In(1)
    started: In(range(THREADS))
    shades: In(1)
    ends: In(1)
    thread: In(range(THREADS))
    slot_end: In(1)
    sp_valid: In(1)
    sp_control: In(Control)
    issues: In(1)
    state: In(FragmentState)
    fragments: Out(THREADS)
    closing: Out(1)
    loads: Out(1)
    fills: Out(1)
    beats: Out(stream.Signature(TileBeat))
    stalls: Out(FragmentStalls)

    def elaborate(self, platform):
        m = Module()
        m.submodules.fragment_start = start = FragmentStart()
        m.submodules.tile_load = load = TileLoad()
        control, needs, state, stalls = self.sp_control, self.sp_control.needs, self.state, self.stalls
        shades = Signal()
        scoreboard = Signal()
        new = Signal(THREADS)
        gone = Signal(THREADS)  # what they said to the tile buffer is not taken yet
        thread = 1 << self.thread
        m.d.comb += [
            shades.eq((self.fragments & thread).any()),
            scoreboard.eq(shades & control.waits_scoreboard & (state.waits & thread).any()),
            new.eq(Mux(self.starts, 1 << self.started, 0)),
            self.closing.eq(gone.any()),
            stalls.start.eq(start.waits),
            stalls.scoreboard.eq(scoreboard),
            stalls.varying.eq(shades & needs.varyings & ~(state.varyings & thread).any()),
            stalls.tlb.eq(
                shades
                & (
                    ((needs.tile_buffer | needs.fragment) & state.full)
                    | (control.loads_tile & load.waits)
                    | (control.reads_fragment & (state.pending | ~state.empty))
                )
            ),
            stalls.lacks.eq(~shades),
            start.starts.eq(new & self.shades.replicate(THREADS)),
            start.there.eq(state.there),
            *(
                getattr(start, name).eq(getattr(self, name))
                for name in ("thread", "slot_end", "sp_valid", "sp_control")
            ),
            start.issues.eq(self.issues),
            self.loads.eq(start.loads),
            self.fills.eq(start.fills),
            load.control.eq(control),
            load.thread.eq(self.thread),
            load.wants.eq(self.sp_valid & control.loads_tile & shades & ~scoreboard & ~start.waits & ~state.full),
            load.issues.eq(self.issues),
            load.pending.eq(state.pending),
            load.came.eq(state.came),
        ]
        wiring.connect(m, load.o, wiring.flipped(self.beats))
        m.d.sync += [
            self.fragments.eq((self.fragments & ~new) | (new & self.shades.replicate(THREADS))),
            gone.eq((gone & ~state.done) | (Mux(self.ends, thread, 0) & self.fragments)),
        ]
        return m
