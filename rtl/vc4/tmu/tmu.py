"""The texture and memory lookup unit."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.arbiter import RoundRobin
from vc4.common.select import select, select_by_keys, select_keys
from vc4.errata import Erratum
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES
from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS

from .cache import TmuCache
from .line_fetches import LINE_BUS
from .parameters import TmuParameters
from .port import Client, TmuParameter, TmuPort
from .requests import TmuRequests
from .result_words import TmuResultWords
from .results import TmuResults
from .sampler import Sampler
from .texture import Sample

__all__ = ["Tmu"]

_WORD_BITS, _WORD_BYTES = 32, 4


class Tmu(wiring.Component):
    """Looks up memory and textures for the QPUs of a slice (guide, section 4).

    A client is a QPU by one of the two names that programs have for units: a unit that is alone serves both, and has the clients
    by the first name in front of those by the second one. A QPU writes a parameter and loads a quad by one name at a time.

    Behaviour: a lookup begins when all of it is there and there is room for what it returns. Lookups of several clients take
    turns, for each kind; those of one client keep their order, and begin while others are under way; but after lookups of
    memory one of a texture waits for their words, and the other way round. Both kinds share the cache evenly. Four elements
    of memory are looked up in a clock, or a pass of one element of a texture, while their lines are in the cache.

    Parameters
    ----------
    qpus : 1 to 4
    names : by which they ask for this unit, 1 or 2
    errata : see `Erratum`

    Interface attributes
    --------------------
    parameters : what each QPU writes, by any name
    clients : the port of each
    bus : the port to memory, reads of whole lines
    clear : forget what the cache holds
    error : something is looked up in a line that memory does not have as a whole
    quads, miss : performance counters: a quad was looked up, in memory or in a texture, a bit each; a line is fetched
    """

    def __init__(self, qpus: int, names: int = 1, errata: frozenset[Erratum] = frozenset()):
        self._qpus, self._names, self._errata = qpus, names, errata
        numbers = [{"qpu": qpu, "second": second} for second in range(names) for qpu in range(qpus)]
        self._numbers = [Client.const(number) for number in numbers]
        #: Where the quad belongs that the cache answers.
        self._note = data.StructLayout(
            {
                "client": Client,
                "place": range(RESULT_SLOTS),
                "quad": range(QUADS),
                "samples": 1,
                "sample": Sample,
            }
        )
        super().__init__(
            {
                "parameters": In(TmuParameter).array(qpus),
                "clients": In(TmuPort()).array(len(self._numbers)),
                "bus": Out(LINE_BUS),
                "clear": In(1),
                "error": Out(1),
                "quads": Out(2),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = self._cache = cache = TmuCache(self._note)
        m.submodules.sampler = self._sampler = Sampler(self._qpus, self._errata)
        requests = [TmuRequests() for _ in self.clients]
        results = [TmuResults() for _ in self.clients]
        self._parameters = [TmuParameters(self._names) for _ in self.parameters]
        self._words = [TmuResultWords(self._names) for _ in self.parameters]
        connect(m, cache.bus, flipped(self.bus))
        m.d.comb += [cache.clear.eq(self.clear), self.error.eq(cache.error), self.miss.eq(cache.miss)]
        self._rooms = []
        for number, port in enumerate(self.clients):
            m.submodules[f"requests_{number}"] = request = requests[number]
            m.submodules[f"results_{number}"] = result = results[number]
            room = Signal(name=f"room_{number}")
            self._rooms.append(room)
            m.d.comb += [
                room.eq(Mux(request.wide, result.room_two, result.room)),
                request.parameter.eq(self.parameters[number % self._qpus]),
                request.parameter_stb.eq(port.parameter_stb),
                port.freed.eq(request.freed),
                port.blocked.eq(request.valid & ~room & ~request.held),
                *(result.load.eq(port.load), port.result.eq(self._words[number % self._qpus].result)),
            ]
        for number in range(self._qpus):
            self._attach(m, number, *(ends[number :: self._qpus] for ends in (self.clients, requests, results)))
        begins = self._begin(m, requests, results)
        self._read(m, requests, begins)
        self._sample(m, requests)
        self._end(m, results)
        return m

    def _attach(self, m, number, ports, requests, results):
        """What a QPU has once, whatever the name."""
        m.submodules[f"parameters_{number}"] = parameters = self._parameters[number]
        m.submodules[f"words_{number}"] = words = self._words[number]
        loads, second = Cat(port.load for port in ports), ports[-1].load & (self._names > 1)
        m.d.comb += [
            parameters.parameter.eq(self.parameters[number]),
            parameters.parameter_stb.eq(Cat(port.parameter_stb for port in ports)),
            *(slot.eq(request.slot) for slot, request in zip(parameters.slots, requests, strict=True)),
            words.loaded_stb.eq(loads.any()),
            words.loaded.eq(Cat(Mux(second, results[-1].quad, results[0].quad), second)),
            words.of_texture.eq(Mux(second, results[-1].of_texture, results[0].of_texture)),
        ]
        if self._names > 1:
            both = parameters.parameter_stb.all() | loads.all()
            m.d.sync += Assert(~both, f"QPU {number} uses both names in one clock")

    def _begin(self, m, requests, results):
        """Lookups begin, in turn. Returns for each client whether one of memory does."""
        # Turns of their own: those of one kind must not move those of the other.
        m.submodules.turn = turn = RoundRobin(len(self.clients))
        m.submodules.turn_textures = turn_textures = RoundRobin(len(self.clients))
        sampler = self._sampler
        self._idle = Signal(name="idle")  # lookups of memory may begin
        self._place = Signal(range(RESULT_SLOTS), name="place")
        begun = []
        m.d.comb += [turn.advance.eq(1), turn_textures.advance.eq(1)]
        for number, (request, result) in enumerate(zip(requests, results, strict=True)):
            texture = request.count != 1
            begins = Signal(name=f"begins_{number}")
            begins_texture = Signal(name=f"begins_texture_{number}")
            ended = Signal(name=f"ended_{number}")
            under_way = Signal(range(RESULT_SLOTS + 1), name=f"under_way_{number}")
            of_textures = Signal(name=f"of_textures_{number}")  # those under way are
            ready = Signal(name=f"ready_{number}")
            m.d.comb += [
                ready.eq(request.valid & self._rooms[number] & ((under_way == 0) | (of_textures == texture))),
                turn.requests[number].eq(ready & ~texture & self._idle),
                turn_textures.requests[number].eq(ready & texture & sampler.idle),
                begins.eq(turn.grant_onehot[number]),
                begins_texture.eq(turn_textures.grant_onehot[number]),
                request.begin.eq(begins | begins_texture),
                result.reserve.eq(Mux(request.begin, Mux(request.wide, 2, 1), 0)),
                ended.eq(self.clients[number].done),
            ]
            m.d.sync += under_way.eq(under_way + request.begin - ended)
            with m.If(request.begin):
                m.d.sync += of_textures.eq(texture)
            with m.If(begins_texture):
                m.d.comb += [
                    *(sampler.start.eq(1), sampler.client.eq(self._numbers[number])),
                    sampler.place.eq(result.reserved),
                    *(sampler.first.eq(request.first), sampler.count.eq(request.count)),
                ]
            with m.If(begins):
                m.d.sync += self._place.eq(result.reserved)
            begun.append(begins)
        return begun

    def _read(self, m, requests, begins):
        """Lookups of memory leave their slots, a quad a clock, and go to the cache."""
        sampler = self._sampler
        note = Signal(self._note)
        quad = Signal(range(QUADS))
        slot = Signal(range(REQUEST_SLOTS))
        active = Signal()  # one has quads left
        last = Signal()
        sources = [*self._parameters, self._parameters[-1]][: self._qpus + self._qpus % 2]
        client = Signal(Client)  # whose it is
        keys = Signal(1 + len(sources) // 2)  # whose the quad is that is at the cache
        reads = Signal()
        valid = Signal()
        ready = Signal()
        m.d.comb += [
            reads.eq(active & (~valid | ready)),
            last.eq(reads & (quad == QUADS - 1)),
            self._idle.eq(~active | last),
        ]
        m.d.sync += [active.eq(Cat(begins).any() | (active & ~last)), valid.eq(reads | (valid & ~ready))]
        with m.If(reads):
            m.d.sync += [quad.eq(quad + 1), note.quad.eq(quad), note.place.eq(self._place), note.client.eq(client)]
            m.d.sync += keys.eq(select_keys(client.qpu, len(sources)))
        for number, request in enumerate(requests):
            with m.If(begins[number]):
                m.d.sync += [slot.eq(request.first), client.eq(self._numbers[number])]
            here, left = (one == self._numbers[number] for one in (client, sampler.left_client))
            m.d.comb += request.release.eq((last & here) | (sampler.left & left))
            m.d.sync += Assert(~(reads & here) | request.held, "a lookup is read that has not begun")
        for number, parameters in enumerate(self._parameters):
            m.d.comb += [
                parameters.place_stb.eq(reads & (client.qpu == number)),
                parameters.place.eq(Cat(quad, slot, client.second)),
            ]
            for lane, read in zip(parameters.lanes, sampler.reads, strict=True):
                m.d.comb += [lane.stb.eq(read.lane.stb & (read.qpu == number)), lane.place.eq(read.lane.place)]
        addresses = Signal(data.ArrayLayout(_WORD_BITS, LANES))
        for lane, address in enumerate(addresses):
            m.d.comb += address.eq(select_by_keys(keys, [source.words[lane] for source in sources]))
        self._share(m, valid, ready, note, addresses)

    def _share(self, m, valid, ready, note, addresses):
        """Who comes to the cache: in turn, if both kinds want to. An offer stays."""
        cache, sampled = self._cache, self._sampler.requests
        samples = Signal()
        before = Signal()
        waits = Signal()
        m.d.sync += [before.eq(samples), waits.eq(cache.i.valid & ~cache.i.ready)]
        m.d.comb += [
            samples.eq(Mux(waits, before, sampled.valid & ~(valid & before))),
            cache.i.valid.eq(valid | sampled.valid),
            ready.eq(cache.i.ready & ~samples),
            sampled.ready.eq(cache.i.ready & samples),
        ]
        # Of the note, nobody looks at what the other kind has.
        m.d.comb += [
            cache.i.payload.note.eq(note),
            *(cache.i.payload.note.samples.eq(samples), cache.i.payload.note.sample.eq(sampled.payload.note)),
        ]
        with m.If(samples):
            m.d.comb += [
                cache.i.payload.addresses.eq(sampled.payload.addresses),
                *(cache.i.payload.wanted.eq(sampled.payload.wanted), cache.i.payload.turns.eq(sampled.payload.turns)),
            ]
        with m.Else():
            # The sampler takes bytes out of words; these have all four.
            m.d.comb += [
                *(
                    one.eq(address & ~(_WORD_BYTES - 1))
                    for one, address in zip(cache.i.payload.addresses, addresses, strict=True)
                ),
                cache.i.payload.wanted.eq((1 << LANES) - 1),
            ]

    def _sample(self, m, requests):
        """The sampler takes parameters and answers of the cache."""
        sampler, answer = self._sampler, self._cache.o
        m.d.comb += [
            sampler.sample.eq(answer.note.sample),
            sampler.sample.now.word.eq(answer.note.sample.now.word & answer.note.samples),
            sampler.words.eq(answer.words),
            *(sampler.bytes.eq(answer.bytes), sampler.turns.eq(answer.turns), sampler.turn.eq(answer.turn)),
            sampler.stb.eq(self._cache.o_stb & answer.note.samples),
        ]
        for number, parameters in enumerate(self._parameters):
            m.d.comb += [
                *(parameters.slot.eq(sampler.slot), parameters.second.eq(sampler.slot_client.second)),
                sampler.data[number].eq(parameters.lane_words),
            ]
        qpu = sampler.slot_client.qpu[: (self._qpus - 1).bit_length()]
        given = [self._parameters[min(number, self._qpus - 1)] for number in range(1 << len(qpu))]
        m.d.comb += [
            sampler.name.eq(select(qpu, [parameters.name for parameters in given])),
            sampler.uniform.eq(select(qpu, [parameters.uniform for parameters in given])),
        ]

    def _end(self, m, results):
        """Words of the cache become results, and elements of the sampler."""
        answer, sampler = self._cache.o, self._sampler
        at = Signal(self._note)
        stb = Signal()
        m.d.sync += [at.eq(answer.note), stb.eq(self._cache.o_stb & ~answer.note.samples)]
        now = sampler.now
        # Elements, levels and texels of a quad come to the cache one by one, so they count with the last one.
        ends = sampler.word_stb & now.final & now.lane.all()
        m.d.comb += self.quads.eq(Cat(stb, ends))
        for number, (client, port, result) in enumerate(zip(self._numbers, self.clients, results, strict=True)):
            here = Signal(name=f"comes_{number}")
            sampled = Signal(name=f"sampled_{number}")
            m.d.comb += [
                here.eq(stb & (at.client == client)),
                sampled.eq(sampler.word_stb & (sampler.word_client == client)),
                *(result.comes.eq(here | sampled), result.texture.eq(sampled)),
                result.place.eq(Mux(sampled, sampler.word_place, at.place)),
                port.came_stb.eq(Mux(sampled, now.quad.all() & now.lane.all(), here & (at.quad == QUADS - 1))),
                port.done.eq(Mux(sampled, sampler.done, port.came_stb)),
            ]
        for number, words in enumerate(self._words):
            sampled = sampler.word_stb & (sampler.word_client.qpu == number)
            m.d.comb += [
                words.memory_stb.eq(stb & (at.client.qpu == number)),
                words.memory.eq(Cat(at.quad, at.place, at.client.second)),
                words.memory_data.eq(sampler.raws),
                words.texture_lanes.eq(Mux(sampled, 1 << now.lane, 0)),
                words.texture.eq(Cat(now.quad, sampler.word_place, sampler.word_client.second)),
                words.texture_word.eq(sampler.word),
            ]
