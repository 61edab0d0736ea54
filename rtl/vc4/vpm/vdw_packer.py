"""The words of a DMA store on the bus."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort

from .structs import QUAD_BYTES, VdwBurst, VdwQuad

__all__ = ["VdwPacker"]


class VdwPacker(wiring.Component):
    """Cuts units from their quads into words of the bus.

    A word is cut from the quad at the input and, if it begins in front of that, from the end of the quad before, which
    is kept. The bytes of both are rotated to their lanes; strobes say which ones belong to the unit.

    Behaviour: a word of the bus is at the output one clock after its last quad came, and one comes every clock, also
    from unit to unit. A unit whose first word begins in its first quad and ends in the second one costs one clock more
    than it has words.

    Parameters
    ----------
    word_bytes : width of the bus in bytes: 4, 8 or 16

    Interface attributes
    --------------------
    i : stream of `VdwQuad`
    bursts : stream of `VdwBurst`, one for each unit
    o : stream of the `writes` of a `MemoryPort`; each unit is a burst, or two if it crosses 4 KiB
    """

    def __init__(self, *, word_bytes: int):
        self._bytes = word_bytes
        super().__init__(
            {
                "i": In(stream.Signature(VdwQuad)),
                "bursts": In(stream.Signature(VdwBurst(exact_log2(word_bytes)))),
                "o": Out(stream.Signature(MemoryPort(word_bytes=word_bytes).write_layout)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        active = Signal()
        first = Signal()  # the next word is the first one of its unit
        burst = Signal(self.bursts.payload.shape())  # from the next word on
        step = Signal()  # there is room at the output
        beyond = Signal()  # the next word ends after the quad
        next_beyond = Signal()  # the one after it does
        primes = Signal()  # and it has bytes there
        emits = Signal()
        final = Signal()
        turns = Signal()  # the quad is no longer needed
        next_start = Signal(burst.start.shape())
        m.d.comb += [
            step.eq(self.o.ready | ~self.o.valid),
            beyond.eq(burst.start > QUAD_BYTES - self._bytes),
            next_beyond.eq(burst.start > QUAD_BYTES - 2 * self._bytes),
            primes.eq(active & self.i.valid & beyond & ~self.i.payload.last),
            emits.eq(active & self.i.valid & step & ~(beyond & ~self.i.payload.last)),
            final.eq(burst.words == 0),
            turns.eq(primes | (emits & (final | (next_beyond & ~self.i.payload.last)))),
            self.i.ready.eq(active & turns),
            next_start.eq(burst.start + Mux(emits, self._bytes, 0)),
            self.bursts.ready.eq(~active | (emits & final)),
        ]
        with m.If(emits):
            m.d.sync += [first.eq(0), burst.words.eq(burst.words - 1), burst.page_word.eq(burst.page_word + 1)]
        with m.If(emits | primes):
            # A quad is QUAD_BYTES further on, and the highest bit of `start` counts as minus that.
            m.d.sync += burst.start.eq(next_start ^ (turns << (len(next_start) - 1)))
        with m.If(self.bursts.ready):
            m.d.sync += [active.eq(self.bursts.valid), first.eq(1), burst.eq(self.bursts.payload)]

        word = self.o.payload
        cut = self._cut(m, burst.start, turns)
        with m.If(step):
            m.d.sync += [
                self.o.valid.eq(emits),
                word.data.eq(cut),
                word.last.eq(final | burst.page_word.all()),
                *(
                    strobe.eq(~(first & (lane < burst.first_lane)) & ~(final & (lane > burst.last_lane)))
                    for lane, strobe in enumerate(word.strobes)
                ),
            ]
        return m

    def _cut(self, m, start, turns):
        """The word that begins at byte `start` of the quad, which is one of the quad before if it is negative."""
        kept = Signal(QUAD_BYTES * 8)  # the quad before; the first byte is never needed
        mixed = Signal(QUAD_BYTES * 8)
        quad = self.i.payload.words.as_value()
        offset = start.as_unsigned()[:-1]
        with m.If(turns):
            m.d.sync += kept.eq(quad)
        for byte in range(QUAD_BYTES):
            old = (start < 0) & (offset <= byte) & (byte > QUAD_BYTES - self._bytes)
            m.d.comb += mixed.word_select(byte, 8).eq(Mux(old, kept.word_select(byte, 8), quad.word_select(byte, 8)))
        rotated = mixed
        for number, bit in enumerate(offset):
            before, rotated = rotated, Signal(len(mixed), name=f"rotated_{number}")
            m.d.comb += rotated.eq(Mux(bit, before.rotate_right(8 << number), before))
        return rotated[: self._bytes * 8]
