"""Requests of QPUs for Z, stencil and coverage."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import DepthTest

from .coverage import SAMPLES_16, covered_samples, level_of
from .request_structs import depth_request, port_answer
from .structs import DepthAnswer, DepthWrite, StencilFace, stencil_write

__all__ = ["DepthRequests"]

#: Of requests whose answer is on its way.
_DEPTH = 8
_BYTES = 4


class DepthRequests(wiring.Component):
    """Carries out what programs ask of Z and stencil, one request after the other (docs/reference/rendering.md, fragment
    shaders and coverage accumulation).

    Behaviour: a set-up takes a clock, a test or a read of coverage a clock or as long as `DepthStencil` takes. An answer is at
    the output a clock after it has come. A vector has no stencil test until it sets one up: that is so from the first request
    of a thread with `fresh` on, as requests of the vector before may be on their way when the next one begins.

    Parameters
    ----------
    threads : of all QPUs, two for each port

    Interface attributes
    --------------------
    i : stream of `depth_request`
    o : stream of `port_answer`
    depth_writes, depth_answers : of `DepthStencil`
    stencil_writes, starts, thread, back, face : of `StencilSetUps`
    covered, uncovered : strobes: a quad with a flag has some coverage in pixels with a flag, or none
    """

    def __init__(self, threads: int):
        self._ports = threads // 2
        super().__init__(
            {
                "i": In(stream.Signature(depth_request(threads))),
                "o": Out(stream.Signature(port_answer(threads // 2))),
                "depth_writes": Out(stream.Signature(DepthWrite)),
                "depth_answers": In(stream.Signature(DepthAnswer)),
                "stencil_writes": Out(stream.Signature(stencil_write(threads))),
                "starts": Out(threads),
                "thread": Out(range(threads)),
                "back": Out(1),
                "face": In(StencilFace),
                "covered": Out(1),
                "uncovered": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        request, write = self.i.payload, self.depth_writes.payload
        about = data.StructLayout(
            {"port": range(self._ports), "coverage": 1, "as_mask": 1, "drawn": QUAD_PIXELS}
        )  # what the answer needs
        m.submodules.known = known = Queue(about, _DEPTH)
        drawn = Signal(QUAD_PIXELS)
        takes = Signal()
        m.d.comb += [
            drawn.eq(Cat(pixel.any() for pixel in request.flags)),
            self.depth_writes.valid.eq(self.i.valid & ~request.sets_up & known.i.ready),
            self.stencil_writes.valid.eq(self.i.valid & request.sets_up),
            self.i.ready.eq(Mux(request.sets_up, self.stencil_writes.ready, self.depth_writes.ready & known.i.ready)),
            takes.eq(self.i.valid & self.i.ready),
            self.starts.eq(Mux(takes & request.fresh, 1 << request.thread, 0)),
            self.thread.eq(request.thread),
            self.back.eq(request.back),
            self.stencil_writes.payload.thread.eq(request.thread),
            self.stencil_writes.payload.word.eq(Cat(request.data[0], request.high)),
            known.i.valid.eq(takes & ~request.sets_up),
            known.i.payload.port.eq(request.thread >> 1),
            known.i.payload.coverage.eq(request.coverage),
            known.i.payload.as_mask.eq(request.as_mask),
            known.i.payload.drawn.eq(drawn),
            write.place.eq(request.place),
            write.face.eq(self.face),
            write.counted.eq(~request.coverage),
        ]
        with m.If(request.coverage):
            # Of the first sample; a clear is a write of zeros.
            m.d.comb += [
                write.test.eq(Mux(request.clears, DepthTest.ALWAYS, DepthTest.NEVER)),
                write.updates.eq(request.clears),
                write.replaces.eq(request.clears),
                write.face.enable.eq(0),
                *(flags.eq(one) for flags, one in zip(write.flags, drawn, strict=True)),
            ]
        with m.Else():
            m.d.comb += [
                write.test.eq(request.test),
                write.updates.eq(request.updates),
                write.face.enable.eq(self.face.enable & ~request.fresh),
                write.flags.eq(request.flags),
                *(word.z.eq(z) for word, z in zip(write.words, request.data, strict=True)),
            ]
        self._answer(m, known)
        return m

    def _answer(self, m, known):
        """Flags, or coverage: which samples have some, a clock later how many."""
        about = known.o.payload
        kept = Signal(about.shape())
        masks = Signal(data.ArrayLayout(SAMPLES_16, QUAD_PIXELS))
        moves = Signal()
        m.d.comb += [
            moves.eq(known.o.valid & self.depth_answers.valid & (~self.o.valid | self.o.ready)),
            known.o.ready.eq(moves),
            self.depth_answers.ready.eq(known.o.valid & (~self.o.valid | self.o.ready)),
        ]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(moves):
            answer = self.depth_answers.payload
            m.d.sync += [
                self.o.valid.eq(1),
                kept.eq(about),
                self.o.payload.answer.flags.eq(answer.flags),
                *(mask.eq(covered_samples(word)) for mask, word in zip(masks, answer.words, strict=True)),
            ]
        some = Signal()
        given = Signal()
        m.d.comb += [
            self.o.payload.port.eq(kept.port),
            *(
                word.eq(Mux(kept.as_mask, mask, level_of(mask).replicate(_BYTES)))
                for word, mask in zip(self.o.payload.answer.data, masks, strict=True)
            ),
            some.eq((kept.drawn & Cat(mask.any() for mask in masks)).any()),
            given.eq(self.o.valid & self.o.ready & kept.coverage & kept.drawn.any()),
            self.covered.eq(given & some),
            self.uncovered.eq(given & ~some),
        ]
