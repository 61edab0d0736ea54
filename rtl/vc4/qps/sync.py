"""Semaphores and mutex."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from vc4.common.arbiter import LeastRecent
from vc4.common.select import select
from vc4.isa.sync import SEMAPHORE_MAX, SEMAPHORES

from .port import SyncPort, SyncRequest

__all__ = ["Sync"]


class Sync(wiring.Component):
    """Sixteen semaphores, which count from 0 to 15, and a mutex for all QPUs (guide, section 3; QPU facts, 8.1).

    Behaviour: a request that can be fulfilled is granted two clocks after it was made or became possible, or later; one at
    a time, the QPU first that was served the longest time ago. So a QPU whose request can be fulfilled waits while each of
    the others is served once at the most. A grant stands until it is taken or the request is withdrawn; then the next one
    comes two clocks later. Any QPU may free the mutex, and one that frees it in the clock in which another one takes it
    has come first.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    qpus : the port of each QPU
    """

    def __init__(self, qpus: int):
        self._count = qpus
        super().__init__({"qpus": In(SyncPort()).array(qpus)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.turn = turn = LeastRecent(self._count)
        locked = Signal()
        counts = [Signal(range(SEMAPHORE_MAX + 1), name=f"semaphore_{number}") for number in range(SEMAPHORES)]
        # Whether a semaphore can count up, and whether it can count down: chosen by `acquire` above the number.
        counts_on = [*(count != SEMAPHORE_MAX for count in counts), *(count != 0 for count in counts)]
        # Whether each request can be fulfilled, a clock later: while nothing is granted nothing changes but for the better.
        possible = Signal(self._count)
        granted = Signal(self._count)
        valid = Cat(port.request_valid for port in self.qpus)
        takes = Cat(port.take for port in self.qpus)
        for number, port in enumerate(self.qpus):
            request = port.request
            fulfilled = Mux(request.mutex, ~locked, select(Cat(request.number, request.acquire), counts_on))
            m.d.sync += possible[number].eq(port.request_valid & fulfilled & ~granted.any())
            m.d.comb += port.granted.eq(granted[number])
        m.d.comb += [turn.requests.eq(possible & valid), turn.advance.eq(~granted.any())]
        m.d.sync += granted.eq(Mux(granted.any(), granted & valid & ~takes, turn.grant_onehot))

        # A write to the mutex comes from an instruction that was issued before the one that takes it.
        with m.If(Cat(port.free_mutex for port in self.qpus).any()):
            m.d.sync += locked.eq(0)
        taken = Signal(SyncRequest)  # what happens now, of the one QPU that it may be
        m.d.comb += taken.as_value().eq(
            reduce(or_, (port.request.as_value() & port.take.replicate(len(taken.as_value())) for port in self.qpus))
        )
        with m.If(takes.any() & taken.mutex):
            m.d.sync += [locked.eq(1), Assert(~locked, "the mutex is taken twice")]
        for number, count in enumerate(counts):
            with m.If(takes.any() & ~taken.mutex & (taken.number == number)):
                m.d.sync += [
                    count.eq(count + Mux(taken.acquire, -1, 1)),
                    Assert(Mux(taken.acquire, count != 0, count != SEMAPHORE_MAX), "a semaphore counts too far"),
                ]
        m.d.sync += [
            Assert((takes & ~granted) == 0, "a request is taken that is not granted"),
            Assert((granted & (granted - 1)) == 0, "two requests are granted"),
        ]
        return m
