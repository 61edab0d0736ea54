"""The words of a DMA store on the bus."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort

from .structs import RunWords

__all__ = ["VdwPacker"]

_WORD_BITS = 32
_WORD_BYTES = 4


class VdwPacker(wiring.Component):
    """Moves the words of each run to their lanes of the bus.

    A chunk, as wide as the bus, is rotated; its words that stay in this word of the bus complete it, together with
    those that the chunk before has left over; the others are left over for the next one.

    Behaviour: a word of the bus is at the output one clock after its last chunk came, and one comes every clock. A run
    that starts in a higher lane of its chunk than of the bus costs one clock more than it has words of the bus.

    Parameters
    ----------
    word_bytes : width of the bus in bytes: 4, 8 or 16

    Interface attributes
    --------------------
    i : stream of `RunWords`, a chunk each
    o : stream of the `writes` of a `MemoryPort`; each run is a burst
    """

    def __init__(self, *, word_bytes: int):
        self._lanes = word_bytes // _WORD_BYTES
        write = MemoryPort(word_bytes=word_bytes).write_layout
        super().__init__({"i": In(stream.Signature(RunWords(self._lanes))), "o": Out(stream.Signature(write))})

    def elaborate(self, platform):
        m = Module()
        chunk = self.i.payload
        rotated = Signal(RunWords(self._lanes))
        stays = Signal(self._lanes)  # words that do not wrap in the rotation
        kept = Signal(RunWords(self._lanes))  # what is left over
        flush = Signal()  # what is left over is the end of a run
        step = Signal()  # there is room at the output
        goes = Signal()  # there is a chunk, or the end of a run
        mask = Signal(self._lanes)
        rest = Signal(self._lanes)

        self._rotate(m, chunk, rotated, stays, flush)
        m.d.comb += [
            step.eq(self.o.ready | ~self.o.valid),
            goes.eq(self.i.valid | flush),
            self.i.ready.eq(step & ~flush),
            mask.eq(kept.mask | (rotated.mask & stays)),
            rest.eq(rotated.mask & ~stays),
        ]
        with m.If(step):
            m.d.sync += [
                self.o.valid.eq(goes & mask.any()),
                self.o.payload.last.eq(flush | (chunk.last & ~rest.any())),
            ]
            for lane in range(self._lanes):
                word = Mux(kept.mask[lane], kept.words[lane], rotated.words[lane])
                m.d.sync += [
                    self.o.payload.data.word_select(lane, _WORD_BITS).eq(word),
                    self.o.payload.strobes.word_select(lane, _WORD_BYTES).eq(mask[lane].replicate(_WORD_BYTES)),
                ]
            with m.If(goes):
                m.d.sync += [
                    kept.words.eq(rotated.words),
                    kept.mask.eq(rest),
                    flush.eq(chunk.last & rest.any()),
                ]
        return m

    def _rotate(self, m, chunk, rotated, stays, flush):
        """Each word goes `shift` lanes up, and wraps; a flush takes no word."""
        shift = chunk.shift[: exact_log2(self._lanes)]
        with m.Switch(shift):
            for value in range(self._lanes):
                with m.Case(value):
                    m.d.comb += stays.eq(~0 << value)
                    for lane in range(self._lanes):
                        m.d.comb += [
                            rotated.words[lane].eq(chunk.words[lane - value]),
                            rotated.mask[lane].eq(chunk.mask[lane - value] & ~flush),
                        ]
