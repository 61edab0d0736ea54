"""A way to memory that can be closed."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import MemoryPort

__all__ = ["BusGate"]

#: Requests under way at the most.
_IN_FLIGHT = 255


class BusGate(wiring.Component):
    """Passes what comes through a `MemoryPort`, until it is closed; then the client can be reset once it is `drained`.

    Behaviour: requests, words and responses pass at once. While `close` is high, requests wait; the words of those that have
    passed, and all responses, still pass. A request that waits may be taken back.

    Parameters
    ----------
    word_bytes, tag_bits : of the ports

    Interface attributes
    --------------------
    client, bus : the requests, and where they go
    close : no more requests
    drained : it is closed, and memory has answered all
    """

    def __init__(self, *, word_bytes: int, tag_bits: int):
        port = MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)
        super().__init__({"client": In(port), "bus": Out(port), "close": In(1), "drained": Out(1)})

    def elaborate(self, platform):
        m = Module()
        client, bus = self.client, self.bus
        in_flight = Signal(range(_IN_FLIGHT + 1))
        passes = Signal()
        sent = Signal()
        done = Signal()
        m.d.comb += [
            passes.eq(~self.close & (in_flight != _IN_FLIGHT)),
            bus.requests.payload.eq(client.requests.payload),
            bus.requests.valid.eq(client.requests.valid & passes),
            client.requests.ready.eq(bus.requests.ready & passes),
            sent.eq(bus.requests.valid & bus.requests.ready),
            bus.writes.payload.eq(client.writes.payload),
            bus.writes.valid.eq(client.writes.valid),
            client.writes.ready.eq(bus.writes.ready),
            client.responses.payload.eq(bus.responses.payload),
            client.responses.valid.eq(bus.responses.valid),
            bus.responses.ready.eq(client.responses.ready),
            done.eq(bus.responses.valid & bus.responses.ready & bus.responses.payload.last),
            self.drained.eq(self.close & (in_flight == 0)),
        ]
        m.d.sync += in_flight.eq(in_flight + sent - done)
        m.d.sync += Assert(~done | (in_flight != 0), "a response that nobody waits for")
        return m
