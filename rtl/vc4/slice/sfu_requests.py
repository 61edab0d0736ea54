"""The way into the special function unit: whose quad is next."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.arbiter import RoundRobin
from vc4.common.queue import Queue
from vc4.isa.registers import QUADS

from .sfu_port import SfuRequest

__all__ = ["SfuRequests"]


class SfuRequests(wiring.Component):
    """Joins the requests of several QPUs, vector after vector.

    Behaviour: a quad leaves one clock after it came, if it is its turn, and one quad leaves in every clock while there is
    one that may. Vectors take turns: one that has begun is finished first, and then waits while each of the others has one
    finished. A QPU that leaves gaps between the quads of a vector holds up the others.

    The queue of each QPU has room for one vector: who sends the next one when `busy` of the last has fallen never finds it
    full.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    requests : stream of `SfuRequest` of each QPU
    busy : one bit a QPU; high from the clock after the first quad of a vector came, low in the clock in which its last
        quad leaves, if its quads came in successive clocks
    o, o_onehot : the quad that leaves in this clock, and the QPU that it is from, one bit each; none if none leaves
    """

    def __init__(self, qpus: int):
        self._count = qpus
        super().__init__(
            {
                "requests": In(stream.Signature(SfuRequest)).array(qpus),
                "busy": Out(qpus),
                "o": Out(SfuRequest),
                "o_onehot": Out(qpus),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.turn = turn = RoundRobin(self._count)
        queues = [Queue(SfuRequest, QUADS) for _ in range(self._count)]
        unfinished = Signal()  # the vector of which a quad left last
        last = Signal(self._count)  # the QPU that it is from
        chosen = []
        for number, queue in enumerate(queues):
            m.submodules[f"queue_{number}"] = queue
            connect(m, flipped(self.requests[number]), queue.i)
            leaves = turn.grant_onehot[number]
            m.d.comb += [
                turn.requests[number].eq(queue.o.valid & (last[number] | ~unfinished)),
                queue.o.ready.eq(leaves),
            ]
            payload = Value.cast(queue.o.payload)
            chosen.append(payload & leaves.replicate(len(payload)))
            self._busy(m, number, queue, leaves)
        o = Signal(SfuRequest)
        m.d.comb += [
            turn.advance.eq(1),
            o.as_value().eq(reduce(or_, chosen)),
            *(self.o.eq(o), self.o_onehot.eq(turn.grant_onehot)),
        ]
        with m.If(turn.grant_onehot.any()):
            m.d.sync += [unfinished.eq(o.quad != QUADS - 1), last.eq(turn.grant_onehot)]
            m.d.sync += Assert(~unfinished | (last == turn.grant_onehot), "a vector begins in the midst of another one")
        return m

    def _busy(self, m, number, queue, leaves):
        """The vectors of which the first quad has come and the last but one has not left: two at the most fit in."""
        vectors = Signal(range(3), name=f"vectors_{number}")
        begins = Signal(name=f"begins_{number}")
        ends = Signal(name=f"ends_{number}")
        m.d.comb += [
            begins.eq(queue.i.valid & queue.i.ready & (queue.i.payload.quad == 0)),
            ends.eq(leaves & (queue.o.payload.quad == QUADS - 2)),
            self.busy[number].eq(vectors.any()),
        ]
        m.d.sync += vectors.eq(vectors + begins - ends)
        m.d.sync += Assert(~ends | vectors.any(), "a vector ends that has not begun")
