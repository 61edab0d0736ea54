"""The vectors of parameters that a QPU has written."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam, LutRam
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import REQUEST_SLOTS, TmuParameterName

from .port import TmuParameter

__all__ = ["LanePlace", "ParameterPlace", "TmuParameters"]


class ParameterPlace(data.Struct):
    """A quad of a parameter."""

    quad: range(QUADS)
    slot: range(REQUEST_SLOTS)
    second: unsigned(1)  # by the second name of the unit


class LanePlace(data.Struct):
    """A word of a lane is read."""

    stb: unsigned(1)
    place: ParameterPlace


class TmuParameters(wiring.Component):
    """Keeps up to eight parameters of one QPU by each name. A QPU writes one at a time, whatever the name.

    Behaviour: lookups of memory read quads, and those of textures any word of each lane, both in the same clock; it is there
    a clock later. Names and uniforms are there at once, from the clock after the last quad of their parameter on.

    Parameters
    ----------
    names : that programs have for the unit

    Interface attributes
    --------------------
    parameter, parameter_stb, slots : a quad of a parameter, by which name, and the slot that it goes to by each
    place, place_stb, words : the quad of a lookup of memory
    lanes, lane_words : the words for a lookup of a texture
    slot, second, name, uniform : a parameter of this, by the second name if there are two
    """

    def __init__(self, names: int):
        self._names = names
        super().__init__(
            {
                "parameter": In(TmuParameter),
                "parameter_stb": In(names),
                "slots": In(range(REQUEST_SLOTS)).array(names),
                "place": In(ParameterPlace),
                "place_stb": In(1),
                "words": Out(LaneWords),
                "lanes": In(data.ArrayLayout(LanePlace, LANES)),
                "lane_words": Out(LaneWords),
                "slot": In(range(REQUEST_SLOTS)),
                "second": In(1),
                "name": Out(TmuParameterName),
                "uniform": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.notes = notes = LutRam(32 + 2, self._names * REQUEST_SLOTS)
        parameter = self.parameter
        written = Signal(ParameterPlace)
        second = self.parameter_stb[-1] & (self._names > 1)
        m.d.comb += [
            *(written.quad.eq(parameter.quad), written.second.eq(second)),
            written.slot.eq(Mux(second, self.slots[-1], self.slots[0])),
            notes.write_enable.eq(self.parameter_stb.any() & (parameter.quad == QUADS - 1)),
            notes.write_address.eq(Cat(written.slot, written.second)),
            notes.write_data.eq(Cat(parameter.uniform, parameter.name)),
            notes.read_address.eq(Cat(self.slot, self.second)),
            Cat(self.uniform, self.name).eq(notes.read_data),
        ]
        # A block RAM has one read port beside its write port.
        for lane, (word, lane_word, at) in enumerate(zip(self.words, self.lane_words, self.lanes, strict=True)):
            reads = {"quads": (self.place_stb, self.place, word), "words": (at.stb, at.place, lane_word)}
            for name, (stb, place, found) in reads.items():
                m.submodules[f"{name}_{lane}"] = ram = BlockRam(32, self._names * REQUEST_SLOTS * QUADS, exclusive=True)
                m.d.comb += [
                    ram.write_enable.eq(self.parameter_stb.any()),
                    ram.write_address.eq(written),
                    ram.write_data.eq(parameter.data[lane]),
                    *(ram.read_enable.eq(stb), ram.read_address.eq(place), found.eq(ram.read_data)),
                ]
        return m
