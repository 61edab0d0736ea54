"""`L2c`: every request is answered once, in the order of its tag, with what memory holds."""

from types import SimpleNamespace

from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib.wiring import In, connect
from amaranth.utils import exact_log2

from vc4.l2c import l2c
from vc4.l2c.answers import COMMANDS, RESPONSES

from .l2c_state import CLIENT_TAGS
from .memory import ADDRESS_BITS, LINE_BYTES, SETS, TAG_BITS, WAYS, WORDS, Source, held, word_of
from .proof import Proof

__all__ = ["L2cProof"]


class L2cProof(Proof):
    """Any requests of two tags, and memory; one request is followed, whichever `follow` chooses.

    A scoreboard holds what has still to come for it, and how many requests of its tag come before. The n-th request of a
    tag is the one whose words come after n - 1 words that are marked as the last ones.
    """

    def __init__(self, slots: int = 4):
        self._slots = slots
        self._cache = l2c.L2c(size=SETS * WAYS * LINE_BYTES, ways=WAYS, line_bytes=LINE_BYTES, tag_bits=1, slots=slots)
        # Addresses have only the bits that are needed here.
        self._cache._geometry.line_tag_bits = TAG_BITS
        super().__init__(
            "cache",
            {
                **{name: In(1) for name in ("asks", "client_tag", "takes", "enable", "clear", "follow")},
                "address": In(ADDRESS_BITS),
                "beats": In(range(WORDS)),
                "ready": In(1),
                "answers": In(1),
                "tag": In(exact_log2(slots)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = dut = self._cache
        m.submodules.memory = memory = Source(dut.bus.signature)
        connect(m, dut.bus, memory.bus)
        asked, got = dut.client.requests, dut.client.responses
        m.d.comb += [
            *(dut.enable.eq(self.enable), dut.clear.eq(self.clear)),
            *(memory.ready.eq(self.ready), memory.answers.eq(self.answers), memory.tag.eq(self.tag)),
            *(asked.valid.eq(self.asks), asked.payload.address.eq(self.address << 3)),
            *(asked.payload.beats.eq(self.beats), asked.payload.tag.eq(self.client_tag), got.ready.eq(self.takes)),
            Assume(self.beats + self.address[0] < WORDS),
        ]
        takes, comes = asked.valid & asked.ready, got.valid & got.ready
        ends = comes & got.payload.last
        most = self._slots + COMMANDS + RESPONSES
        # For each tag, requests that are not answered yet.
        due = Array(Signal(range(most + 1), name=f"due_{tag}") for tag in range(CLIENT_TAGS))
        for tag, number in enumerate(due):
            more, less = takes & (asked.payload.tag == tag), ends & (got.payload.tag == tag)
            m.d.sync += number.eq(number + more - less)
        followed = Signal()
        line, left, tag, ahead = Signal(ADDRESS_BITS), Signal(range(WORDS)), Signal(), Signal.like(due[0])
        begins = ~followed & takes & self.follow
        mine = followed & comes & (got.payload.tag == tag)
        with m.If(begins):
            m.d.sync += [
                *(followed.eq(1), line.eq(self.address), left.eq(self.beats), tag.eq(self.client_tag)),
                ahead.eq(due[self.client_tag] - (ends & (got.payload.tag == self.client_tag))),
            ]
        with m.Elif(mine & (ahead != 0)):
            m.d.sync += ahead.eq(ahead - ends)
        with m.Elif(mine):
            m.d.sync += [line.eq(line + 1), left.eq(left - 1), followed.eq(left != 0)]
        now = followed & got.valid & (got.payload.tag == tag) & (ahead == 0)
        hits = Signal(2)
        with m.If(dut.hit & (hits != 3)):
            m.d.sync += hits.eq(hits + 1)
        answered = now & ends
        m.d.comb += [
            Assert(~got.valid | (due[got.payload.tag] != 0), "a word comes that nobody has asked for"),
            Assert(~now | (got.payload.last == (left == 0)), "the wrong word is the last one"),
            Assert(~now | (word_of(got.payload) == held(line)), "another word comes"),
            Cover(answered & dut.clearing, "a request is answered during a clear"),
            Cover(answered & (hits == 2), "the second hit is answered"),
            Cover(answered & got.payload.error, "an error is answered"),
        ]
        scoreboard = SimpleNamespace(followed=followed, line=line, left=left, tag=tag, ahead=ahead, due=due)
        scoreboard.begins, scoreboard.takes, scoreboard.comes = begins, takes, comes
        self._invariants(m, memory, scoreboard)
        return m
