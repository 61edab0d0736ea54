"""`ListFetch`: each byte of a list once and in order, under restarts, and no line after the end."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from vc4.bus.port import BUS_BYTES
from vc4.cle import list_fetch

pytestmark = pytest.mark.thorough

#: Sizes that leave room for every kind of conflict, and no more.
LINE_WORDS, DEPTH = 2, 4
LINE_BYTES = LINE_WORDS * BUS_BYTES
ADDRESS_BITS = 8
#: A byte of memory names its address, in bits none of which is the same in all words; of so many words one is not there.
NAME_BITS, WORDS = 8, 16
_WORD_BITS, _LINE_BITS = 3, 4


def name(word):
    """The bytes of a word, by its number."""
    return Cat(byte_at(Cat(C(number, _WORD_BITS), word)) for number in range(BUS_BYTES))


def byte_at(address):
    """A byte by its address."""
    return (address ^ address[_WORD_BITS : 2 * _WORD_BITS])[:NAME_BITS]


def is_missing(word):
    return word[:4] == WORDS - 1


class ListFetchProof(wiring.Component):
    """Any restarts, any reader, and a memory that answers whenever it wants to.

    `place` is the address of the byte that comes next, `kept` that of the first one in the words that are kept; the words that
    memory owes are those of `owed`, the first one first.
    """

    def __init__(self):
        counts = {"level": range(DEPTH + 1), "coming": range(DEPTH + 1), "dropped": range(DEPTH + 1)}
        places = {"head": range(DEPTH), "tail": range(DEPTH), "offset": _WORD_BITS, "following": 32 - _WORD_BITS}
        flags = ("failed", "started", "has_asked", "was_reached", "there")
        seen = {**counts, **places, **dict.fromkeys(flags, 1), "first": 8}
        self.views = {member: f"fetch.{member}" for member in seen}
        for number in range(DEPTH):
            for lane in range(BUS_BYTES):
                seen[f"byte_{number}_{lane}"] = 8
                self.views[f"byte_{number}_{lane}"] = f"fetch.bytes_{lane}.memory[{number}]"
        free = {"restart": 1, "address": ADDRESS_BITS, "limited": 1, "end": ADDRESS_BITS, "starves": 1, "enough": 1}
        free |= {"take": range(BUS_BYTES + 1), "ready": 1, "answers": 1}
        super().__init__({member: In(shape) for member, shape in (free | seen).items()})

    def elaborate(self, platform):
        m = Module()
        m.submodules.fetch = dut = list_fetch.ListFetch()
        place = Signal(32)
        kept = place + self.there
        for member in ("restart", "address", "limited", "end", "starves", "enough"):
            m.d.comb += getattr(dut, member).eq(getattr(self, member))
        m.d.comb += [dut.window.take.eq(self.take), Assume(self.take <= sum(dut.window.available))]
        m.d.sync += place.eq(Mux(self.restart, self.address, place + self.take))
        owed = self._memory(m, dut)
        self._bytes(m, dut.window, place, kept)
        self._requests(m, dut, kept, owed)
        self._end(m, dut, place)
        return m

    def _memory(self, m, dut):
        """Answers in order. Returns the numbers of the words that it owes, as bits that matter, and how many they are."""
        asked, answer = dut.port.requests, dut.port.responses
        owed = [Signal(NAME_BITS - _WORD_BITS, name=f"owed_{number}") for number in range(DEPTH)]
        count = Signal(range(DEPTH + 1))
        accepts, answers = Signal(), Signal()
        kept = Signal(range(DEPTH + 1))
        m.d.comb += [
            asked.ready.eq(self.ready),
            accepts.eq(asked.valid & asked.ready),
            answers.eq(self.answers & count.any()),
            answer.valid.eq(answers),
            answer.payload.data.eq(name(owed[0])),
            answer.payload.error.eq(is_missing(owed[0])),
            kept.eq(count - answers),
        ]
        first = asked.payload.address[_WORD_BITS:]
        m.d.sync += count.eq(kept + Mux(accepts, asked.payload.beats + 1, 0))
        for number, word in enumerate(owed):
            further = owed[number + 1] if number + 1 < DEPTH else word
            m.d.sync += word.eq(Mux(answers, further, word))
            with m.If(accepts & (kept <= number)):
                m.d.sync += word.eq(first + (number - kept))
        return owed, count

    def _bytes(self, m, window, place, kept):
        """What is shown, and where it is kept."""
        m.d.comb += [
            *(
                Assert(~window.available[number] | (window.bytes.word_select(number, 8) == byte_at(place + number)))
                for number in range(BUS_BYTES)
            ),
            Assert(((window.available + 1) & window.available) == 0, "bytes are there after some that are not"),
            Assert(~self.there | self.started, "a byte of no list"),
            Assert(~self.there | (self.first == byte_at(place)), "another byte is the first one"),
            Assert(
                ~self.there | self.level.any() | ~self.offset.any(), "the first byte is not the last one of its word"
            ),
            Assert(
                ~window.error | ~is_missing(place[_WORD_BITS:]) | ~window.available.any(), "a byte that is not there"
            ),
            Assert(
                ~window.error | window.available.all() | is_missing((place + sum(window.available))[_WORD_BITS:]),
                "an error although more comes",
            ),
            Assert(~self.failed | is_missing(kept[_WORD_BITS:] + self.level), "the next word is in memory"),
            Assert(
                (self.head + self.level - self.tail) % DEPTH == 0, "the words between head and tail are not those kept"
            ),
            Assert(~self.started | (self.offset == kept[:_WORD_BITS]), "the window begins elsewhere"),
            Cover(self.started & window.available.all() & (self.offset == 5), "the window lies over two words"),
            Cover(self.failed & (window.available == 0b111), "the list leaves memory"),
        ]
        for number in range(DEPTH):
            word = Cat(getattr(self, f"byte_{number}_{lane}") for lane in range(BUS_BYTES))
            distance = (number - self.head)[:2]
            here = kept[_WORD_BITS:] + distance
            m.d.comb += Assert((distance >= self.level) | (word == name(here)), "another word is kept")

    def _requests(self, m, dut, kept, owed):
        """What is asked for, and what memory owes."""
        words, count = owed
        asked = dut.port.requests
        length = Mux(asked.valid, asked.payload.beats + 1, 0)
        begin = asked.payload.address[_WORD_BITS:]
        current = self.coming - self.dropped
        expected = (kept[_WORD_BITS:] + self.level + current)[: len(self.following)]
        m.d.comb += [
            Assert(self.coming == count + length, "another number of words is on its way"),
            Assert(self.level + self.coming <= DEPTH, "more words come than there is room for"),
            Assert(self.dropped <= self.coming, "more words are dropped than come"),
            Assert(self.started | ~(self.level.any() | self.coming.any()), "words of no list"),
            Assert(~self.started | self.failed | (self.following == expected), "a word is left out, or comes twice"),
            Assert(~asked.valid | (begin[:1] + length == LINE_WORDS), "a request is not the rest of a line"),
            Assert(~asked.valid | ~asked.payload.address[:_WORD_BITS].any(), "a request begins within a word"),
            Cover(self.dropped.any() & (current == 2), "new words wait for old ones"),
        ]
        # A request is of the list, or all of it is dropped; so is what memory owes.
        mine = asked.valid & (self.dropped <= count)
        m.d.comb += Assert(~asked.valid | (self.dropped <= count) | (self.dropped == self.coming), "half of a request")
        m.d.comb += Assert(
            ~mine | self.failed | ((begin + length)[: len(self.following)] == self.following),
            "another line is asked for",
        )
        for number, word in enumerate(words):
            from_end = self.coming - number
            is_current = (number < count) & (number >= self.dropped) & ~self.failed
            m.d.comb += Assert(~is_current | (word == (expected - from_end)[: len(word)]), "memory owes another word")

    def _end(self, m, dut, place):
        """With an end that stays, and nobody who needs more, no line after it is asked for."""
        strict, end = Signal(), Signal(ADDRESS_BITS)
        last_line = (end - 1)[:ADDRESS_BITS][_LINE_BITS:]
        next_line = self.following[1:]
        asked = dut.port.requests
        asked_line = asked.payload.address[_LINE_BITS:]
        keeps = self.limited & ~self.starves & (self.end == end)
        m.d.sync += strict.eq(strict & keeps)
        with m.If(self.restart):
            m.d.sync += [strict.eq(self.end > self.address), end.eq(self.end)]
        reached = self.was_reached | (self.has_asked & (next_line == last_line + 1))
        m.d.comb += [
            Assert(~(strict & self.has_asked & asked.valid) | (asked_line <= last_line), "a line after the end"),
            Assert(~(strict & self.has_asked) | (asked_line + 1 == next_line), "lines do not follow each other"),
            Assert(~strict | reached | (next_line <= last_line), "the end has been passed"),
            Assert(~(strict & self.was_reached) | (next_line == last_line + 1), "the end was reached elsewhere"),
            Assert(~strict | (end != 0), "no end"),
            Cover(strict & self.was_reached & ~dut.window.available.any() & self.level == 0, "all has been taken"),
        ]


@pytest.fixture
def small(monkeypatch, faulty):
    """`small(old, new)`: short lines from here on; with a fault if it is named."""

    def change(old="", new=""):
        for constant, value in (("_LINE_WORDS", LINE_WORDS), ("_DEPTH", DEPTH), ("_LINE_BITS", _LINE_BITS)):
            monkeypatch.setattr(list_fetch, constant, value)
        old, new = (old, new) if old else ("class ListFetch", "class ListFetch")
        monkeypatch.setattr(list_fetch, "ListFetch", faulty(list_fetch.ListFetch, old, new))

    return change


def test_every_byte_once(prover, small):
    small()
    prover.holds(ListFetchProof(), depth=4, cover=20)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dropped.eq(left)", "dropped.eq(coming)"),
        ("head.eq(tail)", "head.eq(0)"),
        ("failed | self.restart)", "self.restart)"),
        ("self.ahead <= _DEPTH - _LINE_WORDS", "self.ahead <= _DEPTH"),
        ("number < offset, second, head", "number < offset, head, second"),
        ("offset < BUS_BYTES - number", "offset <= BUS_BYTES - number"),
        ("there.eq(comes)", "there.eq(1)"),
        ("offset[0].eq(comes)", "offset[0].eq(1)"),
        ("& ~self.end[:_LINE_BITS].any()", "& self.end[:_LINE_BITS].any()"),
        ("has_asked.eq(0), was_reached.eq(0)", "was_reached.eq(0)"),
    ],
    ids=[
        *("one too many", "head", "after an error", "no room", "lanes", "too many bytes"),
        *("no byte", "no word", "whole line", "old end"),
    ],
)
def test_faults(prover, small, old, new):
    small(old, new)
    prover.refuted(ListFetchProof(), depth=14)
