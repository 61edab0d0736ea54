"""Registers of an `L2c`, as invariants see them."""

from functools import reduce
from operator import or_
from types import SimpleNamespace

from amaranth import *
from amaranth.hdl import Assert
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.l2c.answers import COMMANDS, RESPONSES
from vc4.l2c.structs import Command, LineRequest

from .memory import ENTRY, KEPT_WORD, SETS, WAYS, WORD, WORDS, word_of

__all__ = ["CLIENT_TAGS", "L2cState", "registers"]

CLIENT_TAGS = 2
_RESPONSE = MemoryPort(word_bytes=BUS_BYTES, tag_bits=exact_log2(CLIENT_TAGS)).response_layout


def registers(geometry, slots: int):
    """Path and shape of each register, by the name of the input that sees it."""
    request, command, number = LineRequest(geometry), Command(geometry, slots), range(slots)
    sets, tags, ways, words = range(SETS), range(CLIENT_TAGS), range(WAYS), range(WORDS)
    of_slots = {"set": sets, "tag": tags, "way": ways, "arrived": words}
    memories = {"request": "arriving_requests", "again_request": "again_requests"}
    queues = {"commands": (COMMANDS, command), "responses": (RESPONSES, _RESPONSE)}
    seen = {
        **{name: (f"slots.{name}", slots) for name in ("used", "decided", "wants", "fetching", "issued")},
        **{f"follows_{slot}": (f"slots.follows_{slot}", slots) for slot in number},
        **{f"{name}_{slot}": (f"slots.{name}_{slot}", shape) for name, shape in of_slots.items() for slot in number},
        **{
            f"{name}_{slot}": (f"slots.{memory}.memory[{slot}]", request)
            for name, memory in memories.items()
            for slot in number
        },
        **{"filled": ("slots.filled_slots", slots), "place": ("slots.place", number)},
        **{"again": ("slots.again__valid", 1), "again_slot": ("slots.again__payload", number)},
        **{"compares": ("compares", 1), "compared": ("compared", request)},
        **{"compared_slot": ("compared_slot", number), "compared_first": ("compared_first", 1)},
        **{"decides": ("decides", 1), "decision": ("slots.decision__request", request)},
        **{"decision_slot": ("slots.decision__slot", number), "decision_first": ("slots.decision__first", 1)},
        **{"decision_way": ("slots.decision__way", ways), "found": ("found", 1)},
        "serves": ("slots.decision__serves", 1),
        **{"empties": ("empties", 1), "emptied_set": ("emptied_set", sets), "emptied_way": ("emptied_way", ways)},
        **{"complete": ("fills.complete", 1), "completed": ("fills.tag_request", request)},
        **{"completed_slot": ("fills.filled", number), "completed_way": ("fills.tag_way", ways)},
        "kept": ("fills.kept", slots),
        **{"beat": ("answers.beat", words), "reads": ("answers.read_enable", 1), "sends": ("answers.sends", 1)},
        **{"sent_last": ("answers.sent_last", 1), "sent_tag": ("answers.sent_tag", tags)},
        "read_word": ("words.read_data", WORD),
        **{"left": ("tags.left", range(SETS + 2)), "forgotten": ("tags.forgotten_0", 1)},
        "tags_answer": ("tags.answers_0", 1),
        **{f"read_{way}": (f"tags.way_{way}_0.read_data", ENTRY) for way in ways},
        **{f"entry_{way}_{one}": (f"tags.way_{way}_0.memory[{one}]", ENTRY) for way in ways for one in sets},
        **{f"word_{word}": (f"words.memory[{word}]", KEPT_WORD) for word in range(WORDS * SETS * WAYS)},
    }
    for name, (depth, layout) in queues.items():
        queue = f"answers.{name}"
        seen |= {
            **{f"{name}_{end}": (f"{queue}.places.{end}_address", range(depth)) for end in ("read", "write")},
            **{f"{name}_{place}": (f"{queue}.places.memory[{place}]", layout) for place in range(depth)},
            **{f"{name}_level": (f"{queue}.level", range(depth + 1)), f"{name}_pop": (f"{queue}.pop", 1)},
        }
    return seen


class L2cState:
    """What the registers say of each request, and the order in which requests have entered.

    requests, ways : of each slot
    compares, decides, again, asks, on_way, complete : slots whose request is compared, decided, to be looked up again;
        whose line is asked for by a command, has been asked for, has come but is not entered
    fresh : slots whose request has not been decided yet
    coming : slots whose line is somewhere
    commands : those in the queue, first one first, each with whether it is `there`, whether it `serves` a request, and the
        slots whose lines it `asks` for
    sent : the words in the queue and the one that is read, first one first, with `there`, `last`, `tag` and `word`
    words : of the RAM
    """

    def __init__(self, m, proof, memory, slots: int, enters):
        numbers = range(slots)
        self._proof = proof
        self.requests = [getattr(proof, f"request_{slot}") for slot in numbers]
        self.ways = [getattr(proof, f"way_{slot}") for slot in numbers]
        self.words = [getattr(proof, f"word_{word}") for word in range(WORDS * SETS * WAYS)]
        self.compares = Cat(proof.compares & (proof.compared_slot == slot) for slot in numbers)
        self.decides = Cat(proof.decides & (proof.decision_slot == slot) for slot in numbers)
        self.again = Cat(proof.again & (proof.again_slot == slot) for slot in numbers)
        self.complete = Cat(proof.complete & (proof.completed_slot == slot) for slot in numbers)
        self.on_way = Cat(*memory.waits)
        first_compares = self.compares & proof.compared_first.replicate(slots)
        self.first_decides = self.decides & proof.decision_first.replicate(slots)
        self.fresh = first_compares | self.first_decides
        self.coming = proof.fetching & ~proof.filled
        self.commands = self._queue(m, "commands", COMMANDS)
        for command in self.commands:
            value = command.value
            command.serves = command.there & ~value.fetches
            command.asks = Cat(command.there & value.fetches & (value.slot == slot) for slot in numbers)
        self.asks = reduce(or_, (command.asks for command in self.commands))
        self.sent = self._sent(m)
        self._order(m, slots, enters)

    def _queue(self, m, name, depth):
        """The items of a queue."""
        read, write, level = (getattr(self._proof, f"{name}_{what}") for what in ("read", "write", "level"))
        places = [getattr(self._proof, f"{name}_{place}") for place in range(depth)]
        m.d.comb += Assert((read + level - write) % depth == 0, f"places of the {name}")
        items = []
        for ahead in range(depth):
            item = SimpleNamespace(there=ahead < level, value=Signal.like(places[0], name=f"{name}_at_{ahead}"))
            m.d.comb += item.value.eq(Array(place.as_value() for place in places)[(read + ahead) % depth])
            items.append(item)
        return items

    def _sent(self, m):
        proof, sent = self._proof, []
        for index, response in enumerate(self._queue(m, "responses", RESPONSES)):
            item = SimpleNamespace(there=Signal(name=f"there_{index}"), last=Signal(name=f"last_{index}"))
            item.tag = Signal(range(CLIENT_TAGS), name=f"tag_of_{index}")
            item.word = Signal(KEPT_WORD, name=f"word_of_{index}")
            value = response.value
            with m.If(response.there):
                m.d.comb += [
                    *(item.there.eq(1), item.last.eq(value.last), item.tag.eq(value.tag)),
                    item.word.eq(word_of(value)),
                ]
            with m.Elif(proof.sends & (proof.responses_level == index)):
                m.d.comb += [
                    *(item.there.eq(1), item.last.eq(proof.sent_last), item.tag.eq(proof.sent_tag)),
                    item.word.eq(word_of(proof.read_word)),
                ]
            sent.append(item)
        return sent

    def _order(self, m, slots, enters):
        """Kept here: whether the request in one slot has entered before that in another one."""
        self._pairs = {(one, two): Signal(name=f"before_{one}_{two}") for two in range(slots) for one in range(two)}
        for (one, two), before in self._pairs.items():
            for slot, value in (one, 0), (two, 1):
                with m.If(enters & (self._proof.place == slot)):
                    m.d.sync += before.eq(value)

    def before(self, one: int, two: int):
        return self._pairs[one, two] if one < two else ~self._pairs[two, one]

    def is_of(self, slot, request):
        """It is the request in this slot."""
        return Array(one.as_value() for one in self.requests)[slot] == request.as_value()

    def coming_to(self, slots, one: int, way: int | None = None):
        """A line of a set, which takes this way, comes or has come for one of these slots."""
        places = zip(self.requests, self.ways, strict=True)
        here = Cat((request.set == one) & (C(1) if way is None else taken == way) for request, taken in places)
        return (self._proof.fetching & slots & here).any()
