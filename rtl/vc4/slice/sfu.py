"""The special function unit."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from vc4.arith.sfu_lane import SfuLane
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES

from .sfu_port import SfuPort, SfuRequest
from .sfu_requests import SfuRequests

__all__ = ["Sfu"]


class Sfu(wiring.Component):
    """Special functions for all QPUs of a slice, one quad a clock (guide, section 3, special functions unit).

    Behaviour: vectors of several QPUs take turns. Whatever the others do, a vector is begun at most three vectors, twelve
    clocks, later than without them, if all give their quads in successive clocks, and then its quads follow each other.
    Nothing is lost whatever the gaps.

    Timing: a quad that comes in clock c leaves its queue in clock c + 1 or later, and `Sfu.LATENCY` clocks after that its
    result is there, for one clock. That is as late as a program allows that reads r4 in the third instruction after the
    write. Where quad 0 of the write enters RA in clock 0::

        clock of quad q    7 + q      8 + q        9 + q to 11 + q        12 + q         13 + q
        the write, in IO   requests   leaves the   prepare, multiply,     normalise,     is in r4
                                      queue        sum                    result
        the reader                                 issued in clock 11     RA             RA2, reads r4

    The reader may be issued in clock 11 although the first result comes in clock 12, if the quads have left their queue in
    clock 8 and after; `busy` is low in the clock in which the last one leaves, which is clock 11 then. Where other QPUs
    come first, it falls later by the clocks that the vector waits. So an instruction that reads r4, or writes here again,
    waits in SP while `busy` is high, and needs to know no other clock. Of a write in one of the two instructions before it
    `busy` says nothing yet, as no quad of that has come.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    qpus : the port of each QPU, see `SfuPort`
    """

    #: From the clock in which a quad leaves its queue to its result.
    LATENCY = 1 + SfuLane.LATENCY

    def __init__(self, qpus: int):
        self._count = qpus
        super().__init__({"qpus": In(SfuPort()).array(qpus)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.sfu_requests = requests = SfuRequests(self._count)
        for number, port in enumerate(self.qpus):
            connect(m, flipped(port.requests), requests.requests[number])
            m.d.comb += port.busy.eq(requests.busy[number])

        request = Signal(SfuRequest, reset_less=True)
        m.d.sync += request.eq(requests.o)
        lanes = [SfuLane() for _ in range(LANES)]
        for number, lane in enumerate(lanes):
            m.submodules[f"sfu_lane_{number}"] = lane
            m.d.comb += [lane.function.eq(request.function), lane.word.eq(request.data[number])]

        quad, owner = requests.o.quad, requests.o_onehot
        for clock in range(self.LATENCY):
            before, quad = quad, Signal(range(QUADS), reset_less=True, name=f"quad_{clock}")
            m.d.sync += quad.eq(before)
            before, owner = owner, Signal(self._count, name=f"owner_{clock}")
            m.d.sync += owner.eq(before)
        for number, port in enumerate(self.qpus):
            m.d.comb += [
                *(port.result.data[lane].eq(lanes[lane].result) for lane in range(LANES)),
                *(port.result.quad.eq(quad), port.result_stb.eq(owner[number])),
            ]
        return m
