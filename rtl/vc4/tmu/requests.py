"""The parameters that a QPU has written, and its lookups."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.common.ram import BlockRam, LutRam
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import REQUEST_SLOTS, TextureImage, TextureType, TmuParameterName

from .port import TmuParameter

__all__ = ["SlotPlace", "TmuRequests"]


class SlotPlace(data.Struct):
    """A quad of a parameter."""

    quad: range(QUADS)
    slot: range(REQUEST_SLOTS)


class TmuRequests(wiring.Component):
    """Keeps up to eight parameters of one QPU, each a vector, and tells when a lookup is complete.

    Behaviour: a lookup is complete two clocks after the last quad of its s. When it has begun the next one is there a clock
    later. Its parameters stay until it is released, in the order in which lookups began: in each clock any word is read of
    each lane, and is there a clock later; names and uniforms are there at once.

    Interface attributes
    --------------------
    parameter, parameter_stb : a quad of a parameter, to be taken at once
    valid, first, count, wide : there is a complete lookup, of so many parameters from this slot on, and it returns two words
    begin : it begins
    held : lookups have begun that are not released
    slot, name, uniform : a parameter
    read, places, data : of each lane: it is read, what, and a clock later the word
    release, freed : the oldest lookup leaves its slots, and how many they are
    """

    parameter: In(TmuParameter)
    parameter_stb: In(1)
    valid: Out(1)
    first: Out(range(REQUEST_SLOTS))
    count: Out(range(REQUEST_SLOTS + 1))
    wide: Out(1)
    begin: In(1)
    held: Out(1)
    slot: In(range(REQUEST_SLOTS))
    name: Out(TmuParameterName)
    uniform: Out(32)
    read: In(LANES)
    places: In(data.ArrayLayout(SlotPlace, LANES))
    data: Out(LaneWords)
    release: In(1)
    freed: Out(range(REQUEST_SLOTS + 1))

    def elaborate(self, platform):
        m = Module()
        lookup = data.StructLayout({"count": range(REQUEST_SLOTS + 1), "wide": 1})
        m.submodules.notes = notes = LutRam(32 + 2, REQUEST_SLOTS)
        m.submodules.lookups = lookups = Queue(lookup, REQUEST_SLOTS)
        m.submodules.begun = begun = Queue(range(REQUEST_SLOTS + 1), REQUEST_SLOTS)
        tail = Signal(range(REQUEST_SLOTS))
        written = Signal(range(REQUEST_SLOTS + 1))  # parameters of the lookup that is still written
        wide = Signal()
        comes = Signal()
        starts = Signal()
        image = TextureImage(self.parameter.uniform)
        m.d.comb += [
            comes.eq(self.parameter_stb & (self.parameter.quad == QUADS - 1)),
            starts.eq(comes & (self.parameter.name == TmuParameterName.S)),
            notes.write_enable.eq(comes),
            notes.write_address.eq(tail),
            notes.write_data.eq(Cat(self.parameter.uniform, self.parameter.name)),
            notes.read_address.eq(self.slot),
            Cat(self.uniform, self.name).eq(notes.read_data),
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
            tail.eq(tail + comes),
            Assert(~self.read.any() | begun.o.valid, "a lookup is read that has not begun"),
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
        self._lanes(m, tail)
        return m

    def _lanes(self, m, tail):
        """The words of each lane have a memory of their own."""
        for lane in range(LANES):
            m.submodules[f"lane_{lane}"] = words = BlockRam(32, REQUEST_SLOTS * QUADS, exclusive=True)
            m.d.comb += [
                words.write_enable.eq(self.parameter_stb),
                words.write_address.eq(Cat(self.parameter.quad, tail)),
                words.write_data.eq(self.parameter.data[lane]),
                words.read_enable.eq(self.read[lane]),
                words.read_address.eq(self.places[lane]),
                self.data[lane].eq(words.read_data),
            ]
