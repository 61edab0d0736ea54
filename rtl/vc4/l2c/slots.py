"""The requests that are not answered yet."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.common.ram import LutRam
from vc4.common.select import select

from .structs import Geometry, LineRequest

__all__ = ["Decision", "Slots"]


class Decision(wiring.Signature):
    """What becomes of a request that has been looked up, seen from the one who decides.

    Interface attributes
    --------------------
    slot, request, way : the request, and the way where its line was found
    first : it has not been looked up before
    filled, filled_way : its own line has come, and where it is
    replaced : that way is being given to another line
    older : it must not be answered now, as it follows others
    blocked : its line must not be fetched now, as it follows others
    serves, fetches, waits : the decision: it is answered; memory is asked for its line, which takes `victim`; it waits
    victim : see there
    """

    def __init__(self, geometry: Geometry, slots: int):
        super().__init__(
            {
                "slot": Out(exact_log2(slots)),
                "request": Out(LineRequest(geometry)),
                "way": Out(geometry.way_bits),
                "first": Out(1),
                "filled": In(1),
                "filled_way": In(geometry.way_bits),
                "replaced": In(1),
                "older": In(1),
                "blocked": In(1),
                "serves": Out(1),
                "fetches": Out(1),
                "waits": Out(1),
                "victim": Out(geometry.way_bits),
            }
        )


class Slots(wiring.Component):
    """A place for each request from its arrival until it is answered, and the lines that are on their way for them.

    Behaviour: a request that is not answered at once follows all those before it that are of the same tag, so that it is not
    answered before them, or for the same set, so that one line of a set is on its way at a time. It is looked up again
    after the last of these, one clock later at the earliest, and if that one must wait once more, so must it. It is also
    looked up again when its own line has come. A request follows none that came later, so none waits for ever.

    Parameters
    ----------
    geometry : sizes of the cache
    slots : a power of two

    Interface attributes
    --------------------
    free, place : there is a free slot, and which one
    enters_stb, enters : a request takes it
    again, again_request : requests that are to be looked up once more, by their slots; the one that is offered
    decision : about a request
    arriving, arrives : the slot for whose line a word is there, and whether it is taken
    arriving_way, arriving_word, arriving_request : where that word belongs, and what the slot has asked for
    filled_stb, filled : a line is complete and its tag is written, and its slot
    """

    def __init__(self, geometry: Geometry, slots: int):
        self._geometry = geometry
        self._slots = slots
        number = exact_log2(slots)
        super().__init__(
            {
                "free": Out(1),
                "place": Out(number),
                "enters_stb": In(1),
                "enters": In(LineRequest(geometry)),
                "again": Out(stream.Signature(number)),
                "again_request": Out(LineRequest(geometry)),
                "decision": In(Decision(geometry, slots)),
                "arriving": In(number),
                "arrives": In(1),
                "arriving_way": Out(geometry.way_bits),
                "arriving_word": Out(geometry.word_bits),
                "arriving_request": Out(LineRequest(geometry)),
                "filled_stb": In(1),
                "filled": In(number),
            }
        )

    def elaborate(self, platform):
        m = Module()
        slots, geometry, decision = self._slots, self._geometry, self.decision
        self._used = Signal(slots, name="used")
        self._decided = Signal(slots, name="decided")  # it waits, or its line is on its way
        self._wants = Signal(slots, name="wants")  # it is to be looked up again
        self._follows = [Signal(slots, name=f"follows_{slot}") for slot in range(slots)]  # whom it waits for
        self._fetching = Signal(slots, name="fetching")  # its line is on its way, or there but not sent
        self._filled = Signal(slots, name="filled_slots")
        sets = [Signal(geometry.set_bits, name=f"set_{slot}") for slot in range(slots)]
        tags = [Signal(geometry.client_tag_bits, name=f"tag_{slot}") for slot in range(slots)]
        ways = [Signal(geometry.way_bits, name=f"way_{slot}") for slot in range(slots)]
        free = ~self._used & -~self._used
        m.d.comb += self.free.eq(~self._used.all())
        for slot in range(slots):
            with m.If(free[slot]):
                m.d.comb += self.place.eq(slot)
            with m.If(self.enters_stb & (self.place == slot)):
                m.d.sync += [self._used[slot].eq(1), sets[slot].eq(self.enters.set), tags[slot].eq(self.enters.tag)]

        same_set = Signal(slots)
        same_tag = Signal(slots)
        same_way = Signal(slots)
        follows = Signal(slots)  # whom a request follows that has been looked up before
        m.d.comb += [
            same_set.eq(self._decided & Cat(one == decision.request.set for one in sets)),
            same_tag.eq(self._decided & Cat(one == decision.request.tag for one in tags)),
            same_way.eq(Cat(one == decision.way for one in ways)),
            follows.eq(select(decision.slot, self._follows)),
            decision.blocked.eq(Mux(decision.first, same_set, follows).any()),
            decision.older.eq(Mux(decision.first, same_tag, follows).any()),
            decision.replaced.eq((self._fetching & same_set & same_way).any()),
            decision.filled.eq(self._filled.bit_select(decision.slot, 1)),
            decision.filled_way.eq(select(decision.slot, ways)),
        ]
        self._decide(m, ways, same_tag | same_set)
        self._requests(m)
        self._look_up_again(m)
        self._fill(m, ways)
        m.d.sync += [
            Assert(~self.enters_stb | self.free, "a request has no slot"),
            Assert((self._filled & ~self._fetching) == 0, "a line has come that nobody fetched"),
            Assert((self._decided & ~self._used) == 0, "an empty slot waits"),
        ]
        return m

    def _decide(self, m, ways, others):
        """What becomes of a request that follows `others`. One that is answered lets its followers go."""
        decision = self.decision
        for slot in range(self._slots):
            here = decision.slot == slot
            with m.If(here & decision.serves):
                m.d.sync += [
                    *(follows[slot].eq(0) for follows in self._follows),
                    *(state[slot].eq(0) for state in (self._used, self._decided, self._fetching, self._filled)),
                ]
            with m.If(here & decision.fetches):
                m.d.sync += [self._decided[slot].eq(1), self._fetching[slot].eq(1), ways[slot].eq(decision.victim)]
            with m.If(here & decision.waits):
                m.d.sync += [self._decided[slot].eq(1), self._wants[slot].eq(1)]
            with m.If(here & decision.first & (decision.fetches | decision.waits)):
                m.d.sync += self._follows[slot].eq(others)

    def _requests(self, m):
        """The requests themselves, read for those that are looked up again and for lines that come."""
        layout = LineRequest(self._geometry)
        for name, slot, request in (
            ("again_requests", self.again.payload, self.again_request),
            ("arriving_requests", self.arriving, self.arriving_request),
        ):
            m.submodules[name] = requests = LutRam(layout.size, self._slots)
            m.d.comb += [
                requests.write_enable.eq(self.enters_stb),
                requests.write_address.eq(self.place),
                requests.write_data.eq(self.enters),
                requests.read_address.eq(slot),
                request.eq(requests.read_data),
            ]

    def _look_up_again(self, m):
        """Offers one that wants it, if those that it follows are on their way to their decision."""
        issued = Signal(self._slots)
        ready = Signal(self._slots)
        chosen = Signal(self._slots)
        m.d.comb += [
            ready.eq(self._wants & Cat((follows & ~issued) == 0 for follows in self._follows)),
            chosen.eq(ready & -ready),
        ]
        decision = self.decision
        for slot in range(self._slots):
            with m.If((decision.serves | decision.fetches | decision.waits) & (decision.slot == slot)):
                m.d.sync += issued[slot].eq(0)
        with m.If(~self.again.valid | self.again.ready):
            m.d.sync += self.again.valid.eq(ready.any())
            for slot in range(self._slots):
                with m.If(chosen[slot]):
                    m.d.sync += [self.again.payload.eq(slot), self._wants[slot].eq(0), issued[slot].eq(1)]

    def _fill(self, m, ways):
        """Counts the words of each line that come."""
        arrived = [Signal(self._geometry.word_bits, name=f"arrived_{slot}") for slot in range(self._slots)]
        m.d.comb += [
            self.arriving_way.eq(select(self.arriving, ways)),
            self.arriving_word.eq(select(self.arriving, arrived)),
        ]
        for slot in range(self._slots):
            with m.If(self.arrives & (self.arriving == slot)):
                m.d.sync += arrived[slot].eq(arrived[slot] + 1)  # all words of a line come, so it ends at 0
            with m.If(self.filled_stb & (self.filled == slot)):
                m.d.sync += [self._filled[slot].eq(1), self._wants[slot].eq(1)]
        m.d.sync += Assert(
            ~self.arrives | self._fetching.bit_select(self.arriving, 1), "a word comes that nobody has asked for"
        )
