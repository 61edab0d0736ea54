"""Memory windows: what the GPU may reach."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.regs.extension import PAGE_BITS, WINDOWS

from .axi import ADDRESS_BITS
from .port import MemoryPort

__all__ = ["Window", "Windows"]

_PAGE_NUMBER_BITS = ADDRESS_BITS - PAGE_BITS
#: Two places pass a request every clock and keep the ready of the two sides apart.
_DEPTH = 2
#: Requests under way that are counted; as many as any memory is asked for at once.
_IN_FLIGHT = 255


class Window(data.Struct):
    """Where the GPU may go, in pages of 4 KiB; a window does not go on at address 0 after the last address."""

    base: unsigned(_PAGE_NUMBER_BITS)  # the first page
    size: unsigned(_PAGE_NUMBER_BITS)  # number of pages; 0: none


class Windows(wiring.Component):
    """Lets requests pass that lie inside of a window, and answers the others itself; the chip has nothing like it.

    Behaviour: a request takes one clock; words and responses pass at once. A request does not cross a page, so all of it
    is inside or outside. One that is outside waits, with those after it, until all before it are answered, so that the
    order of responses stays. Then a read is answered with as many words as it wants, all 0, one a clock, a write once its
    words have come; both with `error`. Nothing of it reaches memory.

    Parameters
    ----------
    word_bytes, tag_bits : of the ports

    Interface attributes
    --------------------
    client : the requests
    bus : memory
    windows : where requests may go that come from now on
    error_stb, error_address : a request that is outside is answered now, and its address
    """

    def __init__(self, *, word_bytes: int, tag_bits: int):
        port = MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)
        super().__init__(
            {
                "client": In(port),
                "bus": Out(port),
                "windows": In(data.ArrayLayout(Window, WINDOWS)),
                "error_stb": Out(1),
                "error_address": Out(ADDRESS_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        layout = data.StructLayout({"request": self.bus.signature.request_layout, "inside": 1})
        m.submodules.judged = judged = Queue(layout, _DEPTH)
        request = judged.o.payload.request
        in_flight = Signal(range(_IN_FLIGHT + 1))
        passes = Signal()
        refused = Signal()  # the oldest request is outside, and all before it are answered
        answered = Signal()  # it gets its last response
        m.d.comb += [
            judged.i.valid.eq(self.client.requests.valid),
            judged.i.payload.request.eq(self.client.requests.payload),
            judged.i.payload.inside.eq(self._inside(m)),
            self.client.requests.ready.eq(judged.i.ready),
            passes.eq(judged.o.payload.inside & (in_flight != _IN_FLIGHT)),
            refused.eq(judged.o.valid & ~judged.o.payload.inside & (in_flight == 0)),
            self.bus.requests.valid.eq(judged.o.valid & passes),
            self.bus.requests.payload.eq(request),
            judged.o.ready.eq((self.bus.requests.ready & passes) | answered),
            self.error_stb.eq(answered),
            self.error_address.eq(request.address),
        ]
        sent = Signal()
        done = Signal()
        m.d.comb += [
            sent.eq(self.bus.requests.valid & self.bus.requests.ready),
            done.eq(self.bus.responses.valid & self.bus.responses.ready & self.bus.responses.payload.last),
        ]
        m.d.sync += in_flight.eq(in_flight + sent - done)
        m.d.sync += Assert(~done | (in_flight != 0), "a response that nobody waits for")
        has_words = self._words(m, sent & request.write, refused & request.write, answered)
        self._responses(m, request, refused & (has_words | ~request.write), refused, answered)
        return m

    def _inside(self, m):
        """Whether the client's request lies inside of a window."""
        inside = Signal()
        page = self.client.requests.payload.address[PAGE_BITS:]
        # One bit more than a page number has: below its base, a page is too far after it.
        beyond = [Signal(_PAGE_NUMBER_BITS + 1, name=f"beyond_{number}") for number in range(WINDOWS)]
        m.d.comb += [distance.eq(page - window.base) for distance, window in zip(beyond, self.windows, strict=True)]
        reached = [distance < window.size for distance, window in zip(beyond, self.windows, strict=True)]
        m.d.comb += inside.eq(Cat(*reached).any())
        return inside

    def _words(self, m, write_sent, write_refused, answered):
        """Words pass for writes that have passed; those of a refused write go nowhere. Returns whether they all have."""
        owed = Signal(range(_IN_FLIGHT + 1))
        due = Signal()
        gone = Signal()
        words, bus = self.client.writes, self.bus.writes
        m.d.comb += [
            due.eq(owed != 0),
            bus.payload.eq(words.payload),
            bus.valid.eq(words.valid & due),
            words.ready.eq(Mux(due, bus.ready, write_refused & ~gone)),
        ]
        m.d.sync += owed.eq(owed + write_sent - (bus.valid & bus.ready & words.payload.last))
        with m.If(answered):
            m.d.sync += gone.eq(0)
        with m.Elif(write_refused & words.valid & words.payload.last & ~due):
            m.d.sync += gone.eq(1)
        m.d.sync += Assert(~(write_refused & due), "a refused write takes the words of another")
        return gone

    def _responses(self, m, request, answers, refused, answered):
        """Those of memory, and while a request is refused those that it gets here."""
        beat = Signal(8)
        last = Signal()
        responses, bus = self.client.responses, self.bus.responses
        m.d.comb += [
            last.eq(request.write | (beat == request.beats)),
            answered.eq(answers & responses.ready & last),
            responses.valid.eq(answers | bus.valid),
            responses.payload.tag.eq(Mux(refused, request.tag, bus.payload.tag)),
            responses.payload.data.eq(Mux(refused, 0, bus.payload.data)),
            responses.payload.last.eq(Mux(refused, last, bus.payload.last)),
            responses.payload.error.eq(refused | bus.payload.error),
            bus.ready.eq(responses.ready),
        ]
        with m.If(answers & responses.ready):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))
