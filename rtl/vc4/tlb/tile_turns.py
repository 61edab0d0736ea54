"""Two users of a memory of the tile buffer."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.merge import Merge
from vc4.common.queue import Queue

__all__ = ["TileTurns"]

#: Requests that are not answered: as many as hide the clocks of a memory.
_DEPTH = 8


class TileTurns(wiring.Component):
    """Requests of two users take turns, and answers, which come in their order, go back to who has asked.

    Behaviour: a request passes in the clock in which it comes, or a clock later if the last one was that of the other user; an
    answer without delay. An answer that is not taken holds up those after it.

    Parameters
    ----------
    request, answer : shapes

    Interface attributes
    --------------------
    requests, answers : streams of each user
    memory_requests, memory_answers : of the memory
    """

    def __init__(self, request, answer):
        self._request = request
        super().__init__(
            {
                "requests": In(stream.Signature(request)).array(2),
                "answers": Out(stream.Signature(answer)).array(2),
                "memory_requests": Out(stream.Signature(request)),
                "memory_answers": In(stream.Signature(answer)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.merge = merge = Merge(self._request, 2)
        m.submodules.order = order = Queue(1, _DEPTH)
        for own, one in zip(self.requests, merge.i, strict=True):
            connect(m, flipped(own), one)
        memory, answered = self.memory_requests, self.memory_answers
        first, second = self.answers
        m.d.comb += [
            memory.valid.eq(merge.o.valid & order.i.ready),
            memory.payload.eq(merge.o.payload),
            merge.o.ready.eq(memory.ready & order.i.ready),
            order.i.valid.eq(memory.valid & memory.ready),
            order.i.payload.eq(merge.i[1].ready),
            *(answer.payload.eq(answered.payload) for answer in self.answers),
            first.valid.eq(answered.valid & ~order.o.payload),
            second.valid.eq(answered.valid & order.o.payload),
            answered.ready.eq(Mux(order.o.payload, second.ready, first.ready)),
            order.o.ready.eq(answered.valid & answered.ready),
        ]
        return m
