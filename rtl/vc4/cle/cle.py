"""The control list executor."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.config import V3DConfig
from vc4.host.structs import live_signature, written_signature
from vc4.records.control import Threads
from vc4.regs.lists import LISTS

from .list_thread import ListThread
from .structs import ListItem

__all__ = ["Cle", "PipelinePort"]

_COUNT_BITS = 8


class PipelinePort(wiring.Signature):
    """The side of a thread of its pipeline.

    Parameters
    ----------
    item : shape of what it gets

    Interface attributes
    --------------------
    items : stream of what it gets, in the order of the lists
    busy : the pipeline has something to do
    stalled : and gets no further
    finished : strobe: a flush, or the last store of a frame, is done
    reset : strobe: forget everything that is under way
    """

    def __init__(self, item=ListItem):
        super().__init__(
            {
                "items": Out(stream.Signature(item)),
                "busy": In(1),
                "stalled": In(1),
                "finished": In(1),
                "reset": Out(1),
            }
        )


class Cle(wiring.Component):
    """Two threads that execute control lists, one in front of the binner, one in front of the renderer (guide, sections 8 to
    10; pipeline facts, 1.3).

    Behaviour: see `ListThread`. A thread whose flush or frame is done, and whose list has said so, counts the semaphore of
    the other one in the clock in which it hears of that.

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    written, live : its registers, by their names
    binner, renderer : the pipelines
    flushed, drawn : strobes for the interrupts
    out_of_memory : the binner waits for memory
    starves : of each thread: it would go on, if memory had answered
    ports : of each thread: its way into memory, which is only read
    """

    def __init__(self, config: V3DConfig):
        super().__init__(
            {
                "written": In(written_signature(LISTS, config)),
                "live": Out(live_signature(LISTS, config)),
                "binner": Out(PipelinePort()),
                "renderer": Out(PipelinePort()),
                "flushed": Out(1),
                "drawn": Out(1),
                "out_of_memory": In(1),
                "starves": Out(2),
                "ports": Out(MemoryPort(word_bytes=BUS_BYTES)).array(2),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.binning = binning = ListThread(Threads.BINNING)
        m.submodules.rendering = rendering = ListThread(Threads.RENDERING)
        written, status = self.written.PCS, self.live.PCS
        m.d.comb += [
            self.flushed.eq(binning.done),
            self.drawn.eq(rendering.done),
            rendering.counts.eq(binning.done & binning.increments),
            binning.counts.eq(rendering.done & rendering.increments),
            status.BMACTIVE.eq(binning.state.active),
            status.BMBUSY.eq(binning.state.active & ~self.binner.stalled),
            status.RMACTIVE.eq(rendering.state.active),
            status.RMBUSY.eq(rendering.state.active & ~self.renderer.stalled),
            status.BMOOM.eq(self.out_of_memory),
            self.starves.eq(Cat(binning.starves, rendering.starves)),
        ]
        for number, (thread, pipeline, reset) in enumerate(
            ((binning, self.binner, written.BMRST), (rendering, self.renderer, written.RMRST))
        ):
            connect(m, thread.port, flipped(self.ports[number]))
            self._registers(m, number, thread)
            m.d.comb += [
                pipeline.items.valid.eq(thread.o.valid),
                pipeline.items.payload.eq(thread.o.payload),
                thread.o.ready.eq(pipeline.items.ready),
                thread.busy.eq(pipeline.busy),
                thread.finished.eq(pipeline.finished),
                thread.writes.resets_pipeline.eq(reset),
                pipeline.reset.eq(reset),
            ]
        for count, done, clear in (
            (self.live.BFC.BMFCT, self.flushed, self.written.BFC.BMFCT),
            (self.live.RFC.RMFCT, self.drawn, self.written.RFC.RMFCT),
        ):
            m.d.sync += count.eq(Mux(clear, 0, count) + done)
        return m

    def _registers(self, m, number, thread):
        """Those of a thread."""
        state, writes = thread.state, thread.writes
        written = {name: getattr(self.written, f"CT{number}{name}") for name in ("CS", "EA", "CA", "LC")}
        live = {name: getattr(self.live, f"CT{number}{name}") for name in ("CS", "EA", "CA", "LC", "PC")}
        m.d.comb += [
            writes.new_current.eq(written["CA"].CTLCA),
            writes.new_end.eq(written["EA"].CTLEA),
            writes.current.eq(written["CA"].stb),
            writes.end.eq(written["EA"].stb),
            writes.resets.eq(written["CS"].CTRSTA),
            writes.stops.eq(written["CS"].CTRUN),
            writes.proceeds.eq(written["CS"].CTSUBS),
            writes.clears_returned.eq(written["LC"].CTLSLCS),
            writes.clears_flushes.eq(written["LC"].CTLLCM),
            live["CS"].CTERR.eq(state.error),
            live["CS"].CTSUBS.eq(state.suspended),
            live["CS"].CTRUN.eq(state.running),
            live["CS"].CTRTSD.eq(state.depth),
            live["CS"].CTSEMA.eq(state.semaphore),
            live["EA"].CTLEA.eq(state.end),
            live["CA"].CTLCA.eq(state.current),
            live["LC"].CTLSLCS.eq(state.returned),
            live["LC"].CTLLCM.eq(state.flushes),
            live["PC"].CTLPC.eq(state.primitives),
            getattr(self.live, f"CT0{number}RA0").CTLRA.eq(state.return_address),
        ]
        if number == 0:
            m.d.comb += live["CS"].CTMODE.eq(state.prefixing)
