"""The lookups that a QPU has written."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.isa.registers import QUADS
from vc4.records.tmu import REQUEST_SLOTS, TextureImage, TextureType, TmuParameterName

from .port import TmuParameter

__all__ = ["TmuRequests"]


class TmuRequests(wiring.Component):
    """Tells when a lookup of one QPU by one name is complete (`TmuParameters` keeps its parameters, up to eight).

    Behaviour: a lookup is complete two clocks after the last quad of its s. When it has begun the next one is there a clock
    later. Its parameters stay until it is released, in the order in which lookups began.

    Interface attributes
    --------------------
    parameter, parameter_stb, slot : a quad of a parameter, to be taken at once, and the slot it goes to
    valid, first, count, wide : there is a complete lookup, of so many parameters from this slot on, and it returns two words
    begin : it begins
    held : lookups have begun that are not released
    release, freed : the oldest lookup leaves its slots, and how many they are
    """

    parameter: In(TmuParameter)
    parameter_stb: In(1)
    slot: Out(range(REQUEST_SLOTS))
    valid: Out(1)
    first: Out(range(REQUEST_SLOTS))
    count: Out(range(REQUEST_SLOTS + 1))
    wide: Out(1)
    begin: In(1)
    held: Out(1)
    release: In(1)
    freed: Out(range(REQUEST_SLOTS + 1))

    def elaborate(self, platform):
        m = Module()
        lookup = data.StructLayout({"count": range(REQUEST_SLOTS + 1), "wide": 1})
        m.submodules.lookups = lookups = Queue(lookup, REQUEST_SLOTS)
        m.submodules.begun = begun = Queue(range(REQUEST_SLOTS + 1), REQUEST_SLOTS)
        written = Signal(range(REQUEST_SLOTS + 1))  # parameters of the lookup that is still written
        wide = Signal()
        comes = Signal()
        starts = Signal()
        image = TextureImage(self.parameter.uniform)
        m.d.comb += [
            comes.eq(self.parameter_stb & (self.parameter.quad == QUADS - 1)),
            starts.eq(comes & (self.parameter.name == TmuParameterName.S)),
            lookups.i.valid.eq(starts),
            lookups.i.payload.count.eq(written + 1),
            lookups.i.payload.wide.eq(wide),
            self.valid.eq(lookups.o.valid),
            self.count.eq(lookups.o.payload.count),
            self.wide.eq(lookups.o.payload.wide),
            lookups.o.ready.eq(self.begin),
            begun.i.valid.eq(self.begin),
            begun.i.payload.eq(lookups.o.payload.count),
            begun.o.ready.eq(self.release),
            self.held.eq(begun.o.valid),
            self.freed.eq(Mux(self.release, begun.o.payload, 0)),
        ]
        m.d.sync += [
            self.slot.eq(self.slot + comes),
            Assert(~self.release | begun.o.valid, "a lookup is released that has not begun"),
            Assert(~starts | lookups.i.ready, "there are more lookups than slots"),
        ]
        with m.If(comes):
            m.d.sync += written.eq(Mux(starts, 0, written + 1))
            with m.If(starts):
                m.d.sync += wide.eq(0)
            # What says so is the first uniform of a texture.
            with m.Elif(written == 0):
                m.d.sync += wide.eq(image.type == TextureType.RGBA64.value)
        with m.If(self.begin):
            m.d.sync += self.first.eq(self.first + lookups.o.payload.count)
        return m
