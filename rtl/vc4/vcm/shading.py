"""Batches on QPUs."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.merge import Merge
from vc4.common.queue import Queue
from vc4.qpu.structs import ProgramStart
from vc4.regs.scheduler import KINDS
from vc4.vpm.window import ShaderWindow

from .structs import BATCHES, THREADS, PlacedBatch, VertexFormat

__all__ = ["Shading", "ShadingPort"]

_VERTEX_KINDS = 1 << KINDS.index("vertex") | 1 << KINDS.index("coordinate")


class ShadingPort(wiring.Signature):
    """The side of the VCM of its way to QPUs.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    coordinates, vertices : streams of programs for batches of the binning and of the rendering thread
    starts : a QPU gets a program, one bit each
    idle : a QPU runs nothing and has nothing to say
    ended : strobe: a program of a QPU has ended
    shading : a QPU shades, or did, and its end was not noticed yet
    held : kinds of programs that a QPU must not get now, a bit for each of `KINDS`
    windows, restarts, filled : what a QPU reaches of the VPM, see `Vpm`
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        programs = stream.Signature(ProgramStart)
        super().__init__(
            {
                "coordinates": Out(programs),
                "vertices": Out(programs),
                "starts": In(qpus),
                "idle": In(qpus),
                "ended": In(qpus),
                "shading": Out(qpus),
                "held": Out(data.ArrayLayout(unsigned(len(KINDS)), qpus)),
                "windows": Out(ShaderWindow).array(qpus),
                "restarts": Out(qpus),
                "filled": In(qpus),
            }
        )

    def __eq__(self, other):
        return isinstance(other, ShadingPort) and self._qpus == other._qpus

    def __repr__(self):
        return f"ShadingPort({self._qpus})"


class Shading(wiring.Component):
    """Has batches shaded: asks for a QPU for each that needs one, in the order of its thread, and knows which QPU has which
    batch (guide, sections 7 and 8).

    Behaviour: a program is on offer in the clock after its batch came, or later. It is at its end when it has ended and the
    QPU has said everything to the VPM, and what it has not written is 0; until a clock later nobody else gets this QPU. Programs for vertices wait for a QPU
    that has nothing of other programs left to say. Ended batches come out one a clock.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    i : stream of `PlacedBatch`, with what they have in memory
    o : stream of `PlacedBatch`: shaded ones, and those that need not be
    formats : of each thread
    abandons : of each thread: its batches need not be shaded
    qpus : all QPUs
    """

    def __init__(self, qpus: int):
        self._count = qpus
        super().__init__(
            {
                "i": In(stream.Signature(PlacedBatch)),
                "o": Out(stream.Signature(PlacedBatch)),
                "formats": In(data.ArrayLayout(VertexFormat, THREADS)),
                "abandons": In(THREADS),
                "qpus": Out(ShadingPort(qpus)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.ends = ends = Merge(PlacedBatch, THREADS + self._count)
        connect(m, ends.o, flipped(self.o))
        queues = [Queue(PlacedBatch, BATCHES) for _ in range(THREADS)]
        begins = Signal(THREADS)
        batch = Signal(PlacedBatch)  # of the program that begins
        programs = (self.qpus.coordinates, self.qpus.vertices)
        for number, (queue, program, end) in enumerate(zip(queues, programs, ends.i, strict=False)):
            m.submodules[f"queue_{number}"] = queue
            placed, format_ = queue.o.payload, self.formats[number]
            needs_none = Signal(name=f"needs_none_{number}")
            m.d.comb += [
                queue.i.payload.eq(self.i.payload),
                queue.i.valid.eq(self.i.valid & (self.i.payload.batch.thread == number)),
                needs_none.eq(placed.bad | placed.dropped | self.abandons[number] | ~format_.shades),
                program.valid.eq(queue.o.valid & ~needs_none),
                program.payload.pc.eq(format_.pc),
                program.payload.uniforms.eq(format_.uniforms),
                begins[number].eq(program.valid & program.ready),
                end.valid.eq(queue.o.valid & needs_none),
                end.payload.eq(placed),
                queue.o.ready.eq(begins[number] | (end.valid & end.ready)),
            ]
            with m.If(begins[number]):
                m.d.comb += batch.eq(placed)
        m.d.comb += self.i.ready.eq(Mux(self.i.payload.batch.thread, queues[1].i.ready, queues[0].i.ready))
        for number in range(self._count):
            self._qpu(m, number, begins.any() & self.qpus.starts[number], batch, ends.i[THREADS + number])
        return m

    def _qpu(self, m, number, starts, batch, end):
        """Keeps the batch of a QPU until its program has ended."""
        shading, window = self.qpus.shading[number], self.qpus.windows[number]
        own = Signal(PlacedBatch, name=f"batch_{number}")
        over = Signal(name=f"over_{number}")
        idle = Signal(name=f"idle_{number}")
        m.d.comb += [
            self.qpus.restarts[number].eq(starts),
            self.qpus.held[number].eq(shading.replicate(len(KINDS)) | Mux(idle, 0, _VERTEX_KINDS)),
            window.shades.eq(shading),
            window.attributes.eq(own.attributes),
            window.results.eq(own.results),
            window.over.eq(over & idle),
            end.valid.eq(window.over & self.qpus.filled[number]),
            end.payload.eq(own),
        ]
        gone = end.valid & end.ready
        m.d.sync += [
            idle.eq(self.qpus.idle[number]),
            shading.eq(starts | (shading & ~gone)),
            over.eq(shading & (over | self.qpus.ended[number]) & ~gone),
        ]
        with m.If(starts):
            m.d.sync += own.eq(batch)
