"""The quads of a DMA store, cut to the width of the bus."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .port import QUAD_WORDS
from .structs import RunWords

__all__ = ["VdwChunks"]


class VdwChunks(wiring.Component):
    """Cuts quads into chunks of `lanes` words, and leaves out the chunks that have no word of the run.

    Behaviour: combinational; a chunk a clock.

    Parameters
    ----------
    lanes : words of a chunk: 1, 2 or 4

    Interface attributes
    --------------------
    i : stream of `RunWords`, a quad each
    o : stream of `RunWords`, a chunk each
    """

    def __init__(self, lanes: int):
        self._lanes = lanes
        super().__init__(
            {
                "i": In(stream.Signature(RunWords(QUAD_WORDS))),
                "o": Out(stream.Signature(RunWords(lanes))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        quad = self.i.payload
        chunk = self.o.payload
        done = Signal(QUAD_WORDS)  # words of this quad that have gone
        left = Signal(QUAD_WORDS)
        left_after = Signal(QUAD_WORDS)
        m.d.comb += [
            left.eq(quad.mask & ~done),
            left_after.eq(left),
            chunk.shift.eq(quad.shift),
            chunk.last.eq(quad.last & (left_after == 0)),
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready & (left_after == 0)),
        ]
        for first in reversed(range(0, QUAD_WORDS, self._lanes)):
            part = slice(first, first + self._lanes)
            with m.If(left[part].any()):
                m.d.comb += [
                    chunk.words.eq(quad.words.as_value()[32 * first : 32 * part.stop]),
                    chunk.mask.eq(left[part]),
                    left_after.eq(left & ~Const(((1 << self._lanes) - 1) << first, QUAD_WORDS)),
                ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += done.eq(Mux(left_after == 0, 0, quad.mask & ~left_after))
        return m
