"""The words that come back to a QPU."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import RESULT_SLOTS

__all__ = ["ResultPlace", "TmuResultWords"]

_WORD_BITS = 32


class ResultPlace(data.Struct):
    """A quad of a result."""

    quad: range(QUADS)
    place: range(RESULT_SLOTS)
    second: unsigned(1)  # by the second name of the unit


class TmuResultWords(wiring.Component):
    """Keeps up to eight words of sixteen elements of one QPU by each name. A QPU loads one quad at a time, whatever the name.

    Behaviour: words of memory and of textures may come in the same clock, so each kind has a memory of its own. A quad is
    there a clock after it is loaded.

    Parameters
    ----------
    names : that programs have for the unit

    Interface attributes
    --------------------
    memory, memory_stb, memory_data : a quad of memory comes
    texture, texture_lanes, texture_word : an element of a texture, and its lane, a bit each
    loaded, loaded_stb, of_texture : a quad is loaded, and whether it is one of a texture
    result : that quad, a clock later
    """

    def __init__(self, names: int):
        self._quads = names * RESULT_SLOTS * QUADS
        super().__init__(
            {
                "memory": In(ResultPlace),
                "memory_stb": In(1),
                "memory_data": In(LaneWords),
                "texture": In(ResultPlace),
                "texture_lanes": In(LANES),
                "texture_word": In(_WORD_BITS),
                "loaded": In(ResultPlace),
                "loaded_stb": In(1),
                "of_texture": In(1),
                "result": Out(LaneWords),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = LANES * _WORD_BITS
        m.submodules.quads = quads = BlockRam(width, self._quads, exclusive=True)
        m.submodules.elements = elements = BlockRam(width, self._quads, granularity=_WORD_BITS, exclusive=True)
        of_texture = Signal(name="loaded_of_texture")
        for ram in (quads, elements):
            m.d.comb += [ram.read_enable.eq(self.loaded_stb), ram.read_address.eq(self.loaded)]
        with m.If(self.loaded_stb):
            m.d.sync += of_texture.eq(self.of_texture)
        m.d.comb += [
            *(quads.write_enable.eq(self.memory_stb), quads.write_address.eq(self.memory)),
            quads.write_data.eq(self.memory_data),
            *(elements.write_enable.eq(self.texture_lanes), elements.write_address.eq(self.texture)),
            elements.write_data.eq(self.texture_word.replicate(LANES)),
            Value.cast(self.result).eq(Mux(of_texture, elements.read_data, quads.read_data)),
        ]
        return m
