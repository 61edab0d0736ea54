"""The wires between a QPU and what it shades fragments with."""

from amaranth import *
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.fep.structs import FragmentQuad
from vc4.isa.registers import read_address
from vc4.slice.varying_port import VaryingPort
from vc4.tlb.port import TlbPort

from .fragment_flags import FragmentFlags
from .fragment_quads import FragmentQuads
from .pipeline import STAGES
from .tile_beat import TileWork
from .tile_outputs import TileOutputs
from .tile_queue import TileQueue

__all__ = ["FRAGMENT_PORTS", "attach_fragments"]

#: Ports of a QPU that shades fragments: the quads of a vector; tile buffer; interpolator; an instruction waits.
FRAGMENT_PORTS = {
    "quad": In(FragmentQuad),
    "quad_stb": In(1),
    "tlb": Out(TlbPort()),
    "varyings": Out(VaryingPort()),
    "waits_scoreboard": Out(1),
    "waits_varyings": Out(1),
}
_VARYING = read_address("vary")


def attach_fragments(m, qpu, errata):
    """Fragments: quads that come, what programs read of them, and the ways to tile buffer and interpolator.

    Returns what is loaded, see `attach_loads`.
    """
    m.submodules.fragment_quads = quads = FragmentQuads()
    m.submodules.fragment_flags = flags = FragmentFlags(errata)
    m.submodules.tile_outputs = outputs = TileOutputs()
    m.submodules.tile_queue = queue = TileQueue()
    front = qpu.front
    starts = qpu.quad_stb & (qpu.quad.quad == 0)
    m.d.comb += [
        *(port.eq(qpu.quad) for port in (quads.quad, flags.quad)),
        *(port.eq(qpu.quad_stb) for port in (quads.quad_stb, flags.quad_stb)),
        queue.starts.eq(starts << qpu.quad.thread),
        quads.leaves.eq(queue.tlb.done),
        quads.work_of.eq(queue.of),
        queue.work.eq(quads.work),
        flags.reads[0].eq(queue.of),
        queue.flags.eq(flags.flags[0]),
        queue.back.eq(flags.back[0]),
        *(getattr(flags, name).eq(getattr(queue, name)) for name in ("write", "write_stb", "reverses", "reverse")),
        flags.thread.eq(queue.of.thread),
        queue.write_ready.eq(flags.write_ready),
    ]
    connect(m, queue.tlb, flipped(qpu.tlb))
    _beats(m, qpu, outputs, queue)
    _read(m, qpu, quads, flags)
    _varyings(m, qpu)
    stages = [getattr(qpu.pipeline, stage) for stage in STAGES]
    state = front.fragment_state
    m.d.comb += [
        state.there.eq(quads.there),
        state.waits.eq(qpu.tlb.waits),
        state.varyings.eq(qpu.varyings.there),
        state.done.eq(queue.tlb.done),
        *(getattr(state, name).eq(getattr(queue, name)) for name in ("full", "empty", "came")),
        state.pending.eq(Cat(stage.live & stage.issued.control.writes_tile for stage in stages).any()),
        queue.loaded_quad.eq(qpu.r4.loaded_quad),
    ]
    m.d.sync += [
        qpu.waits_scoreboard.eq(front.sp_valid & front.stall.scoreboard),
        qpu.waits_varyings.eq(front.sp_valid & front.stall.varying),
    ]
    ra = qpu.pipeline.ra
    return [(ra.live & ra.issued.control.loads_tile, queue.loaded)]


def _beats(m, qpu, outputs, queue):
    """What the queue gets: writes of the instruction in IO, the end of a program, or what the instruction in SP loads."""
    io, results, loads = qpu.pipeline.io, qpu.outputs, qpu.front.tile_beats
    beat = queue.i.payload
    m.d.comb += [
        outputs.io_control.eq(io.issued.control),
        outputs.io_live.eq(results.io_live & ~io.issued.loads_fragments),
        outputs.io_quad.eq(io.quad),
        outputs.io_thread.eq(io.issued.view.thread),
        outputs.io_add.eq(results.io_add),
        outputs.io_mul.eq(results.io_mul),
        outputs.o.ready.eq(1),
        loads.ready.eq(1),
        beat.eq(outputs.o.payload),
        queue.i.valid.eq(outputs.o.valid),
    ]
    with m.If(io.live & (io.quad == 0) & io.issued.closes):
        m.d.comb += [queue.i.valid.eq(1), beat.work.eq(TileWork.END)]
    with m.Elif(loads.valid):
        m.d.comb += [queue.i.valid.eq(1), beat.eq(loads.payload)]


def _read(m, qpu, quads, flags):
    """What the ports show in RA: W and Z for the first slot of a program; else place, flags and side."""
    ra = qpu.pipeline.ra
    shown = qpu.read_ports.ra_fragments
    of = Cat(ra.quad, ra.issued.view.thread)
    m.d.comb += [
        quads.seen_of.eq(of),
        quads.place_stb.eq(qpu.front.fragments.bit_select(ra.issued.view.thread, 1)),
        quads.depths_stb.eq(ra.issued.loads_fragments),
        flags.reads[1].eq(of),
        *(shown.x.eq(quads.place.x), shown.y.eq(quads.place.y)),
        shown.words.a.eq(quads.depths.w),
        *(lane.eq(z) for lane, z in zip(shown.words.b, quads.depths.z, strict=True)),
        *(shown.flags.eq(flags.flags[1]), shown.back.eq(flags.back[1])),
    ]


def _varyings(m, qpu):
    """A varying is taken in RA; its partial result is on the ports that name it, and its C in r5 for the next instruction."""
    ra, port, ports, accumulators = qpu.pipeline.ra, qpu.varyings, qpu.read_ports, qpu.accumulators
    takes = ra.live & ra.issued.control.takes_varying
    named = [
        ra.issued.control.raddr_a == _VARYING,
        (ra.issued.control.raddr_b == _VARYING) & ~ra.issued.control.b_immediate,
    ]
    m.d.comb += [
        port.take.eq(takes),
        port.shows.eq(Cat(named) & takes.replicate(len(named))),
        port.thread.eq(ra.issued.view.thread),
        port.quad.eq(ra.quad),
        *(ports.ra2_varyings.a.eq(port.taken.partials[0]), ports.ra2_varyings.b.eq(port.taken.partials[1])),
        accumulators.takes_varying.eq(qpu.pipeline.a2.issued.control.takes_varying),
        *(port.ended[number].eq(ended & qpu.front.fragments[number]) for number, ended in enumerate(qpu.ended)),
    ]
    c, stb = port.taken.c, Signal(name="ra2_takes_varying")
    m.d.sync += stb.eq(takes)
    for stage in ("ru", "rr", "a0", "a1"):
        before, c, stb = (c, stb), Signal(32, name=f"{stage}_c"), Signal(name=f"{stage}_c_stb")
        m.d.sync += [c.eq(before[0]), stb.eq(before[1])]
    m.d.comb += [accumulators.a1_c.eq(c), accumulators.a1_c_stb.eq(stb)]
