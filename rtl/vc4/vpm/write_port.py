"""Vectors of a QPU on their way into the VPM."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.vpm import VpmSize, VpmWriteSetup

from .port import QUAD_WORDS, VpmBeat
from .structs import ROW_WORDS, RowRange
from .vectors import Fetching, VectorWrite, form, meets, next_address, place, touches

__all__ = ["WritePort"]

_LAST_QUAD = ROW_WORDS // QUAD_WORDS - 1


class WritePort(wiring.Component):
    """Says where the vectors of one QPU go (guide, table 32; QPU facts, 8.4).

    Behaviour: a quad passes without delay, and one moves every clock. It waits

    * for rows that a DMA store has yet to read or a DMA load has yet to write, for whomever;
    * for vectors that this QPU is to be given first, if there are several, or if one may lie where it goes;
    * while other QPUs have their turn.

    Vectors of the reserved size go nowhere. The address is 8 bits wide and wraps. After reset the set-up is 0: packed bytes
    down column 0.

    Interface attributes
    --------------------
    setup, setup_stb : a new set-up
    restarts : strobe: the set-up is that after reset
    vectors : stream of beats that are quads of vectors
    quads : stream of `VectorWrite` to the VPM; one that waits is withdrawn while a store or load comes to have its row
    unread, unwritten : rows that a DMA store has yet to read, and that a DMA load has yet to write
    fetching : vectors that this QPU is to be given first
    error_stb : a vector of the reserved size is dropped
    """

    setup: In(VpmWriteSetup)
    setup_stb: In(1)
    restarts: In(1)
    vectors: In(stream.Signature(VpmBeat))
    quads: Out(stream.Signature(VectorWrite))
    unread: In(RowRange)
    unwritten: In(RowRange)
    fetching: In(Fetching)
    error_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        beat = self.vectors.payload
        setup = Signal(VpmWriteSetup)  # its address moves on
        quad = Signal(2)  # that of the beat, from a register, as what waits for rows is a long path
        vector = Signal(VectorWrite)
        reserved = Signal()
        waits = Signal()
        first = self.fetching
        m.d.comb += [
            *(getattr(vector.address, name).eq(value) for name, value in place(setup, quad).items()),
            *(getattr(vector.form, name).eq(value) for name, value in form(setup, quad).items()),
            vector.data.eq(beat.data),
            reserved.eq(setup.size == VpmSize.RESERVED_3),
            waits.eq(
                touches(vector.address, self.unread)
                | touches(vector.address, self.unwritten)
                | (first.any & (first.more | meets(vector.address, first)))
            ),
            self.quads.payload.eq(vector),
            self.quads.valid.eq(self.vectors.valid & ~waits & ~reserved),
            self.vectors.ready.eq(reserved | (~waits & self.quads.ready)),
            self.error_stb.eq(self.vectors.valid & reserved),
        ]
        with m.If(self.vectors.valid & self.vectors.ready):
            m.d.sync += [quad.eq(quad + 1), Assert(beat.quad == quad, "the quads of a vector come in their order")]
            with m.If(quad == _LAST_QUAD):
                m.d.sync += setup.address.eq(next_address(setup))
        with m.If(self.setup_stb):
            m.d.sync += setup.eq(self.setup)
        with m.If(self.restarts):
            m.d.sync += setup.eq(0)
        return m
