"""Answers as a stream of bytes."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.crc import Processor
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from .protocol import ANSWER_START, MOST_WORDS, WORD_BYTES, Answer
from .structs import CHECK_BYTES, CRC, INDEX_BITS

__all__ = ["AnswerSender"]

_HEADER_BYTES = Answer.as_shape().size // 8


class AnswerSender(wiring.Component):
    """Sends an answer: `ANSWER_START`, the header, its words from a buffer, the check.

    Interface attributes
    --------------------
    start, answer : send this one; it stays as it is until `done`
    word_index, word : a word of the buffer, which is there one clock after its index
    o : the bytes
    done : the last byte is taken
    """

    start: In(1)
    answer: In(Answer)
    word_index: Out(INDEX_BITS)
    word: In(8 * WORD_BYTES)
    o: Out(stream.Signature(8))
    done: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = Processor(CRC)
        place = Signal(range(WORD_BYTES))  # of the byte in its word, the header or the check
        index = Signal(range(MOST_WORDS + 1))
        taken = Signal()
        m.d.comb += [taken.eq(self.o.valid & self.o.ready), crc.data.eq(self.o.payload), self.word_index.eq(index)]
        with m.If(taken):
            m.d.sync += place.eq(place + 1)
        with m.FSM(name="part"):
            with m.State("IDLE"):
                m.d.sync += [place.eq(0), index.eq(0)]
                with m.If(self.start):
                    m.next = "START"
            with m.State("START"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(ANSWER_START), crc.start.eq(1)]
                with m.If(taken):
                    m.d.sync += place.eq(0)
                    m.next = "HEADER"
            with m.State("HEADER"):
                header = self.answer.as_value().word_select(place, 8)
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(header), crc.valid.eq(taken)]
                with m.If(taken & (place == _HEADER_BYTES - 1)):
                    m.d.sync += place.eq(0)
                    m.next = "FETCH"
            with m.State("FETCH"):
                m.next = "WORD"
                with m.If(index == self.answer.words):
                    m.next = "CHECK"
            with m.State("WORD"):
                byte = self.word.word_select(place, 8)
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(byte), crc.valid.eq(taken)]
                with m.If(taken & (place == WORD_BYTES - 1)):
                    m.d.sync += index.eq(index + 1)
                    m.next = "FETCH"
            with m.State("CHECK"):
                m.d.comb += [
                    self.o.valid.eq(1),
                    self.o.payload.eq(crc.crc.word_select(place[: exact_log2(CHECK_BYTES)], 8)),
                ]
                with m.If(taken & (place == CHECK_BYTES - 1)):
                    m.d.comb += self.done.eq(1)
                    m.next = "IDLE"
        return m
