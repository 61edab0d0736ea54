"""Caches: what is found is what memory holds, and no line is replaced while it comes."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect

from vc4.common import cache_tags
from vc4.l2c import l2c
from vc4.slice import line_cache

#: Sizes that leave room for every kind of conflict, and no more.
SETS, WAYS, WORDS, TAG_BITS = 2, 2, 2, 2
LINE_BYTES = 8 * WORDS
WORD_ADDRESSES = SETS * WORDS << TAG_BITS


def held(address):
    """What memory holds: a word that names its own address, by its number."""
    return address ^ 1


class TagsProof(wiring.Component):
    """Any writes and clears, and lookups of one line, whichever `line_set` and `line_tag` choose, with its shadow."""

    line_set: In(range(SETS))
    line_tag: In(TAG_BITS)
    enable: In(1)
    write_enable: In(1)
    write_set: In(range(SETS))
    write_way: In(range(WAYS))
    write_valid: In(1)
    write_tag: In(TAG_BITS)
    clear: In(1)

    def __init__(self, registered: bool):
        self._registered = registered
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = dut = cache_tags.CacheTags(SETS, WAYS, TAG_BITS, registered=self._registered)
        (lookup,) = dut.lookups
        names = ("write_enable", "write_set", "write_way", "write_valid", "write_tag", "clear")
        m.d.comb += [
            *(getattr(dut, name).eq(getattr(self, name)) for name in names),
            lookup.enable.eq(self.enable),
            lookup.set.eq(self.line_set),
            lookup.tag.eq(self.line_tag),
        ]
        begun = Signal()
        chosen = Cat(self.line_set, self.line_tag)
        before = Signal.like(chosen)
        there, way = Signal(), Signal(range(WAYS))
        m.d.sync += [begun.eq(1), before.eq(chosen)]
        same = self.write_enable & (self.write_set == self.line_set)
        entered = same & self.write_valid & (self.write_tag == self.line_tag)
        m.d.comb += [
            Assume(~begun | (chosen == before)),
            # A line is never entered while another way has it.
            Assume(~(entered & there & (self.write_way != way))),
        ]
        with m.If(self.clear | dut.clearing):
            m.d.sync += there.eq(0)
        with m.Elif(entered):
            m.d.sync += [there.eq(1), way.eq(self.write_way)]
        with m.Elif(same & (self.write_way == way)):
            m.d.sync += there.eq(0)

        asks = self.enable
        if self._registered:
            m.d.comb += Assume(~(self.enable & same))
            answers, expected, expected_way = Signal(), Signal(), Signal(range(WAYS))
            m.d.sync += [answers.eq(asks), expected.eq(there), expected_way.eq(way)]
            expected = expected & ~dut.clearing
        else:
            answers, expected, expected_way = asks, there & ~dut.clearing, way
        m.d.comb += [
            Assert(~answers | (lookup.hit == expected), "a line is found that is not there, or the other way round"),
            Assert(~(answers & expected) | (lookup.way == expected_way), "it is found in another way"),
            Cover(answers & lookup.hit & (lookup.way == 1), "a line is found"),
            Cover(answers & ~lookup.hit & begun & ~dut.clearing, "it is not"),
        ]
        return m


class Source(wiring.Component):
    """Memory that answers the tags of a port in any order and at any time, a word of one after a word of another.

    ready, answers, tag : it takes a request, and answers one, if there is one to be answered
    """

    def __init__(self, signature):
        self._tags = 1 << signature.tag_bits
        super().__init__({"bus": In(signature), "ready": In(1), "answers": In(1), "tag": In(signature.tag_bits)})

    def elaborate(self, platform):
        m = Module()
        requests, responses = self.bus.requests, self.bus.responses
        asked = requests.payload
        waits = Array(Signal(name=f"waits_{tag}") for tag in range(self._tags))
        lines = Array(Signal(29, name=f"line_{tag}") for tag in range(self._tags))
        words = Array(Signal(range(WORDS), name=f"word_{tag}") for tag in range(self._tags))
        address = Signal(29)
        new_set = asked.address[4]
        m.d.comb += [
            address.eq(lines[self.tag] + words[self.tag]),
            requests.ready.eq(self.ready),
            responses.valid.eq(self.answers & waits[self.tag]),
            responses.payload.tag.eq(self.tag),
            responses.payload.data.eq(held(address)),
            responses.payload.last.eq(words[self.tag] == WORDS - 1),
            Assert(~requests.valid | (asked.address % LINE_BYTES == 0), "a line does not begin at its first word"),
            Assert(~requests.valid | (asked.beats == WORDS - 1), "a line has another length"),
            Assert(~requests.valid | ~waits[asked.tag], "a tag is used again before its line has come"),
        ]
        for tag in range(self._tags):
            m.d.comb += Assert(
                ~requests.valid | ~waits[tag] | (lines[tag][1] != new_set), "two lines of a set are on their way"
            )
        with m.If(responses.valid & responses.ready):
            m.d.sync += words[self.tag].eq(words[self.tag] + 1)
            with m.If(responses.payload.last):
                m.d.sync += waits[self.tag].eq(0)
        with m.If(requests.valid & requests.ready):
            m.d.sync += [waits[asked.tag].eq(1), lines[asked.tag].eq(asked.address >> 3), words[asked.tag].eq(0)]
        return m


class LineCacheProof(wiring.Component):
    """Two readers that look up any words, and memory."""

    def __init__(self):
        super().__init__(
            {
                "lookups": In(2),
                "address": In(range(WORD_ADDRESSES)),
                "ahead": In(1),
                "clear": In(1),
                "ready": In(1),
                "answers": In(1),
                "tag": In(2),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = dut = line_cache.LineCache(
            2, size=SETS * WAYS * LINE_BYTES, ways=WAYS, line_bytes=LINE_BYTES
        )
        m.submodules.source = source = Source(dut.bus.signature)
        connect(m, dut.bus, source.bus)
        m.d.comb += [
            dut.clear.eq(self.clear),
            source.ready.eq(self.ready),
            source.answers.eq(self.answers),
            source.tag.eq(self.tag),
        ]
        address, later = Signal(29), Signal(29)
        m.d.sync += [address.eq(self.address), later.eq(address)]
        for number, reader in enumerate(dut.readers):
            asked, found = Signal(name=f"asked_{number}"), Signal(name=f"found_{number}")
            m.d.comb += [
                reader.lookup.eq(self.lookups[number]),
                reader.address.eq(self.address),
                reader.ahead.eq(self.ahead),
                Assert(~reader.found | asked, "a word is found that nobody has looked up"),
                Assert(~found | (reader.word == held(later)), "another word is found"),
                Assert(~found | ~reader.error, "an error is found"),
                Cover(found & (later == WORD_ADDRESSES - 1), "a word is found"),
            ]
            m.d.sync += [asked.eq(reader.turn & reader.lookup), found.eq(reader.found)]
        return m


class L2cProof(wiring.Component):
    """Any requests of two tags, and memory; one request is followed, whichever `follow` chooses.

    steady : the cache is always enabled and never cleared
    """

    def __init__(self, slots: int = 4, *, steady: bool = False):
        self._steady = steady
        self._cache = l2c.L2c(size=SETS * WAYS * LINE_BYTES, ways=WAYS, line_bytes=LINE_BYTES, tag_bits=1, slots=slots)
        super().__init__(
            {
                "asks": In(1),
                "address": In(range(WORD_ADDRESSES)),
                "beats": In(range(WORDS)),
                "client_tag": In(1),
                "takes": In(1),
                "enable": In(1),
                "clear": In(1),
                "follow": In(1),
                "ready": In(1),
                "answers": In(1),
                "tag": In(self._cache.bus.signature.tag_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = dut = self._cache
        m.submodules.source = source = Source(dut.bus.signature)
        connect(m, dut.bus, source.bus)
        asked, got = dut.client.requests, dut.client.responses
        m.d.comb += [
            *(dut.enable.eq(self.enable), dut.clear.eq(self.clear)),
            *(source.ready.eq(self.ready), source.answers.eq(self.answers), source.tag.eq(self.tag)),
            *(asked.valid.eq(self.asks), asked.payload.address.eq(self.address << 3)),
            *(asked.payload.beats.eq(self.beats), asked.payload.tag.eq(self.client_tag), got.ready.eq(self.takes)),
            Assume(self.beats + self.address[0] < WORDS),
            Assume((self.enable & ~self.clear) | (not self._steady)),
        ]
        takes, comes = asked.valid & asked.ready, got.valid & got.ready
        due = Array(Signal(4, name=f"due_{tag}") for tag in range(2))  # words of each tag that have still to come
        for tag in range(2):
            more = Mux(takes & (asked.payload.tag == tag), asked.payload.beats + 1, 0)
            less = comes & (got.payload.tag == tag)
            m.d.sync += due[tag].eq(due[tag] + more - less)
        followed = Signal()
        line = Signal(29)
        ahead = Signal(4)
        left = Signal(range(WORDS + 1))
        tag = Signal()
        mine = comes & (got.payload.tag == tag)
        with m.If(~followed & takes & self.follow):
            m.d.sync += [
                *(followed.eq(1), line.eq(asked.payload.address >> 3), left.eq(asked.payload.beats)),
                tag.eq(asked.payload.tag),
                ahead.eq(due[asked.payload.tag] - (comes & (got.payload.tag == asked.payload.tag))),
            ]
        with m.Elif(followed & mine & (ahead != 0)):
            m.d.sync += ahead.eq(ahead - 1)
        with m.Elif(followed & mine):
            m.d.sync += [line.eq(line + 1), left.eq(left - 1), followed.eq(left != 0)]
        now = followed & got.valid & (got.payload.tag == tag) & (ahead == 0)
        m.d.comb += [
            Assert(~got.valid | (due[got.payload.tag] != 0), "a word comes that nobody has asked for"),
            Assert(~now | (got.payload.data == held(line)), "another word comes"),
            Assert(~now | (got.payload.last == (left == 0)), "the wrong word is the last one"),
            Assert(~now | ~got.payload.error, "an error comes"),
            Cover(
                now & comes & got.payload.last & (dut.clearing | self._steady), "a request is answered during a clear"
            ),
        ]
        hits = Signal(2)
        with m.If(dut.hit & (hits != 3)):
            m.d.sync += hits.eq(hits + 1)
        m.d.comb += Cover(now & comes & got.payload.last & (hits == 2), "the second hit is answered")
        return m


@pytest.mark.parametrize("registered", [False, True])
def test_tags(prover, registered):
    prover.holds(TagsProof(registered), depth=9, unbounded=False)


def test_line_cache(prover):
    prover.holds(LineCacheProof(), depth=12, unbounded=False)


def test_l2c(prover):
    prover.holds(L2cProof(), depth=12, unbounded=False, cover=20)


@pytest.mark.slow
def test_line_cache_for_longer(prover):
    prover.holds(LineCacheProof(), depth=17, unbounded=False)


@pytest.mark.slow
def test_l2c_for_longer(prover):
    prover.holds(L2cProof(slots=2, steady=True), depth=18, unbounded=False, cover=20)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("left.eq(self._sets + 1)", "left.eq(self._sets)", "found that is not there"),
        ("entry.valid & (entry.tag == port.tag)", "entry.tag == port.tag", "found that is not there"),
        ("port.way.eq(way)", "port.way.eq(way & 0)", "another way"),
        ("sweeps | (writes &", "(writes &", "found that is not there"),
    ],
    ids=["sweep", "valid", "way", "write"],
)
def test_faults_of_tags(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(cache_tags, "CacheTags", faulty(cache_tags.CacheTags, old, new))
    assert said in prover.refuted(TagsProof(registered=True), depth=9)


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
def test_faults_of_the_line_cache(prover, faulty, monkeypatch, part, old, new, said):
    monkeypatch.setattr(line_cache, part.__name__, faulty(part, old, new))
    assert said in prover.refuted(LineCacheProof(), depth=16)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("~hit & ~decision.blocked", "~hit"),
        ("advances & ~writes & ~slots.again.valid", "advances & ~slots.again.valid"),
    ],
    ids=["blocked", "writes"],
)
def test_faults_of_the_l2c(prover, faulty, monkeypatch, old, new):
    monkeypatch.setattr(l2c, "L2c", faulty(l2c.L2c, old, new))
    prover.refuted(L2cProof(), depth=14)
