"""The level-2 cache."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.cache_tags import CacheTags
from vc4.common.ram import BlockRam

from .answers import Answers
from .fills import Fills
from .slots import Slots
from .structs import LINE_BYTES, Geometry, LineRequest

__all__ = ["SLOTS", "L2c"]

#: Requests that are under way, if nobody says how many.
SLOTS = 8


class L2c(wiring.Component):
    """A cache between its clients and memory (guide, section 2; sizes: addendum, cache details; control: guide,
    V3D_L2CACTL).

    Behaviour: one request is looked up in a clock. The first word of one that hits is at the client five clocks after the
    request, and a word a clock follows. Requests that hit go ahead of those that wait, but not of earlier ones of their own
    tag. Each request takes one of the `slots` until its words are sent, so as many lines may be on their way, one of a set.
    A line that is on its way is not fetched again; who wants it as well waits. Ways are replaced first in, first out.

    A word that memory does not have is answered with an error, and its line is not kept. Others who wait for the line ask
    memory again.

    Disabled, or being cleared, the cache looks nothing up: lines are fetched for each request and not kept. A clear, and a
    reset, take a clock for each set and one more. Requests from before may still get what was there before.

    Parameters
    ----------
    size : bytes of all lines
    ways : lines of a set
    line_bytes : bytes of a line
    tag_bits : width of a tag of a client
    slots : requests that are not answered yet, a power of two

    Interface attributes
    --------------------
    client : reads, each inside of one line
    bus : the port to memory, reads of whole lines; a tag is the number of a slot
    enable : lines are looked up and kept
    clear, clearing : forget every line, and it takes its time
    hit, miss : performance counters: a request finds its line, or does not, while the cache is enabled
    """

    def __init__(
        self, *, size: int = 32768, ways: int = 4, line_bytes: int = LINE_BYTES, tag_bits: int = 1, slots: int = SLOTS
    ):
        self._geometry = Geometry(size=size, ways=ways, word_bytes=BUS_BYTES, line_bytes=line_bytes, tag_bits=tag_bits)
        self._slots = slots
        super().__init__(
            {
                "client": In(MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)),
                "bus": Out(MemoryPort(word_bytes=BUS_BYTES, tag_bits=exact_log2(slots))),
                "enable": In(1),
                "clear": In(1),
                "clearing": Out(1),
                "hit": Out(1),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        m.submodules.tags = self.tags = CacheTags(geometry.sets, geometry.ways, geometry.line_tag_bits, registered=True)
        m.submodules.slots = self.slots = Slots(geometry, self._slots)
        m.submodules.answers = answers = self.answers = Answers(geometry, self._slots)
        m.submodules.fills = fills = self.fills = Fills(geometry, self._slots)
        m.submodules.words = words = BlockRam(
            8 * BUS_BYTES + 1, geometry.sets * geometry.ways * geometry.words, exclusive=True
        )
        connect(m, answers.responses, flipped(self.client.responses))
        connect(m, answers.bus_requests, flipped(self.bus.requests))
        connect(m, flipped(self.bus.responses), fills.responses)
        m.d.comb += [
            self.tags.clear.eq(self.clear),
            self.clearing.eq(self.tags.clearing),
            words.read_enable.eq(answers.read_enable),
            words.read_address.eq(answers.read_address),
            answers.read_data.eq(words.read_data),
            words.write_enable.eq(fills.write_enable),
            words.write_address.eq(fills.write_address),
            words.write_data.eq(fills.write_data),
        ]
        self._found = Signal(name="found")  # the tags have the line of the decision
        advances = Signal()
        decides = Signal()
        m.d.comb += advances.eq(~decides | answers.commands.ready)
        writes = self._write_tags(m)
        self._look_up(m, advances, decides, writes)
        self._decide(m, decides)
        self._fill(m)
        return m

    def _look_up(self, m, advances, decides, writes):
        """A request enters, or one is looked up again; a clock later its line is compared with the tags."""
        geometry, slots, decision = self._geometry, self.slots, self.slots.decision
        lookup = self.tags.lookups[0]
        asked = self.client.requests
        enters = Signal()
        request = Signal(LineRequest(geometry))
        entered = Signal(LineRequest(geometry))
        compares = Signal()
        compared = Signal(LineRequest(geometry))
        compared_slot = Signal.like(slots.place)
        compared_first = Signal()
        address = asked.payload.address >> exact_log2(BUS_BYTES)
        m.d.comb += [
            asked.ready.eq(advances & ~writes & ~slots.again.valid & slots.free),
            slots.again.ready.eq(advances & ~writes),
            enters.eq(asked.valid & asked.ready),
            entered.word.eq(address),
            entered.set.eq(address >> geometry.word_bits),
            entered.line_tag.eq(address >> (geometry.word_bits + geometry.set_bits)),
            entered.beats.eq(asked.payload.beats),
            entered.tag.eq(asked.payload.tag),
            slots.enters_stb.eq(enters),
            slots.enters.eq(entered),
            request.eq(Mux(slots.again.valid, slots.again_request, entered)),
            lookup.enable.eq(enters | (slots.again.valid & slots.again.ready)),
            lookup.set.eq(request.set),
            lookup.tag.eq(compared.line_tag),
        ]
        m.d.sync += [
            Assert(~enters | ~asked.payload.write, "a client of the cache writes"),
            Assert(~enters | (entered.word + asked.payload.beats < geometry.words), "a request leaves its line"),
        ]
        with m.If(advances):
            m.d.sync += [
                compares.eq(lookup.enable),
                compared.eq(request),
                compared_slot.eq(Mux(slots.again.valid, slots.again.payload, slots.place)),
                compared_first.eq(~slots.again.valid),
                decides.eq(compares),
                decision.request.eq(compared),
                decision.slot.eq(compared_slot),
                decision.first.eq(compared_first),
                decision.way.eq(lookup.way),
                decision.victim.eq(lookup.victim),
                self._found.eq(lookup.hit),
            ]

    def _decide(self, m, decides):
        """It is answered, or its line is fetched, or it waits."""
        decision, command = self.slots.decision, self.answers.commands
        hit = Signal()
        serves = Signal()
        fetches = Signal()
        acts = Signal()
        m.d.comb += [
            acts.eq(decides & command.ready),
            hit.eq(self._found & ~decision.replaced & self.enable),
            serves.eq((decision.filled | hit) & ~decision.older),
            fetches.eq(~decision.filled & ~hit & ~decision.blocked),
            decision.serves.eq(acts & serves),
            decision.fetches.eq(acts & fetches),
            decision.waits.eq(acts & ~serves & ~fetches),
            command.valid.eq(decides & (serves | fetches)),
            command.payload.fetches.eq(fetches),
            command.payload.slot.eq(decision.slot),
            command.payload.way.eq(Mux(decision.filled, decision.filled_way, decision.way)),
            command.payload.request.eq(decision.request),
            self.hit.eq(acts & decision.first & hit),
            self.miss.eq(acts & decision.first & ~hit & self.enable),
        ]

    def _write_tags(self, m):
        """The way of a line that is fetched is empty from the next clock on; a line that has come is entered.

        Returns whether either happens: no lookup begins then.
        """
        tags, fills, decision = self.tags, self.fills, self.slots.decision
        empties = Signal()
        emptied_set = Signal(self._geometry.set_bits)
        emptied_way = Signal(self._geometry.way_bits)
        m.d.sync += [
            empties.eq(decision.fetches),
            emptied_set.eq(decision.request.set),
            emptied_way.eq(decision.victim),
        ]
        m.d.comb += [
            fills.busy.eq(empties),
            tags.write_enable.eq(empties | fills.tag_write),
            tags.write_set.eq(Mux(empties, emptied_set, fills.tag_request.set)),
            tags.write_way.eq(Mux(empties, emptied_way, fills.tag_way)),
            tags.write_valid.eq(~empties),
            tags.write_tag.eq(fills.tag_request.line_tag),
        ]
        return empties | fills.filled_stb

    def _fill(self, m):
        """Words come from memory."""
        slots, fills = self.slots, self.fills
        m.d.comb += [
            slots.arriving.eq(fills.arriving),
            slots.arrives.eq(fills.arrives),
            slots.filled_stb.eq(fills.filled_stb),
            slots.filled.eq(fills.filled),
            fills.way.eq(slots.arriving_way),
            fills.word.eq(slots.arriving_word),
            fills.request.eq(slots.arriving_request),
            fills.keeps.eq(self.enable & ~self.clear & ~self.tags.clearing),
            fills.fetches.eq(slots.decision.fetches),
            fills.fetched.eq(slots.decision.slot),
        ]
