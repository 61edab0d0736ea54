"""What the front of a QPU has to do with fragments."""

from amaranth import *
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.arith.unpack import UnpackKeys
from vc4.isa import ops
from vc4.isa.registers import FRAGMENT_REGISTER, read_address

from .fragment_issue import FragmentIssue
from .structs import THREADS, FragmentState
from .tile_beat import TileBeat

__all__ = ["FRONT_FRAGMENTS", "shade"]

_NOTHING = read_address("vary")  # unless a varying is taken
#: Moves what port A shows into a register of file A, and port B into file B.
_FRAGMENT_LOAD = {
    "read_a": 1,
    "read_b": 1,
    "raddr_a": _NOTHING,
    "raddr_b": _NOTHING,
    "add_a": ops.Mux.A,
    "add_b": ops.Mux.A,
    "mul_a": ops.Mux.B,
    "mul_b": ops.Mux.B,
    "op_add": ops.AddOp.OR,
    "op_mul": ops.MulOp.V8MIN,
    "cond_add": ops.Condition.ALWAYS,
    "cond_mul": ops.Condition.ALWAYS,
    "unpack": UnpackKeys.const({"whole": 1}),
    "waddr_add": FRAGMENT_REGISTER,
    "waddr_mul": FRAGMENT_REGISTER,
}
#: Ports of the front of a QPU that shades fragments.
FRONT_FRAGMENTS = {
    "fragment_state": In(FragmentState),
    "fragments": Out(THREADS),
    "closing": Out(1),
    "tile_beats": Out(stream.Signature(TileBeat)),
}


def shade(m, front, sequencer, threads, issue, *, fragments: bool):
    """Fragments, if the GPU has any: their first slot, what they wait for, and their end."""
    m.d.comb += front.issue.eq(sequencer.issue)
    if not fragments:
        m.d.comb += issue.fragments.lacks.eq(1)
        return
    m.submodules.fragments = own = FragmentIssue()
    connect(m, own.beats, flipped(front.tile_beats))
    ends = sequencer.issue & ~sequencer.sp_valid
    m.d.comb += [
        own.starts.eq(threads.uniform_start_stb),
        own.started.eq(threads.uniform_start.thread),
        own.shades.eq(front.start.payload.fragments),
        own.ends.eq(ends),
        own.thread.eq(sequencer.sp_view.thread),
        own.slot_end.eq(front.slot_end),
        own.sp_valid.eq(sequencer.sp_valid),
        own.sp_control.eq(issue.sp_control),
        own.issues.eq(sequencer.issue_instruction),
        own.state.eq(front.fragment_state),
        threads.closing.eq(own.closing),
        issue.fragments.eq(own.stalls),
        front.fragments.eq(own.fragments),
        front.closing.eq(own.closing),
        front.issue.eq(sequencer.issue | own.loads | own.fills),
    ]
    issued = front.issued
    with m.If(ends):
        m.d.comb += issued.closes.eq(own.fragments.bit_select(sequencer.sp_view.thread, 1))
    with m.If(own.loads):
        m.d.comb += [
            issued.loads_fragments.eq(1),
            *(getattr(issued.control, name).eq(value) for name, value in _FRAGMENT_LOAD.items()),
        ]
