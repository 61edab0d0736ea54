"""The words of a DMA load in the VPM."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from .dma_units import next_place
from .structs import DOWN_BITS, PLACE_BITS, QUAD_BYTES, DmaUnit, QuadWrite, quad_address

__all__ = ["VdrPacker"]

_QUAD_BITS = 4  # of a place, within the quad


class _State(data.StructLayout):
    """Where in a unit the next word lies, on a bus of `1 << lane_bits` bytes."""

    def __init__(self, lane_bits):
        super().__init__(
            {
                "vertical": unsigned(1),
                "place": unsigned(PLACE_BITS),  # of the first lane
                "left": unsigned(9 - lane_bits + 1),  # words - 1
                "first": unsigned(1),  # it is the first one
                "early": unsigned(1),  # and begins in a quad where the unit has nothing
                "first_lane": unsigned(lane_bits),  # of the first word
                "last_lane": unsigned(lane_bits),  # of the last word
                "spills": unsigned(1),  # the last word ends a part of a quad further on than its first lane lies
                "final": unsigned(1),  # the unit is the last one of its block
            }
        )


class VdrPacker(wiring.Component):
    """Joins words of the bus to quads.

    The bytes of a word are rotated to where they lie in a part of a quad that is as wide as the bus; those that do not
    wrap belong to this part, those that do to the next one. What does not complete a quad is kept.

    Behaviour: a quad is at the output one clock after the word that completes it came, or after the last one of its
    unit. A word is taken every clock, also from unit to unit, and while a quad waits until it completes the next one; if the last word of a unit ends two quads and the first
    one of the next unit completes one, that waits a clock.

    Parameters
    ----------
    word_bytes : width of the bus in bytes: 4, 8 or 16

    Interface attributes
    --------------------
    units : stream of `DmaUnit`
    words : stream of words of the bus, those of each unit in their order: `data`, and `error` if its bytes are not to
        be written
    o : stream of `QuadWrite`
    final : the quad at the output is the last one of its block
    failed : with the last one: a word of the block had an error
    """

    def __init__(self, *, word_bytes: int):
        self._bytes = word_bytes
        self._lane_bits = exact_log2(word_bytes)
        word = data.StructLayout({"data": unsigned(8 * word_bytes), "error": unsigned(1)})
        super().__init__(
            {
                "units": In(stream.Signature(DmaUnit)),
                "words": In(stream.Signature(word)),
                "o": Out(stream.Signature(QuadWrite)),
                "final": Out(1),
                "failed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        active = Signal()
        state = Signal(_State(self._lane_bits))
        next_word = Signal(PLACE_BITS)
        flushes = Signal()  # what is kept is the end of a unit
        flushes_final = Signal()
        flushes_failed = Signal()
        fails = Signal()  # the block has had an error, at the latest in the word that comes
        had_error = Signal()  # before
        kept_quad = Signal(self.o.payload.address.shape())
        step = Signal()  # there is room at the output
        takes = Signal()
        last = Signal()
        completes = Signal()  # the word has the last bytes of a quad
        emits = Signal()
        spills = Signal()  # the unit ends with what the word leaves over
        m.d.comb += [
            step.eq(self.o.ready | ~self.o.valid),
            last.eq(state.left == 0),
            completes.eq(state.place[self._lane_bits : _QUAD_BITS].all() if self._bytes < QUAD_BYTES else 1),
            emits.eq(Mux(completes, ~(state.first & state.early), last)),
            spills.eq(last & completes & state.spills),
            # What only joins the bytes that are kept need not wait for the output.
            self.words.ready.eq(active & Mux(emits | spills, step & ~(flushes & emits), step | ~flushes)),
            takes.eq(self.words.valid & self.words.ready),
            next_word.eq(next_place(state.vertical, state.place, C(self._bytes, PLACE_BITS))),
            self.units.ready.eq(~active | (takes & last)),
            fails.eq(had_error | (takes & self.words.payload.error)),
        ]
        with m.If(takes):
            m.d.sync += [
                had_error.eq(fails & ~(last & state.final)),
                state.place.eq(next_word),
                state.left.eq(state.left - 1),
                state.first.eq(0),
                kept_quad.eq(quad_address(state.vertical, next_word)),
            ]
        with m.If(step):
            m.d.sync += [
                flushes.eq(takes & spills),
                flushes_final.eq(state.final),
                flushes_failed.eq(fails),
                self.o.valid.eq(flushes | (takes & emits)),
                self.o.payload.address.eq(Mux(flushes, kept_quad, quad_address(state.vertical, state.place))),
                self.final.eq(Mux(flushes, flushes_final, state.final & last & ~spills)),
                self.failed.eq(Mux(flushes, flushes_failed, fails)),
            ]
        with m.If(self.units.ready):
            m.d.sync += active.eq(self.units.valid)
            self._begin(m, state)
        self._join(m, state, takes, emits, step, flushes, completes, last)
        return m

    def _begin(self, m, state):
        """The first word of a unit."""
        unit = self.units.payload
        start = Signal(PLACE_BITS)
        end = Signal(len(unit.length) + 1)  # the last byte, from the first lane of the first word on
        lane = unit.address[: self._lane_bits]
        back = Signal(PLACE_BITS)
        m.d.comb += back.eq(-lane)
        with m.If(unit.vertical):
            m.d.comb += back[DOWN_BITS:].eq(0)  # it stays in its column
        m.d.comb += [
            start.eq(next_place(unit.vertical, unit.place, back)),
            end.eq(lane + unit.length),
        ]
        m.d.sync += [
            state.vertical.eq(unit.vertical),
            state.place.eq(start),
            state.left.eq(end >> self._lane_bits),
            state.first.eq(1),
            state.early.eq(unit.place[:_QUAD_BITS] < lane),
            state.first_lane.eq(lane),
            state.last_lane.eq(end),
            state.spills.eq((start[: self._lane_bits] + end[: self._lane_bits])[self._lane_bits]),
            state.final.eq(unit.final),
        ]

    def _rotate(self, m, state, last):
        """The bytes of the word where they lie in a part of a quad, and which of them are to be written."""
        word = self.words.payload
        bytes_ = word.data
        enable = Signal(self._bytes)
        for lane, bit in enumerate(enable):
            before = state.first & (lane < state.first_lane)
            m.d.comb += bit.eq(~(before | (last & (lane > state.last_lane)) | word.error))
        for number, bit in enumerate(state.place[: self._lane_bits]):
            bytes_before, enable_before = bytes_, enable
            bytes_ = Signal(8 * self._bytes, name=f"bytes_{number}")
            enable = Signal(self._bytes, name=f"enable_{number}")
            m.d.comb += [
                bytes_.eq(Mux(bit, bytes_before.rotate_left(8 << number), bytes_before)),
                enable.eq(Mux(bit, enable_before.rotate_left(1 << number), enable_before)),
            ]
        return bytes_, enable

    def _join(self, m, state, takes, emits, step, flushes, completes, last):
        """A word joins what is kept; both go to the output if the word `emits`, save what is behind the quad."""
        shift = state.place[: self._lane_bits]
        part = state.place[self._lane_bits : _QUAD_BITS]
        parts = QUAD_BYTES // self._bytes
        bytes_, enable = self._rotate(m, state, last)
        kept = Signal(8 * QUAD_BYTES)
        kept_enable = Signal(QUAD_BYTES)
        here = Signal(QUAD_BYTES)  # lies in this quad
        behind = Signal(QUAD_BYTES)  # lies in the next one
        for byte in range(QUAD_BYTES):
            number, lane = divmod(byte, self._bytes)
            wraps = lane < shift
            value = bytes_.word_select(lane, 8)
            if parts == 1:
                m.d.comb += here[byte].eq(~wraps)
            else:
                of_next = (part == (number - 1) % parts) & ~completes
                m.d.comb += here[byte].eq(Mux(wraps, of_next, part == number))
            if number == 0:
                m.d.comb += behind[byte].eq(wraps & completes)
            fresh = takes & emits & here[byte]
            with m.If(takes & (here[byte] | behind[byte])):
                m.d.sync += kept.word_select(byte, 8).eq(value)
            with m.If(takes & (behind[byte] | (here[byte] & ~emits))):
                m.d.sync += kept_enable[byte].eq(enable[lane])
            with m.Elif(step & (flushes | (takes & emits))):
                m.d.sync += kept_enable[byte].eq(0)
            with m.If(step):
                m.d.sync += [
                    self.o.payload.data.as_value()
                    .word_select(byte, 8)
                    .eq(Mux(fresh, value, kept.word_select(byte, 8))),
                    self.o.payload.enable[byte].eq(Mux(fresh, enable[lane], kept_enable[byte])),
                ]
