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
    """A memory of the last results, and which of them each instruction sees.

    An instruction sees the result of the last write that is three instructions or more before it, however long the
    instructions between wait, and however early the result comes (guide, section 3, special functions unit). So results are
    numbered by their writes, and each instruction takes the number that it sees along when it is issued. Four numbers are
    enough: besides the result that is seen there are those of the instruction itself and of the two before.

    Interface attributes
    --------------------
    issues, writes : an instruction is issued, and whether it writes to the special function unit
    sp_vector : the number that it takes along
    result, result_stb : a quad of results, in the order of the writes
    ra2_vector, ra2_quad : of the instruction in RA2
    ru_r4 : what it sees, one clock later
    """

    issues: In(1)
    writes: In(1)
    sp_vector: Out(range(R4_VECTORS))
    result: In(SfuResult)
    result_stb: In(1)
    ra2_vector: In(range(R4_VECTORS))
    ra2_quad: In(range(QUADS))
    ru_r4: Out(LaneWords)

    def elaborate(self, platform):
        m = Module()
        hidden = Signal(SFU_DISTANCE - 1)  # whether the instructions before have written, the last one first
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
        m.d.sync += self.ru_r4.eq(results.read_data)
        return m
