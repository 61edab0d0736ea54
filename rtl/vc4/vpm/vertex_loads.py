"""Loads of vertices, on their way into the VPM."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort

from .dma_requests import DmaRequests
from .structs import DmaUnit, QuadWrite
from .vdr_packer import VdrPacker
from .window import Space, is_inside, moved

__all__ = ["VertexLoads"]

#: Units that are asked for before the first one has come: those of an array for all vertices of a batch.
_DEPTH = 16


class VertexLoads(wiring.Component):
    """Fetches units from memory into columns of the VPM.

    Behaviour: a word of the bus is taken every clock, as long as quads are, see `VdrPacker`. Rows count from the beginning of
    `space`, and what lies after it is lost. After the last quad of a block nothing is written until its end was noticed.

    Interface attributes
    --------------------
    units : stream of `DmaUnit`, down columns
    space : where the next quad belongs
    writes : stream of `QuadWrite`
    done : the last quad of a block has gone
    failed : memory has answered with an error for some of it
    noticed : strobe: this has been noticed
    stalled : a quad waits for the VPM
    port : the way into memory, which is only read
    """

    units: In(stream.Signature(DmaUnit))
    space: In(Space)
    writes: Out(stream.Signature(QuadWrite))
    done: Out(1)
    failed: Out(1)
    noticed: In(1)
    stalled: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        tag_bits = self.port.signature.tag_bits
        m.submodules.dma_requests = requests = DmaRequests(
            write=False, depth=_DEPTH, word_bytes=BUS_BYTES, tag_bits=tag_bits
        )
        m.submodules.vdr_packer = packer = VdrPacker(word_bytes=BUS_BYTES)
        connect(m, flipped(self.units), requests.i)
        connect(m, requests.requests, flipped(self.port.requests))
        connect(m, requests.o, packer.units)
        response, quad = self.port.responses, packer.o.payload
        m.d.comb += [
            packer.words.valid.eq(response.valid),
            packer.words.payload.data.eq(response.payload.data),
            packer.words.payload.error.eq(response.payload.error),
            response.ready.eq(packer.words.ready),
            self.writes.valid.eq(packer.o.valid & ~self.done),
            packer.o.ready.eq(self.writes.ready & ~self.done),
            self.writes.payload.eq(quad),
            self.writes.payload.address.row.eq(moved(self.space, quad.address)),
            self.stalled.eq(self.writes.valid & ~self.writes.ready),
        ]
        with m.If(~is_inside(self.space, quad.address)):
            m.d.comb += self.writes.payload.enable.eq(0)
        with m.If(packer.o.valid & packer.o.ready & packer.final):
            m.d.sync += [self.done.eq(1), self.failed.eq(packer.failed)]
        with m.Elif(self.noticed):
            m.d.sync += self.done.eq(0)
        return m
