"""Requests of QPUs for colours and the alpha mask."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.records.quads import QUAD_PIXELS

from .request_structs import colour_request, port_answer
from .structs import COLOUR_BITS, MASK_BITS, ColourRead, colour_write

__all__ = ["ColourRequests"]

#: Of reads whose answer is on its way.
_DEPTH = 4
_BYTES = 4


class ColourRequests(wiring.Component):
    """Carries out what programs ask of colours and alpha mask, one request after the other (docs/reference/rendering.md,
    fragment shaders).

    Behaviour: a request takes a clock, or as long as `ColourBuffer` takes. An answer is at the output in the clock in which it
    comes, and answers are in the order of the reads.

    Parameters
    ----------
    ports : of QPUs

    Interface attributes
    --------------------
    i : stream of `colour_request`
    o : stream of `port_answer`, without flags
    colour_writes, colour_reads, colours : of the colours
    mask_writes, mask_reads, masks : of the alpha mask
    written : strobe: the first word of a colour, for sample 0 of pixels with a flag
    """

    def __init__(self, ports: int):
        self._ports = ports
        super().__init__(
            {
                "i": In(stream.Signature(colour_request(ports))),
                "o": Out(stream.Signature(port_answer(ports))),
                "colour_writes": Out(stream.Signature(colour_write(COLOUR_BITS))),
                "colour_reads": Out(stream.Signature(ColourRead)),
                "colours": In(stream.Signature(data.ArrayLayout(COLOUR_BITS, QUAD_PIXELS))),
                "mask_writes": Out(stream.Signature(colour_write(MASK_BITS))),
                "mask_reads": Out(stream.Signature(ColourRead)),
                "masks": In(stream.Signature(data.ArrayLayout(MASK_BITS, QUAD_PIXELS))),
                "written": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        about = data.StructLayout({"port": range(self._ports), "mask": 1})
        m.submodules.order = order = Queue(about, _DEPTH)
        request = self.i.payload
        ready = Signal()
        for mask, writes, reads in ((0, self.colour_writes, self.colour_reads), (1, self.mask_writes, self.mask_reads)):
            here = self.i.valid & (request.mask == mask)
            write, read = writes.payload, reads.payload
            m.d.comb += [
                writes.valid.eq(here & ~request.reads),
                reads.valid.eq(here & request.reads & order.i.ready),
                write.place.eq(request.place),
                read.place.eq(request.place),
                *(to.eq(word) for to, word in zip(write.data, request.data, strict=True)),
            ]
            with m.If(request.mask == mask):
                m.d.comb += ready.eq(Mux(request.reads, reads.ready & order.i.ready, writes.ready))
        colour = self.colour_writes.payload
        m.d.comb += [
            colour.flags.eq(request.flags),
            colour.all.eq(request.all),
            colour.sample.eq(request.sample),
            colour.word.eq(request.word),
            self.colour_reads.payload.sample.eq(request.sample),
            self.colour_reads.payload.word.eq(request.word),
            # The mask has one sample: any flag counts.
            *(to.eq(one.any()) for to, one in zip(self.mask_writes.payload.flags, request.flags, strict=True)),
            self.i.ready.eq(ready),
            order.i.valid.eq(self.i.valid & ready & request.reads),
            order.i.payload.port.eq(request.port),
            order.i.payload.mask.eq(request.mask),
        ]
        first = ~request.mask & ~request.reads & ~request.word & (request.all | (request.sample == 0))
        m.d.sync += self.written.eq(self.i.valid & ready & first & request.flags.as_value().any())
        self._answer(m, order)
        return m

    def _answer(self, m, order):
        """Of the one whose turn it is."""
        about = order.o.payload
        answer = self.o.payload.answer
        m.d.comb += [
            self.o.valid.eq(order.o.valid & Mux(about.mask, self.masks.valid, self.colours.valid)),
            self.o.payload.port.eq(about.port),
            order.o.ready.eq(self.o.valid & self.o.ready),
            self.colours.ready.eq(order.o.valid & ~about.mask & self.o.ready),
            self.masks.ready.eq(order.o.valid & about.mask & self.o.ready),
            *(
                word.eq(Mux(about.mask, mask.replicate(_BYTES), colour))
                for word, mask, colour in zip(answer.data, self.masks.payload, self.colours.payload, strict=True)
            ),
        ]
