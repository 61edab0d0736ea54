"""The parameters that a QPU has written, and its lookups."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.common.ram import BlockRam, LutRam
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LaneWords
from vc4.records.tmu import REQUEST_SLOTS, TextureImage, TextureType, TmuParameterName

from .port import TmuParameter

__all__ = ["TmuRequests"]


class TmuRequests(wiring.Component):
    """Keeps up to eight parameters of one QPU, each a vector, and tells when a lookup is complete.

    Behaviour: a lookup is complete two clocks after the last quad of its s. Any quad of it is read in any order, and is there
    a clock later; names and uniforms are there at once. When it is released its slots are free.

    Interface attributes
    --------------------
    parameter, parameter_stb : a quad of a parameter, to be taken at once
    valid, count, wide : there is a complete lookup, of so many parameters, and it returns two words
    number : of a parameter of it
    name, uniform : that parameter
    read, quad : a quad of it is read
    data : that quad, a clock later
    release, freed : the lookup leaves its slots, and how many they are
    """

    parameter: In(TmuParameter)
    parameter_stb: In(1)
    valid: Out(1)
    count: Out(range(REQUEST_SLOTS + 1))
    wide: Out(1)
    number: In(range(REQUEST_SLOTS))
    name: Out(TmuParameterName)
    uniform: Out(32)
    read: In(1)
    quad: In(range(QUADS))
    data: Out(LaneWords)
    release: In(1)
    freed: Out(range(REQUEST_SLOTS + 1))

    def elaborate(self, platform):
        m = Module()
        lookup = data.StructLayout({"count": range(REQUEST_SLOTS + 1), "wide": 1})
        m.submodules.slots = slots = BlockRam(Shape.cast(LaneWords).width, REQUEST_SLOTS * QUADS, exclusive=True)
        m.submodules.notes = notes = LutRam(32 + 2, REQUEST_SLOTS)
        m.submodules.lookups = lookups = Queue(lookup, REQUEST_SLOTS)
        tail = Signal(range(REQUEST_SLOTS))
        head = Signal(range(REQUEST_SLOTS))
        written = Signal(range(REQUEST_SLOTS + 1))  # parameters of the lookup that is still written
        wide = Signal()
        comes = Signal()
        starts = Signal()
        slot = Signal(range(REQUEST_SLOTS))
        image = TextureImage(self.parameter.uniform)
        m.d.comb += [
            comes.eq(self.parameter_stb & (self.parameter.quad == QUADS - 1)),
            starts.eq(comes & (self.parameter.name == TmuParameterName.S)),
            slot.eq(head + self.number),
            slots.write_enable.eq(self.parameter_stb),
            slots.write_address.eq(Cat(self.parameter.quad, tail)),
            slots.write_data.eq(self.parameter.data),
            slots.read_enable.eq(self.read),
            slots.read_address.eq(Cat(self.quad, slot)),
            Value.cast(self.data).eq(slots.read_data),
            notes.write_enable.eq(comes),
            notes.write_address.eq(tail),
            notes.write_data.eq(Cat(self.parameter.uniform, self.parameter.name)),
            notes.read_address.eq(slot),
            Cat(self.uniform, self.name).eq(notes.read_data),
            lookups.i.valid.eq(starts),
            lookups.i.payload.count.eq(written + 1),
            lookups.i.payload.wide.eq(wide),
            self.valid.eq(lookups.o.valid),
            self.count.eq(lookups.o.payload.count),
            self.wide.eq(lookups.o.payload.wide),
            lookups.o.ready.eq(self.release),
            self.freed.eq(Mux(self.release, lookups.o.payload.count, 0)),
        ]
        m.d.sync += [
            tail.eq(tail + comes),
            Assert(~self.read | lookups.o.valid, "a lookup is read that is not there"),
            Assert(~starts | lookups.i.ready, "there are more lookups than slots"),
        ]
        with m.If(comes):
            m.d.sync += written.eq(Mux(starts, 0, written + 1))
            with m.If(starts):
                m.d.sync += wide.eq(0)
            # What says so is the first uniform of a texture.
            with m.Elif(written == 0):
                m.d.sync += wide.eq(image.type == TextureType.RGBA64.value)
        with m.If(self.release):
            m.d.sync += head.eq(head + lookups.o.payload.count)
        return m
