"""Many clients, one memory."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import ceil_log2

from vc4.common.arbiter import RoundRobin
from vc4.common.queue import Queue

from .port import MemoryPort

__all__ = ["Hub"]

#: Two places pass an item every clock and keep the ready of the two sides apart; more would only hide gaps.
_DEPTH = 2
#: Writes that memory knows of before their words come, so that its latency hides behind the words of earlier ones.
_WRITERS = 4


class Hub(wiring.Component):
    """Joins the memory ports of several clients into one.

    Behaviour: a request, a word and a response each take one clock through the hub, and each of the three channels
    moves one item a clock. Requests take turns; writes wait, without holding up reads, while four earlier writes still
    have words to come. The words of a write pass without a word of another client between them. Each response goes to
    the client that asked, which finds the tag that it gave. `valid` and `ready` towards memory come from registers.

    A client must take its responses without waiting for anything else of the hub: one that it leaves standing holds up
    those after it.

    Parameters
    ----------
    clients : number of clients
    word_bytes : width of the bus in bytes
    client_tag_bits : width of a tag of a client

    Interface attributes
    --------------------
    clients : the memory ports of the clients
    bus : the memory port to memory; its tags have the number of the client above the client's own tag
    """

    def __init__(self, clients: int, *, word_bytes: int, client_tag_bits: int = 1):
        self._count = clients
        client_port = MemoryPort(word_bytes=word_bytes, tag_bits=client_tag_bits)
        bus_port = MemoryPort(word_bytes=word_bytes, tag_bits=client_tag_bits + ceil_log2(clients))
        super().__init__({"clients": In(client_port).array(clients), "bus": Out(bus_port)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Queue(self.bus.signature.request_layout, _DEPTH)
        m.submodules.writes = writes = Queue(self.bus.signature.write_layout, _DEPTH)
        m.submodules.responses = responses = Queue(self.bus.signature.response_layout, _DEPTH)
        m.submodules.writers = writers = Queue(range(self._count), _WRITERS)  # whose words come, in order
        connect(m, requests.o, flipped(self.bus.requests))
        connect(m, writes.o, flipped(self.bus.writes))
        connect(m, flipped(self.bus.responses), responses.i)

        self._requests(m, requests.i, writers.i)
        self._writes(m, writers.o, writes.i)
        self._responses(m, responses.o)
        return m

    def _requests(self, m, requests, writers):
        """One request a clock goes to memory, a write also into the order of the writers."""
        m.submodules.turn = turn = RoundRobin(self._count)
        m.d.comb += turn.advance.eq(requests.ready)
        for number, client in enumerate(self.clients):
            request = client.requests.payload
            m.d.comb += [
                turn.requests[number].eq(client.requests.valid & (writers.ready | ~request.write)),
                client.requests.ready.eq(turn.grant_onehot[number] & requests.ready),
            ]
            with m.If(turn.grant_onehot[number]):
                m.d.comb += [
                    requests.payload.address.eq(request.address),
                    requests.payload.write.eq(request.write),
                    requests.payload.beats.eq(request.beats),
                    requests.payload.tag.eq(Cat(request.tag, Const(number, len(turn.grant)))),
                ]
        m.d.comb += [
            requests.valid.eq(turn.grant_onehot.any()),
            writers.valid.eq(turn.grant_onehot.any() & requests.ready & requests.payload.write),
            writers.payload.eq(turn.grant),
        ]

    def _writes(self, m, writers, writes):
        """The words of the oldest write pass, until its last."""
        with m.Switch(writers.payload):
            for number, client in enumerate(self.clients):
                with m.Case(number):
                    m.d.comb += [
                        writes.valid.eq(client.writes.valid & writers.valid),
                        writes.payload.eq(client.writes.payload),
                        client.writes.ready.eq(writes.ready & writers.valid),
                    ]
        m.d.comb += writers.ready.eq(writes.valid & writes.ready & writes.payload.last)

    def _responses(self, m, responses):
        """Each response goes to the client whose number its tag carries."""
        tag_bits = len(responses.payload.tag) - ceil_log2(self._count)
        owner = responses.payload.tag[tag_bits:]
        m.d.sync += Assert(~responses.valid | (owner < self._count), "a response to a client that does not exist")
        with m.Switch(owner):
            for number, client in enumerate(self.clients):
                with m.Case(number):
                    m.d.comb += [
                        client.responses.valid.eq(responses.valid),
                        responses.ready.eq(client.responses.ready),
                    ]
        for client in self.clients:
            m.d.comb += [
                client.responses.payload.tag.eq(responses.payload.tag[:tag_bits]),
                client.responses.payload.data.eq(responses.payload.data),
                client.responses.payload.last.eq(responses.payload.last),
                client.responses.payload.error.eq(responses.payload.error),
            ]
