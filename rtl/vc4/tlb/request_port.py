"""Requests of a QPU on their way to the memories."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import DEPTH_BITS

from .port import TlbCommand, TlbRequest
from .request_structs import colour_request, depth_request

__all__ = ["RequestPort"]

#: More than can be on their way.
_ANSWER_BITS = 5


class RequestPort(wiring.Component):
    """Sends a request to Z and stencil, or to colours, such that answers come in the order of the requests.

    Behaviour: a request passes without delay, unless it has an answer and one of the other memories is on its way.

    Parameters
    ----------
    number : of the port
    ports : how many there are

    Interface attributes
    --------------------
    i : stream of `TlbRequest`
    depth, colour : streams of `depth_request` and `colour_request`
    answered : strobe: an answer has left
    begins : strobes: a thread of the QPU gets a new vector
    busy : answers are on their way
    """

    def __init__(self, number: int, ports: int):
        self._number = number
        super().__init__(
            {
                "i": In(stream.Signature(TlbRequest)),
                "depth": Out(stream.Signature(depth_request(2 * ports))),
                "colour": Out(stream.Signature(colour_request(ports))),
                "answered": In(1),
                "begins": In(2),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        request, command = self.i.payload, self.i.payload.command
        under_way = Signal(_ANSWER_BITS)
        of_depth = Signal()  # those
        fresh = Signal(2)
        is_depth = Signal()
        has_answer = Signal()
        passes = Signal()
        asks = Signal()
        m.d.comb += [
            is_depth.eq(_one_of(command, TlbCommand.DEPTH, TlbCommand.STENCIL, TlbCommand.READ_COVERAGE)),
            has_answer.eq((command == TlbCommand.DEPTH) | (Value.cast(command) >= TlbCommand.READ_COLOUR.value)),
            passes.eq(~has_answer | ~self.busy | ((of_depth == is_depth) & ~under_way.all())),
            self.busy.eq(under_way.any()),
            self.depth.valid.eq(self.i.valid & passes & is_depth),
            self.colour.valid.eq(self.i.valid & passes & ~is_depth),
            self.i.ready.eq(passes & Mux(is_depth, self.depth.ready, self.colour.ready)),
            asks.eq(self.i.valid & self.i.ready & has_answer),
        ]
        m.d.sync += under_way.eq(under_way + asks - self.answered)
        with m.If(asks):
            m.d.sync += of_depth.eq(is_depth)
        taken = Mux(self.depth.valid & self.depth.ready, 1 << request.thread, 0)
        m.d.sync += fresh.eq((fresh & ~taken) | self.begins)
        self._fill(m, request, command, fresh)
        return m

    def _fill(self, m, request, command, fresh):
        """What each of both needs to know."""
        depth, colour = self.depth.payload, self.colour.payload
        m.d.comb += [
            depth.thread.eq(2 * self._number + request.thread),
            depth.sets_up.eq(command == TlbCommand.STENCIL),
            depth.coverage.eq(command == TlbCommand.READ_COVERAGE),
            depth.fresh.eq(fresh.bit_select(request.thread, 1)),
            *(depth[name].eq(request[name]) for name in ("place", "flags", "back", "test", "updates")),
            *(depth[name].eq(request[name]) for name in ("clears", "as_mask")),
            depth.high.eq(request.data[0] >> DEPTH_BITS),
            *(z.eq(word) for z, word in zip(depth.data, request.data, strict=True)),
            colour.port.eq(self._number),
            colour.mask.eq(_one_of(command, TlbCommand.MASK, TlbCommand.READ_MASK)),
            colour.reads.eq(_one_of(command, TlbCommand.READ_COLOUR, TlbCommand.READ_MASK)),
            *(colour[name].eq(request[name]) for name in ("place", "flags", "all", "sample", "word", "data")),
        ]


def _one_of(command, *commands):
    """Whether it is."""
    return Cat(command == one for one in commands).any()
