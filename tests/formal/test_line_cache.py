"""`LineCache`: a word that is found is what memory holds."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Cover
from amaranth.lib import data
from amaranth.lib.wiring import In, connect

from vc4.slice import line_cache, line_fills
from vc4.slice.line_fills import FILLS, LineFill, LinePlace

from .memory import (
    ADDRESS_BITS,
    ENTRY,
    KEPT_WORD,
    LINE_BYTES,
    SETS,
    TAG_BITS,
    WAYS,
    WORD,
    WORD_ADDRESSES,
    WORDS,
    Source,
    held,
    right,
    right_at,
    twice,
    word_of,
)
from .proof import Proof

pytestmark = pytest.mark.thorough

_READERS = 2
#: Of a request in the queue: Yosys keeps no other bits, as they are never set.
_KEPT_REQUEST = data.StructLayout({"line": ADDRESS_BITS - 1, "beats": range(WORDS), "tag": range(FILLS)})


class LineCacheProof(Proof):
    """Two readers that look up any words, and memory."""

    def __init__(self, ahead: int = 1):
        self._cache = line_cache.LineCache(
            _READERS, size=SETS * WAYS * LINE_BYTES, ways=WAYS, line_bytes=LINE_BYTES, ahead=ahead
        )
        super().__init__(
            "cache",
            {
                "lookups": In(_READERS),
                "address": In(ADDRESS_BITS),
                **{name: In(1) for name in ("ahead", "clear", "ready", "answers")},
                "tag": In(range(FILLS)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = dut = self._cache
        m.submodules.memory = memory = Source(dut.bus.signature)
        connect(m, dut.bus, memory.bus)
        m.d.comb += [
            dut.clear.eq(self.clear),
            *(memory.ready.eq(self.ready), memory.answers.eq(self.answers), memory.tag.eq(self.tag)),
        ]
        address, later = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS)
        asked, found = Signal(_READERS), Signal(_READERS)
        m.d.sync += [address.eq(self.address), later.eq(address)]
        for number, reader in enumerate(dut.readers):
            m.d.comb += [
                reader.lookup.eq(self.lookups[number]),
                reader.address.eq(self.address),
                reader.ahead.eq(self.ahead),
                Assert(~reader.found | asked[number], "a word is found that nobody has looked up"),
                Assert(
                    ~found[number] | (Cat(reader.word[:ADDRESS_BITS], reader.error) == held(later)),
                    "another word is found",
                ),
                Cover(found[number] & (later == WORD_ADDRESSES - 1), "a word is found that memory does not have"),
                Cover(found[number] & (later == WORD_ADDRESSES - 2), "a word is found"),
            ]
            m.d.sync += [asked[number].eq(reader.turn & reader.lookup), found[number].eq(reader.found)]
        self._invariants(m, memory, asked, address, found, later)
        return m


class UnboundedLineCacheProof(LineCacheProof):
    """With the invariants that make it unbounded.

    A word of a line that the tags have is there, or its line is on its way and the word has not come yet. The lines that
    are on their way are kept here, of each place in `LineFills`.
    """

    def _sees(self):
        ways, fills, places = range(WAYS), range(FILLS), range(FILLS)
        return {
            **{"decided": ("decided", _READERS), "asked_address": ("address", ADDRESS_BITS)},
            **{"finds": ("found", 1), "way": ("way", ways), "wanted": ("fills.wanted_stb", 1)},
            **{"missing": ("missing", 1), "line_after": ("line", ADDRESS_BITS - 1)},
            **{"read_word": ("words.read_data", WORD), "left": ("tags.left", range(SETS + 2))},
            **{"filling": ("fills.filling", FILLS), "free": ("fills.free", FILLS), "starts": ("fills.starts", 1)},
            "started": ("fills.started", LinePlace(WORDS, SETS, WAYS)),
            **{f"fill_{fill}": (f"fills.fill_{fill}", LineFill(WORDS, SETS, WAYS)) for fill in fills},
            **{f"requests_{end}": (f"fills.requests.places.{end}_address", places) for end in ("read", "write")},
            "requests_level": ("fills.requests.level", range(FILLS + 1)),
            **{f"request_{place}": (f"fills.requests.places.memory[{place}]", _KEPT_REQUEST) for place in places},
            **{
                f"entry_{way}_{one}_{port}": (f"tags.way_{way}_{port}.memory[{one}]", ENTRY)
                for way in ways
                for one in range(SETS)
                for port in range(2)
            },
            **{f"word_{word}": (f"words.memory[{word}]", KEPT_WORD) for word in range(WORDS * SETS * WAYS)},
        }

    def _invariants(self, m, memory, asked, address, found, later):
        self._fills = [getattr(self, f"fill_{number}") for number in range(FILLS)]
        tags = [Signal(TAG_BITS, name=f"tag_{number}") for number in range(FILLS)]
        for number, tag in enumerate(tags):
            with m.If(self.starts & self.free[number]):
                m.d.sync += tag.eq(self.started.tag)
        self._on_way(m, memory, tags)
        self._entered(m, tags)
        word, one, tag = self._parts(address)
        m.d.comb += [
            Assert(self.decided == asked, "decided"),
            Assert((asked & (asked - 1)) == 0, "two look up a word"),
            Assert((asked == 0) | (self.asked_address == address), "another word is looked up"),
            Assert(
                ~self.finds | right_at(self._words(), self.way, one, tag).bit_select(word, 1), "found, but not there"
            ),
            Assert((found & (found - 1)) == 0, "two find a word"),
            Assert(
                (found == 0) | (word_of(self.read_word) == held(later)),
                "another word is read",
            ),
            *self._not_there(self.wanted, one, tag),
            *self._not_there(self.missing, self.line_after[0], self.line_after[1:]),
        ]

    def _parts(self, address):
        """Word, set and tag of an address."""
        return address[0], address[1], address[2:]

    def _on_way(self, m, memory, tags):
        """Each line that is on its way stands once among the requests, or memory has its request."""
        places = [getattr(self, f"request_{place}") for place in range(FILLS)]
        level, read, write = self.requests_level, self.requests_read, self.requests_write
        m.d.comb += Assert((read + level - write)[:2] == 0, "places of the requests")
        requests = []
        for ahead in range(FILLS):
            request = Signal.like(places[0], name=f"request_at_{ahead}")
            m.d.comb += request.eq(Array(place.as_value() for place in places)[(read + ahead)[:2]])
            requests.append(request)
        for number, (fill, tag) in enumerate(zip(self._fills, tags, strict=True)):
            asks = Cat((ahead < level) & (request.tag == number) for ahead, request in enumerate(requests))
            waits = memory.waits[number]
            line = Cat(C(0, 1), fill.set, tag)
            m.d.comb += [
                Assert((asks & (asks - 1)) == 0, "a line is asked for twice"),
                Assert(self.filling[number] == (asks.any() | waits), "where the line is"),
                Assert(~(asks.any() & waits), "a line is in two places"),
                Assert(~(self.filling[number] & ~waits) | (fill.arrived == 0), "a word has come too early"),
                Assert(
                    ~waits | ((memory.words[number] == fill.arrived) & (memory.lines[number] == line)), "on the way"
                ),
                *(
                    Assert(~asked | (Cat(C(0, 1), request.line) == line) & (request.beats == WORDS - 1), "another line")
                    for asked, request in zip(asks, requests, strict=True)
                ),
                *(
                    Assert(~(self.filling[number] & self.filling[other]) | (fill.set != self._fills[other].set), "set")
                    for other in range(number)
                ),
            ]

    def _entered(self, m, tags):
        """What the tags have."""
        clearing = self.left != 0
        m.d.comb += Assert(self.left <= SETS + 1, "left")
        for one in range(SETS):
            entries = self._entries(one)
            m.d.comb += Assert(clearing | ~twice(entries), "a line is entered in two ways")
            for way, entry in enumerate(entries):
                live = ~clearing & entry.valid
                there = right(self._words(), way, one, entry.tag)
                m.d.comb += [
                    Assert(entry == getattr(self, f"entry_{way}_{one}_1"), "the ports differ"),
                    Assert(~clearing | (one + 1 < self.left) | ~entry.valid, "swept"),
                    *(
                        Assert(~(live & self._filling(number, one, way)) | (entry.tag == tag), "another line comes")
                        for number, tag in enumerate(tags)
                    ),
                    *(
                        Assert(
                            ~live
                            | there[word]
                            | Cat(
                                self._filling(number, one, way) & (fill.arrived <= word)
                                for number, fill in enumerate(self._fills)
                            ).any(),
                            "a word is not there",
                        )
                        for word in range(WORDS)
                    ),
                ]

    def _entries(self, one):
        return [getattr(self, f"entry_{way}_{one}_0") for way in range(WAYS)]

    def _words(self):
        return [getattr(self, f"word_{word}") for word in range(WORDS * SETS * WAYS)]

    def _filling(self, number, one, way=None):
        """A line of a set, and for a way, is on its way."""
        fill = self._fills[number]
        return self.filling[number] & (fill.set == one) & (C(1) if way is None else fill.way == way)

    def _not_there(self, misses, one, tag):
        """A line that has not been found is not there, or a line of its set is on its way."""
        coming = Cat(self._filling(number, one) for number in range(FILLS)).any()
        return [
            Assert(~(misses & (one == number) & entry.valid & (entry.tag == tag)) | (self.left != 0) | coming, "missed")
            for number in range(SETS)
            for entry in self._entries(number)
        ]


@pytest.fixture(autouse=True)
def few_addresses(monkeypatch):
    """Addresses have only the bits that are needed here."""
    for module in line_cache, line_fills:
        monkeypatch.setattr(module, "WORD_ADDRESS_BITS", ADDRESS_BITS)


@pytest.mark.parametrize("ahead", [1, 2])
def test_words(prover, ahead):
    prover.holds(UnboundedLineCacheProof(ahead), depth=2, cover=12)


def test_bounded(prover):
    prover.holds(LineCacheProof(), depth=12, unbounded=False)


@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        (line_cache.LineFills, "fill.arrived <= self.word", "fill.arrived < self.word", "in the clock that writes it"),
        (line_cache.LineFills, "~on_way(self.wanted.set)", "1", "two lines of a set"),
        (line_cache.LineFills, "~on_way(self.ahead.set)", "1", "two lines of a set"),
        (line_cache.CacheTags, "self.write_way == way", "way == 0", "another word"),
    ],
    ids=["early", "wanted", "ahead", "way"],
)
def test_faults(prover, faulty, monkeypatch, part, old, new, said):
    monkeypatch.setattr(line_cache, part.__name__, faulty(part, old, new))
    assert said in prover.refuted(LineCacheProof(), depth=16)
