"""Memory, as the proofs of the caches have it: small, with words that name their own addresses."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES

__all__ = [
    "ADDRESS_BITS",
    "ENTRY",
    "KEPT_WORD",
    "LINE_BYTES",
    "SETS",
    "TAG_BITS",
    "WAYS",
    "WORD",
    "WORDS",
    "WORD_ADDRESSES",
    "Source",
    "held",
    "lacks",
    "right",
    "right_at",
    "twice",
    "word_of",
]

#: Sizes of caches that leave room for every kind of conflict, and no more.
SETS, WAYS, WORDS, TAG_BITS = 2, 2, 2, 2
LINE_BYTES = BUS_BYTES * WORDS
#: Number of words in memory; the last one is not there.
WORD_ADDRESSES = SETS * WORDS << TAG_BITS
#: Of the number of a word: word of the line, set and tag.
ADDRESS_BITS = exact_log2(WORD_ADDRESSES)
#: A word in a cache, and the bits of it that Yosys keeps, as the others are never set.
WORD = data.StructLayout({"data": 8 * BUS_BYTES, "error": 1})
KEPT_WORD = ADDRESS_BITS + 1
#: What tags say of a way of a set.
ENTRY = data.StructLayout({"valid": 1, "tag": TAG_BITS})


def held(address):
    """What a cache gets for a word, by its number: data that name the word, and above them whether it is an error."""
    return Cat(address ^ 1, address == WORD_ADDRESSES - 1)


def lacks(line):
    """Whether memory does not have all words of a line, by its number."""
    return line == (WORD_ADDRESSES - 1) // WORDS


def word_of(word):
    """The same bits of a word with its error, as they come from the cache."""
    return Cat(word.data[:ADDRESS_BITS], word.error)


def right(words, way, one, tag):
    """For each word of a line, whether the words of a cache have it, in this way of this set."""
    first = WORDS * (one + SETS * way)
    return Cat(
        words[first + word] == held(Cat(C(word, exact_log2(WORDS)), C(one, exact_log2(SETS)), tag))
        for word in range(WORDS)
    )


def right_at(words, way, one, tag):
    """The same, of a way and a set that are signals."""
    return Array(right(words, number, other, tag) for number in range(WAYS) for other in range(SETS))[Cat(one, way)]


def twice(entries):
    """Whether both ways of a set have the same line."""
    first, second = entries
    return first.valid & second.valid & (first.tag == second.tag)


class Source(wiring.Component):
    """Answers the tags of a port in any order and at any time, a word of one after a word of another.

    Parameters
    ----------
    signature : of the port

    Interface attributes
    --------------------
    bus : the port
    ready, answers, tag : it takes a request, and answers one, if there is one to be answered
    waits, lines, words : for each tag, whether it has still to be answered, the first word of its line, and the next one
    """

    def __init__(self, signature):
        tags = range(1 << signature.tag_bits)
        self.waits = Array(Signal(name=f"waits_{tag}") for tag in tags)
        self.lines = Array(Signal(ADDRESS_BITS, name=f"line_{tag}") for tag in tags)
        self.words = Array(Signal(range(WORDS), name=f"word_{tag}") for tag in tags)
        super().__init__({"bus": In(signature), "ready": In(1), "answers": In(1), "tag": In(signature.tag_bits)})

    def elaborate(self, platform):
        m = Module()
        requests, responses = self.bus.requests, self.bus.responses
        asked = requests.payload
        waits, lines, words = self.waits, self.lines, self.words
        address = Signal.like(lines[0])
        new_set = asked.address[4]
        m.d.comb += [
            address.eq(lines[self.tag] + words[self.tag]),
            requests.ready.eq(self.ready),
            responses.valid.eq(self.answers & waits[self.tag]),
            responses.payload.tag.eq(self.tag),
            Cat(responses.payload.data[: len(address)], responses.payload.error).eq(held(address)),
            responses.payload.last.eq(words[self.tag] == WORDS - 1),
            Assert(~requests.valid | (asked.address % LINE_BYTES == 0), "a line does not begin at its first word"),
            Assert(~requests.valid | (asked.beats == WORDS - 1), "a line has another length"),
            Assert(~requests.valid | ~waits[asked.tag], "a tag is used again before its line has come"),
        ]
        for waiting, line in zip(waits, lines, strict=True):
            m.d.comb += Assert(~requests.valid | ~waiting | (line[1] != new_set), "two lines of a set are on their way")
        with m.If(responses.valid & responses.ready):
            m.d.sync += words[self.tag].eq(words[self.tag] + 1)
            with m.If(responses.payload.last):
                m.d.sync += waits[self.tag].eq(0)
        with m.If(requests.valid & requests.ready):
            m.d.sync += [waits[asked.tag].eq(1), lines[asked.tag].eq(asked.address >> 3), words[asked.tag].eq(0)]
        return m
