"""`L2c` with the invariants that make its proof unbounded."""

from functools import reduce
from operator import add

from amaranth import *
from amaranth.hdl import Assert
from amaranth.utils import exact_log2

from vc4.l2c.answers import COMMANDS, RESPONSES
from vc4.l2c.structs import Command

from .l2c_proof import L2cProof
from .l2c_state import CLIENT_TAGS, L2cState, registers
from .memory import ADDRESS_BITS, SETS, WAYS, WORDS, held, lacks, right, right_at, twice

__all__ = ["UnboundedL2cProof"]


def _count(bits):
    return reduce(add, bits)


class UnboundedL2cProof(L2cProof):
    """With invariants, which speak of everything that is in the cache; see `L2cState`."""

    def _sees(self):
        return registers(self._cache._geometry, self._slots)

    def _invariants(self, m, memory, board):
        state = L2cState(m, self, memory, self._slots, board.takes)
        self._states(m, state)
        self._places(m, state, memory)
        self._order(m, state)
        self._contents(m, state)
        self._clears(m, state)
        for one in range(SETS):
            for way in range(WAYS):
                self._entries(m, state, one, way)
        self._sends(m, state, board)
        self._follows(m, state, board)

    def _states(self, m, state):
        """Each request is in one place at a time."""
        compares, decides, again, fresh, coming = state.compares, state.decides, state.again, state.fresh, state.coming
        asks, on_way, complete = state.asks, state.on_way, state.complete
        m.d.comb += [
            Assert(((compares & decides) | ((compares | decides) & again)) == 0, "it is looked up twice"),
            Assert(self.issued == (again | ((compares | decides) & ~fresh)), "issued"),
            Assert((self.used & ~self.decided) == fresh, "used, but not decided"),
            Assert((self.decided & (fresh | ~self.used)) == 0, "decided for the first time, or not used"),
            Assert(((self.wants | self.fetching) & ~self.decided) == 0, "it waits, but is not decided"),
            Assert((self.filled & ~self.fetching) == 0, "a line has come that nobody has asked for"),
            Assert(((self.wants | coming) & self.issued) == 0, "it waits, and is looked up"),
            Assert((coming & self.wants) == 0, "it wants to be looked up before its line has come"),
            Assert(self.decided == (self.wants | self.issued | coming), "it waits for nothing"),
            Assert(coming == (asks | on_way | complete), "its line is nowhere"),
            Assert(((asks & (on_way | complete)) | (on_way & complete)) == 0, "its line is in two places"),
            *(
                Assert((state.commands[one].asks & state.commands[two].asks) == 0, "its line is asked for twice")
                for two in range(COMMANDS)
                for one in range(two)
            ),
        ]

    def _places(self, m, state, memory):
        """What stands there is the request."""
        completed_way = Array(state.ways)[self.completed_slot]
        m.d.comb += [
            Assert(~self.compares | state.is_of(self.compared_slot, self.compared), "another request is compared"),
            Assert(~self.decides | state.is_of(self.decision_slot, self.decision), "another request is decided"),
            Assert(~self.complete | state.is_of(self.completed_slot, self.completed), "another line is complete"),
            Assert(~self.complete | (self.completed_way == completed_way), "it is complete in another way"),
        ]
        for command in state.commands:
            slot, request = command.value.slot, command.value.request
            m.d.comb += [
                Assert(~command.asks.any() | state.is_of(slot, request), "another line is asked for"),
                Assert(~command.serves | (request.word + request.beats < WORDS), "an answer leaves its line"),
            ]
        for slot, (request, on_way) in enumerate(zip(state.requests, state.on_way, strict=True)):
            used, arrived = self.used[slot], getattr(self, f"arrived_{slot}")
            line = Cat(C(0, exact_log2(WORDS)), request.set, request.line_tag)
            m.d.comb += [
                Assert(~used | (request.word + request.beats < WORDS), "a request leaves its line"),
                Assert(~used | (getattr(self, f"again_request_{slot}") == request), "there are two requests"),
                Assert(~used | (getattr(self, f"set_{slot}") == request.set), "it has another set"),
                Assert(~used | (getattr(self, f"tag_{slot}") == request.tag), "it has another tag"),
                Assert(on_way | (arrived == 0), "a word comes of a line that is not on its way"),
                Assert(~on_way | (memory.words[slot] == arrived), "another word comes"),
                Assert(~on_way | (memory.lines[slot] == line), "another line comes"),
            ]

    def _order(self, m, state):
        """Who follows whom is the order in which they have entered; one line of a set is on its way at a time."""
        slots, before = range(self._slots), state.before
        m.d.comb += [
            Assert(
                ~(self.used[one] & self.used[two] & self.used[three])
                | ~(before(one, two) & before(two, three) & before(three, one)),
                "the order goes in a circle",
            )
            for one in slots
            for two in range(one)
            for three in range(one)
            if two != three
        ]
        for two in slots:
            follows = getattr(self, f"follows_{two}")
            m.d.comb += Assert(~follows[two], "a request follows itself")
            for one in slots:
                if one == two:
                    continue
                first, second = state.requests[one], state.requests[two]
                decided = self.decided[one] & self.decided[two]
                same_set = first.set == second.set
                alike = same_set | (first.tag == second.tag)
                turns = self.decided[one] | state.first_decides[one]
                m.d.comb += [
                    Assert(follows[one] == (decided & before(one, two) & alike), "a request follows another one"),
                    Assert(~(turns & state.fresh[two]) | before(one, two), "a request is decided before its turn"),
                    Assert(~(decided & self.fetching[two] & same_set) | before(two, one), "a line is before its turn"),
                ]

    def _contents(self, m, state):
        """The words of lines that come, and of those that are to be read."""
        for slot, (request, way) in enumerate(zip(state.requests, state.ways, strict=True)):
            has = right_at(state.words, way, request.set, request.line_tag)
            arrived = getattr(self, f"arrived_{slot}")
            m.d.comb += [
                Assert(~(self.filled | state.complete)[slot] | has.all(), "another line has come"),
                Assert(
                    ~(state.complete[slot] & self.kept[slot]) | ~lacks(Cat(request.set, request.line_tag)),
                    "a line with an error is to be entered",
                ),
                *(
                    Assert(~(state.on_way[slot] & (word < arrived)) | has[word], "another word has come")
                    for word in range(WORDS)
                ),
            ]
        for place, command in enumerate(state.commands):
            way, request = command.value.way, command.value.request
            m.d.comb += Assert(
                ~command.serves | right_at(state.words, way, request.set, request.line_tag).all(),
                "another line is to be read",
            )
            for slot, (other, taken) in enumerate(zip(state.requests, state.ways, strict=True)):
                replaced = self.fetching[slot] & (other.set == request.set) & (taken == way)
                asked_later = Cat(later.asks[slot] for later in state.commands[place + 1 :]).any()
                m.d.comb += Assert(~(command.serves & replaced) | asked_later, "a line is replaced before it is read")

    def _clears(self, m, state):
        clearing = self.left != 0
        emptied = Cat(
            (request.set == self.emptied_set) & (way == self.emptied_way)
            for request, way in zip(state.requests, state.ways, strict=True)
        )
        m.d.comb += [
            Assert(self.left <= SETS + 1, "left"),
            Assert(~clearing | self.forgotten, "a lookup during a clear is not forgotten"),
            Assert(~clearing | (self.kept == 0), "a line is to be entered during a clear"),
            Assert(~self.empties | (state.asks & emptied).any(), "a way is emptied that no line takes"),
            Assert(~self.tags_answer | ~twice([self.read_0, self.read_1]), "a line has been read in two ways"),
        ]

    def _entries(self, m, state, one, way):
        """What the tags say of a way of a set, and what has been read there.

        A lookup may be older than the last requests that are decided before it, but these are not answered before it.
        """
        clearing = self.left != 0
        entry, read = getattr(self, f"entry_{way}_{one}"), getattr(self, f"read_{way}")
        live = ~clearing & entry.valid
        everybody = ~C(0, self._slots)
        emptied = self.empties & (self.emptied_set == one) & (self.emptied_way == way)
        compared, decided = self.compares & (self.compared.set == one), self.decides & (self.decision.set == one)
        reads = compared & ~self.forgotten & read.valid
        finds = decided & self.found
        m.d.comb += [
            Assert(~clearing | (one + 1 < self.left) | ~entry.valid, "an entry has not been cleared"),
            Assert(~live | right(state.words, way, one, entry.tag).all(), "another line is entered"),
            Assert(~live | ~lacks(Cat(C(one, exact_log2(SETS)), entry.tag)), "a line with an error is entered"),
            Assert(
                ~live | ~twice([getattr(self, f"entry_{number}_{one}") for number in range(WAYS)]),
                "a line is entered in two ways",
            ),
            Assert(
                ~live | emptied | ~state.coming_to(state.coming, one, way),
                "a line is entered before it has come",
            ),
            *(
                Assert(
                    ~(live & coming & kept & (request.set == one) & (request.line_tag == entry.tag)),
                    "a line is fetched that is entered",
                )
                for request, coming, kept in zip(state.requests, state.coming, self.kept, strict=True)
            ),
            Assert(
                ~(live & compared & (self.compared.line_tag == entry.tag))
                | (reads & (read.tag == entry.tag))
                | state.coming_to(~state.decides, one),
                "a line that is entered is not read",
            ),
            Assert(
                ~(live & decided & (self.decision.line_tag == entry.tag))
                | self.found
                | state.coming_to(everybody, one),
                "a line that is entered is not found",
            ),
            Assert(
                ~reads | right(state.words, way, one, read.tag).all() | state.coming_to(~state.decides, one, way),
                "a line is read that is not there, nor being replaced",
            ),
            Assert(
                ~(finds & (self.decision_way == way))
                | right(state.words, way, one, self.decision.line_tag).all()
                | state.coming_to(everybody, one, way),
                "a line is found that is not there, nor being replaced",
            ),
        ]

    def _sends(self, m, state, board):
        """The words on their way to the client are those of one request after the other."""
        head = state.commands[0]
        reading = head.serves & (self.beat != 0)
        m.d.comb += [
            Assert((self.beat == 0) | head.serves, "words of no request"),
            Assert(~head.serves | (self.beat <= head.value.request.beats), "a request has too many words"),
            Assert(self.responses_level + self.sends <= RESPONSES, "too many words are read"),
        ]
        for index, word in enumerate(state.sent):
            goes_on = reading & (head.value.request.tag == word.tag)
            if index + 1 < RESPONSES:
                after = state.sent[index + 1]
                goes_on = Mux(after.there, after.tag == word.tag, goes_on)
            m.d.comb += Assert(~word.there | word.last | goes_on, "words of two requests are mixed")
        for tag in range(CLIENT_TAGS):
            waiting = [used & (one.tag == tag) for used, one in zip(self.used, state.requests, strict=True)]
            due = _count([*waiting, *self._served(state, tag), *self._ends(state, tag)])
            m.d.comb += Assert(board.due[tag] == due, "a request is lost or doubled")

    def _served(self, state, tag):
        """For each command: it answers a request of a tag."""
        return [command.serves & (command.value.request.tag == tag) for command in state.commands]

    def _ends(self, state, tag):
        """For each word that is sent: it is the last one of a request of a tag."""
        return [word.there & word.last & (word.tag == tag) for word in state.sent]

    def _follows(self, m, state, board):
        """Where the request is that is followed: in its slot, among the commands, or all of it among the words."""
        waits, slot = Signal(), Signal(range(self._slots))
        queued, position = Signal(), Signal(range(COMMANDS))
        offset = Signal(range(RESPONSES + 1))  # words that are sent before its next one
        with m.If(board.begins):
            m.d.sync += [waits.eq(1), slot.eq(self.place)]
        with m.If(waits & self.serves & (self.decision_slot == slot)):
            m.d.sync += [waits.eq(0), queued.eq(1), position.eq(self.commands_level - self.commands_pop)]
        with m.If(queued & self.commands_pop):
            m.d.sync += [queued.eq(position != 0), position.eq(position - 1)]
        with m.If(self.reads & queued & (position == 0) & (self.beat == 0)):
            m.d.sync += offset.eq(self.responses_level + self.sends - board.comes)
        with m.Elif(board.comes & (offset != 0)):
            m.d.sync += offset.eq(offset - 1)

        command = Signal(Command(self._cache._geometry, self._slots))
        m.d.comb += command.eq(Array(one.value.as_value() for one in state.commands)[position])
        request, beats = command.request, command.request.beats
        address = Cat(request.word, request.set, request.line_tag) + beats - board.left
        partly = queued & (position == 0) & (self.beat != 0)
        sent = board.followed & ~waits & (~queued | partly)
        number = Mux(queued, self.beat + board.left - beats, board.left + 1)[: exact_log2(WORDS) + 1]
        self._ahead(m, state, board, waits, slot, queued & ~partly, position, sent, offset)
        m.d.comb += [
            Assert(board.followed | ~(waits | queued), "it has been answered, but is still there"),
            Assert(~(waits & queued), "it is in two places"),
            Assert(~waits | self.used.bit_select(slot, 1), "its slot is free"),
            Assert(
                ~waits
                | (Array(one.as_value() for one in state.requests)[slot] == Cat(board.line, board.left, board.tag)),
                "its slot has another request",
            ),
            Assert(~queued | ((position < self.commands_level) & ~command.fetches), "its command is not there"),
            Assert(~queued | ((request.tag == board.tag) & (board.left <= beats)), "its command is another one"),
            Assert(~queued | (address[:ADDRESS_BITS] == board.line), "its command has another address"),
            Assert(~queued | (board.left == beats) | (partly & (offset == 0)), "it is answered before its turn"),
            Assert(~partly | (board.left + self.beat >= beats), "words come that have not been read"),
            Assert(~sent | (offset + number <= self.responses_level + self.sends), "its words are not there"),
            Assert(~partly | (offset + number == self.responses_level + self.sends), "its words are not the last ones"),
        ]
        for first in range(RESPONSES):
            begins = sent & (offset == first)
            if first:
                m.d.comb += Assert(~begins | state.sent[first - 1].last, "it begins within another one")
            for index, word in enumerate(state.sent[first : first + WORDS]):
                content = word.word == held((board.line + index)[:ADDRESS_BITS])
                same = (word.tag == board.tag) & (word.last == (board.left == index)) & content
                m.d.comb += Assert(~(begins & (index < number)) | same, "one of its words is another one")

    def _ahead(self, m, state, board, waits, slot, queued, position, sent, offset):
        """How many requests of its tag come before the one that is followed."""
        slots = range(self._slots)
        older = [Array(C(0) if one == two else state.before(one, two) for two in slots)[slot] for one in slots]
        waiting = [
            used & (one.tag == board.tag) & before
            for used, one, before in zip(self.used, state.requests, older, strict=True)
        ]
        served, ends = self._served(state, board.tag), self._ends(state, board.tag)
        served_before = [one & (place < position) for place, one in enumerate(served)]
        sent_before = [one & (place < offset) for place, one in enumerate(ends)]
        m.d.comb += [
            Assert(~waits | (board.ahead == _count([*waiting, *served, *ends])), "ahead of a slot"),
            Assert(~queued | (board.ahead == _count([*served_before, *ends])), "ahead of a command"),
            Assert(~sent | (board.ahead == _count(sent_before)), "ahead of words"),
        ]
