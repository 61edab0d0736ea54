"""A cache that several streams read in turn."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES
from vc4.common.cache_tags import CacheTags
from vc4.common.ram import BlockRam

from .line_fills import LINE_BUS, WORD_ADDRESS_BITS, LineFills, LinePlace

__all__ = ["LINE_BYTES", "TURNS", "CachePort", "LineCache"]

#: Bytes of a line (addendum, cache details).
LINE_BYTES = 64
#: Clocks from one turn of a reader to its next: one QPU after the other, in the four clocks of an instruction.
TURNS = 4


class CachePort(wiring.Signature):
    """A reader of a `LineCache`, seen from the reader.

    Interface attributes
    --------------------
    turn : the reader may look up a word in this clock
    lookup, address : it does, and which one
    ahead : the lines after this one will be wanted as well
    found : one clock after the turn, the word is there; if not, the reader asks again in its next turn
    word, error : the word one clock after `found`; memory does not have it
    """

    def __init__(self):
        super().__init__(
            {
                "turn": In(1),
                "lookup": Out(1),
                "address": Out(WORD_ADDRESS_BITS),
                "ahead": Out(1),
                "found": In(1),
                "word": In(8 * BUS_BYTES),
                "error": In(1),
            }
        )


class LineCache(wiring.Component):
    """A cache of lines, read a word at a time by up to four readers that take turns (guide, section 2: one port serves
    four QPUs in four successive clocks; sizes of the instruction cache: addendum, cache details).

    Behaviour: reader n has its turn in the clocks n, n + 4, n + 8 after a reset, and looks up a word, which it gets two
    clocks later if it is there. So nobody waits for the miss of another one. A line that is not there is fetched, and so are
    the lines after the one that is looked up, if they will be wanted: `ahead` of them, one of which is looked for in each
    turn. Each word is there in the clock after memory has
    brought it. Up to four lines are on their way, one of a set at the most, so the way that a line has been given is not
    given to another one before it is there. Ways are replaced first in, first out.

    Words that memory does not have are kept as such, until their line is replaced or cleared.

    A clear, and a reset, take a clock for each set and one more; nothing is found or fetched in them, and what is on its
    way is not kept.

    Parameters
    ----------
    readers : 1 to 4
    size : bytes of all lines
    ways : lines of a set
    line_bytes : bytes of a line
    ahead : 1 or 2 lines

    Interface attributes
    --------------------
    readers : the readers
    bus : the port to memory, reads of whole lines
    clear : forget everything
    hit : a word was found
    miss : a line is fetched for a word that was not there
    """

    def __init__(self, readers: int, *, size: int, ways: int = 4, line_bytes: int = LINE_BYTES, ahead: int = 1):
        if ahead not in (1, 2):
            raise ValueError(f"a cache looks 1 or 2 lines ahead, not {ahead!r}")
        if not 1 <= readers <= TURNS:
            raise ValueError(f"a cache has 1 to {TURNS} readers, not {readers!r}")
        self._words = line_bytes // BUS_BYTES
        self._sets = size // line_bytes // ways
        self._ways = ways
        self._lines_ahead = ahead
        super().__init__(
            {
                "readers": In(CachePort()).array(readers),
                "bus": Out(LINE_BUS),
                "clear": In(1),
                "hit": Out(1),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        place = LinePlace(self._words, self._sets, self._ways)
        tag_bits = place["tag"].width
        m.submodules.tags = tags = CacheTags(self._sets, self._ways, tag_bits, ports=2)
        m.submodules.fills = fills = LineFills(self._words, self._sets, self._ways)
        m.submodules.words = words = BlockRam(8 * BUS_BYTES + 1, self._sets * self._ways * self._words, exclusive=True)
        connect(m, fills.bus, flipped(self.bus))
        m.d.comb += [
            tags.clear.eq(self.clear),
            tags.write_enable.eq(fills.starts),
            tags.write_set.eq(fills.started.set),
            tags.write_way.eq(fills.started.way),
            tags.write_tag.eq(fills.started.tag),
            tags.write_valid.eq(1),
            words.write_enable.eq(fills.write_enable),
            words.write_address.eq(fills.write_address),
            words.write_data.eq(fills.write_data),
        ]
        self._look_up(m, tags.lookups[0])
        hit = self._decide(m, tags, fills, words)
        self._look_ahead(m, tags, fills, hit)
        return m

    def _look_up(self, m, lookup):
        """The turns: a word is looked up."""
        turn = Signal(range(TURNS))
        asked = Signal(WORD_ADDRESS_BITS)
        ahead = Signal()
        self._decided = Signal(len(self.readers), name="decided")  # a clock later: whose word
        self._address = Signal(WORD_ADDRESS_BITS, name="address")
        self._ahead = Signal(name="ahead_decided")
        self._far = Signal(name="far")  # in every second turn the last one of the lines ahead is looked for
        line_bits = WORD_ADDRESS_BITS - exact_log2(self._words)
        self._lines_after = [Signal(line_bits, name=f"line_after_{number}") for number in range(self._lines_ahead)]
        with m.Switch(turn):
            for number, reader in enumerate(self.readers):
                with m.Case(number):
                    m.d.comb += [
                        reader.turn.eq(1),
                        lookup.enable.eq(reader.lookup),
                        asked.eq(reader.address),
                        ahead.eq(reader.lookup & reader.ahead),
                    ]
        line = asked[exact_log2(self._words) :]
        m.d.comb += [lookup.set.eq(line), lookup.tag.eq(line >> len(lookup.set))]
        with m.If(turn == TURNS - 1):
            m.d.sync += self._far.eq(~self._far)
        m.d.sync += [
            turn.eq(turn + 1),
            self._address.eq(asked),
            self._ahead.eq(ahead),
            *(after.eq(line + distance) for distance, after in enumerate(self._lines_after, start=1)),
            *(self._decided[number].eq((turn == number) & reader.lookup) for number, reader in enumerate(self.readers)),
        ]

    def _decide(self, m, tags, fills, words):
        """One clock later: the word is read, or its line is fetched. Returns whether there is a place for it."""
        lookup = tags.lookups[0]
        hit = Signal()
        way = Signal.like(lookup.way)
        victim = Signal.like(lookup.victim)
        found = Signal()
        word = self._address[: exact_log2(self._words)]
        line = self._address[exact_log2(self._words) :]
        m.d.sync += [hit.eq(lookup.hit), way.eq(lookup.way), victim.eq(lookup.victim)]
        m.d.comb += [
            fills.word.eq(word),
            fills.word_set.eq(line),
            fills.word_way.eq(way),
            found.eq(self._decided.any() & hit & ~fills.absent),
            words.read_enable.eq(found),
            words.read_address.eq(Cat(word, line[: len(lookup.set)], way)),
            fills.wanted_stb.eq(self._decided.any() & ~hit & ~tags.clearing),
            fills.wanted.set.eq(line),
            fills.wanted.tag.eq(line >> len(lookup.set)),
            fills.wanted.way.eq(victim),
            self.hit.eq(found),
            self.miss.eq(fills.wants),
        ]
        for number, reader in enumerate(self.readers):
            m.d.comb += [
                reader.found.eq(found & self._decided[number]),
                reader.word.eq(words.read_data[:-1]),
                reader.error.eq(words.read_data[-1]),
            ]
        return hit

    def _look_ahead(self, m, tags, fills, hit):
        """In the same clock a line after it is looked up, the next one first; a clock later that is fetched."""
        lookup = tags.lookups[1]
        missing = Signal()
        after = Mux(self._far & hit, self._lines_after[-1], self._lines_after[0])
        line = Signal.like(self._lines_after[0])
        victim = Signal.like(lookup.victim)
        m.d.comb += [
            lookup.enable.eq(self._ahead),
            lookup.set.eq(after),
            lookup.tag.eq(after >> len(lookup.set)),
            fills.ahead_stb.eq(missing & ~tags.clearing),
            fills.ahead.set.eq(line),
            fills.ahead.tag.eq(line >> len(lookup.set)),
            fills.ahead.way.eq(victim),
        ]
        m.d.sync += [
            missing.eq(self._ahead & ~lookup.hit),
            line.eq(after),
            victim.eq(lookup.victim),
        ]
