"""The way of QPUs into the tile buffer."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.merge import Merge
from vc4.common.queue import Queue

from .colour_requests import ColourRequests
from .depth_requests import DepthRequests
from .port import TlbPort
from .request_port import RequestPort
from .request_structs import TlbEvents, colour_request, depth_request, port_answer
from .structs import DepthCounts, StencilFace, stencil_write
from .tile_port import TilePort

__all__ = ["TlbRequests"]

#: Two places pass a request every clock, and keep the ready of both sides apart.
_DEPTH = 2


class TlbRequests(wiring.Component):
    """Carries out requests of QPUs: those for Z and stencil one after the other, and beside them those for colours and alpha
    mask (guide, section 5; pipeline facts, 5.2).

    Behaviour: a request of each kind is taken each clock, of the QPUs in turn, and is at the memories a clock later. The
    answer of a test is at its port 7 clocks after the request was taken, that of a colour 5 clocks. Requests for a memory
    happen in the order in which they are taken. Answers of all QPUs take turns, one each clock: who leaves his standing holds
    up those after it, so he must not wait for anything else of the tile buffer.

    Parameters
    ----------
    qpus : number of them; each has two threads

    Interface attributes
    --------------------
    ports : a `TlbPort` for each QPU
    waits, lets_go : of all threads, for the scoreboard
    begins : strobes: threads that get a new vector, whose program is not there yet
    tile : the memories
    depth_counts : of `DepthStencil`
    stencil_writes, stencil_starts, stencil_thread, stencil_back, stencil_face : of `StencilSetUps`
    events : for performance counters
    busy : a request is taken and not carried out, or an answer has not left
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        threads = 2 * qpus
        super().__init__(
            {
                "ports": In(TlbPort()).array(qpus),
                "waits": In(threads),
                "lets_go": Out(threads),
                "begins": In(threads),
                "tile": Out(TilePort()),
                "depth_counts": In(DepthCounts),
                "stencil_writes": Out(stream.Signature(stencil_write(threads))),
                "stencil_starts": Out(threads),
                "stencil_thread": Out(range(threads)),
                "stencil_back": Out(1),
                "stencil_face": In(StencilFace),
                "events": Out(TlbEvents),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        threads = 2 * self._qpus
        m.submodules.depth = depth = DepthRequests(threads)
        m.submodules.colour = colour = ColourRequests(self._qpus)
        m.submodules.depth_merge = depth_merge = Merge(depth_request(threads), self._qpus)
        m.submodules.colour_merge = colour_merge = Merge(colour_request(self._qpus), self._qpus)
        m.submodules.depth_queue = depth_queue = Queue(depth_request(threads), _DEPTH)
        m.submodules.colour_queue = colour_queue = Queue(colour_request(self._qpus), _DEPTH)
        m.submodules.answer_merge = answers = Merge(port_answer(self._qpus), 2)
        m.submodules.answer_queue = answer = Queue(port_answer(self._qpus), _DEPTH)
        for merge, queue, requests, kind in (
            (depth_merge, depth_queue, depth, 0),
            (colour_merge, colour_queue, colour, 1),
        ):
            connect(m, merge.o, queue.i)
            connect(m, queue.o, requests.i)
            connect(m, requests.o, answers.i[kind])
        connect(m, answers.o, answer.i)
        busy = []
        ready = Signal()
        for number, port in enumerate(self.ports):
            m.submodules[f"port_{number}"] = one = RequestPort(number, self._qpus)
            connect(m, flipped(port.requests), one.i)
            connect(m, one.depth, depth_merge.i[number])
            connect(m, one.colour, colour_merge.i[number])
            here = answer.o.payload.port == number
            busy.append(one.busy)
            m.d.comb += [
                port.answers.valid.eq(answer.o.valid & here),
                port.answers.payload.eq(answer.o.payload.answer),
                one.answered.eq(port.answers.valid & port.answers.ready),
                one.begins.eq(self.begins[2 * number : 2 * number + 2]),
                port.waits.eq(self.waits[2 * number : 2 * number + 2]),
                self.lets_go[2 * number : 2 * number + 2].eq(port.done),
            ]
            with m.If(here):
                m.d.comb += ready.eq(port.answers.ready)
        m.d.comb += [
            answer.o.ready.eq(ready),
            self.busy.eq(Cat(busy).any() | depth_queue.o.valid | colour_queue.o.valid),
        ]
        self._connect(m, depth, colour)
        return m

    def _connect(self, m, depth, colour):
        """What goes out as it is."""
        connect(m, depth.stencil_writes, flipped(self.stencil_writes))
        for name in ("depth_writes", "colour_writes", "colour_reads", "mask_writes", "mask_reads"):
            connect(m, getattr(depth if name[0] == "d" else colour, name), flipped(getattr(self.tile, name)))
        for name in ("depth_answers", "colours", "masks"):
            connect(m, flipped(getattr(self.tile, name)), getattr(depth if name[0] == "d" else colour, name))
        counts, events = self.depth_counts, self.events
        m.d.comb += [
            self.stencil_starts.eq(depth.starts),
            self.stencil_thread.eq(depth.thread),
            self.stencil_back.eq(depth.back),
            depth.face.eq(self.stencil_face),
            events.TLB_QUADS_WRITTEN.eq(colour.written),
            events.TLB_QUADS_COVERED.eq(depth.covered),
            events.TLB_QUADS_UNCOVERED.eq(depth.uncovered),
            events.TLB_QUADS_STENCIL_FAILED.eq(counts.stencil_failed),
            events.TLB_QUADS_Z_FAILED.eq(counts.z_failed),
            events.TLB_QUADS_Z_PASSED.eq(counts.z_passed),
        ]
