"""r4: what the special function unit gives back."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.isa.registers import QUADS
from vc4.isa.timing import SFU_DISTANCE
from vc4.slice.sfu_port import SfuResult

from .structs import R4_VECTORS, LaneWords

__all__ = ["R4"]


class R4(wiring.Component):
    """A memory of the last results, and which of them each instruction sees; and what a texture unit gives back.

    An instruction sees the result of the last write that is three instructions or more before it, however long the
    instructions between wait, and however early the result comes (guide, section 3, special functions unit). So results are
    numbered by their writes, and each instruction takes the number that it sees along when it is issued. Four numbers are
    enough: besides the result that is seen there are those of the instruction itself and of the two before.

    A word that is loaded from a texture unit is what the next instruction sees, until there is a newer result. It comes
    before that one reads it, and after the one that loads it has read r4, so one place is enough.

    Parameters
    ----------
    loads : there are texture units

    Interface attributes
    --------------------
    issues, writes : an instruction is issued, and whether it writes to the special function unit
    loads : it loads a word from a texture unit
    due : with the instruction that is issued, the result of one before becomes what others see
    sp_vector, sp_loaded : the number that it takes along; or it sees the word that was loaded last
    loaded, loaded_quad, loaded_stb : a quad of that word
    result, result_stb : a quad of results, in the order of the writes
    ra2_vector, ra2_loaded, ra2_quad : of the instruction in RA2
    ru_r4 : what it sees, one clock later
    """

    def __init__(self, *, loads: bool = False):
        self._loads = loads
        super().__init__(
            {
                "issues": In(1),
                "writes": In(1),
                "loads": In(1),
                "due": Out(1),
                "sp_vector": Out(range(R4_VECTORS)),
                "sp_loaded": Out(1),
                "loaded": In(LaneWords),
                "loaded_quad": In(range(QUADS)),
                "loaded_stb": In(1),
                "result": In(SfuResult),
                "result_stb": In(1),
                "ra2_vector": In(range(R4_VECTORS)),
                "ra2_loaded": In(1),
                "ra2_quad": In(range(QUADS)),
                "ru_r4": Out(LaneWords),
            }
        )

    def elaborate(self, platform):
        m = Module()
        hidden = Signal(SFU_DISTANCE - 1)  # whether the instructions before have written, the last one first
        m.d.comb += self.due.eq(hidden[-1])
        with m.If(self.issues):
            m.d.sync += [hidden.eq(Cat(self.writes, hidden)), self.sp_vector.eq(self.sp_vector + hidden[-1])]

        m.submodules.results = results = LutRam(Shape.cast(LaneWords).width, R4_VECTORS * QUADS)
        comes = Signal(range(R4_VECTORS), init=1)
        with m.If(self.result_stb & (self.result.quad == QUADS - 1)):
            m.d.sync += comes.eq(comes + 1)
        m.d.comb += [
            results.write_address.eq(Cat(self.result.quad, comes)),
            results.write_data.eq(self.result.data),
            results.write_enable.eq(self.result_stb),
            results.read_address.eq(Cat(self.ra2_quad, self.ra2_vector)),
        ]
        # The third instruction after the write is in RA2 in the clock after the result has come.
        seen = results.read_data
        if self._loads:
            seen = Mux(self.ra2_loaded, self._load(m, hidden), seen)
        m.d.sync += self.ru_r4.eq(seen)
        return m

    def _load(self, m, hidden):
        """The word that was loaded last, and whether it is newer than results. Returns its quad for RA2."""
        with m.If(self.issues & (self.loads | hidden[-1])):
            m.d.sync += self.sp_loaded.eq(self.loads)
        m.submodules.words = words = LutRam(Shape.cast(LaneWords).width, QUADS)
        m.d.comb += [
            words.write_address.eq(self.loaded_quad),
            words.write_data.eq(self.loaded),
            words.write_enable.eq(self.loaded_stb),
            words.read_address.eq(self.ra2_quad),
        ]
        return words.read_data
