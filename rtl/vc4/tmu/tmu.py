"""The texture and memory lookup unit."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.arbiter import RoundRobin
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES
from vc4.records.tmu import RESULT_SLOTS

from .cache import TmuCache
from .line_fetches import LINE_BUS
from .port import TmuPort
from .requests import TmuRequests
from .results import TmuResults
from .sampler import Sampler
from .texture import Sample

__all__ = ["Tmu"]

_WORD_BITS = 32


class Tmu(wiring.Component):
    """Looks up memory for the QPUs of a slice (guide, section 4).

    Behaviour: a lookup begins when all of it is there and there is room for what it returns. Lookups of several QPUs take
    turns; those of one QPU keep their order. Four elements are looked up in a clock while their lines are in the cache.

    Parameters
    ----------
    qpus : 1 to 4

    Interface attributes
    --------------------
    qpus : the port of each QPU
    bus : the port to memory, reads of whole lines
    clear : forget what the cache holds
    quad, miss : performance counters: a quad is looked up; a line is fetched
    """

    def __init__(self, qpus: int):
        self._count = qpus
        #: Where the quad belongs that the cache answers.
        self._note = data.StructLayout(
            {
                "qpu": range(max(qpus, 2)),
                "place": range(RESULT_SLOTS),
                "quad": range(QUADS),
                "samples": 1,
                "sample": Sample,
            }
        )
        super().__init__(
            {
                "qpus": In(TmuPort()).array(qpus),
                "bus": Out(LINE_BUS),
                "clear": In(1),
                "quad": Out(1),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = self._cache = cache = TmuCache(self._note)
        m.submodules.sampler = self._sampler = Sampler()
        requests = [TmuRequests() for _ in self.qpus]
        results = [TmuResults() for _ in self.qpus]
        connect(m, cache.bus, flipped(self.bus))
        m.d.comb += [
            cache.clear.eq(self.clear),
            self.miss.eq(cache.miss),
            self.quad.eq(cache.i.valid & cache.i.ready),
        ]
        self._owner = Signal(self._count, name="owner")  # of the lookup that is under way
        self._place = Signal(range(RESULT_SLOTS), name="place")
        self._active = Signal(name="active")  # one of memory has quads left
        self._sampling = Signal(name="sampling")
        self._done = Signal(name="done")
        under_way = Signal()
        m.d.comb += [self._sampling.eq(self._sampler.busy), under_way.eq(self._active | self._sampling)]
        for number, port in enumerate(self.qpus):
            m.submodules[f"requests_{number}"] = request = requests[number]
            m.submodules[f"results_{number}"] = result = results[number]
            room = Mux(request.wide, result.room_two, result.room)
            m.d.comb += [
                request.parameter.eq(port.parameter),
                request.parameter_stb.eq(port.parameter_stb),
                port.freed.eq(request.freed),
                port.blocked.eq(request.valid & ~room & ~(under_way & self._owner[number])),
                result.load.eq(port.load),
                port.result.eq(result.result),
            ]
        self._begin(m, requests, results)
        self._sample(m, requests)
        self._end(m, results)
        return m

    def _begin(self, m, requests, results):
        """Lookups begin, in turn; those of memory leave their slots, a quad a clock."""
        m.submodules.turn = turn = RoundRobin(self._count)
        cache, sampler = self._cache, self._sampler
        note = Signal(self._note)
        quad = Signal(range(QUADS))
        active, owner = self._active, self._owner
        reads = Signal()
        valid = Signal()
        sources = Signal(self._count)
        idle = ~active & ~self._sampling & ~self._done
        self._starting = turn.grant_onehot
        granted = Signal()
        m.d.comb += [
            reads.eq(active & (~valid | cache.i.ready)),
            turn.advance.eq(idle),
            granted.eq(idle & turn.grant_onehot.any()),
        ]
        with m.If(granted):
            m.d.sync += owner.eq(turn.grant_onehot)
        with m.If(reads):
            m.d.sync += [quad.eq(quad + 1), active.eq(quad != QUADS - 1)]
            m.d.sync += [note.quad.eq(quad), note.place.eq(self._place), sources.eq(owner)]
        m.d.sync += valid.eq(reads | (valid & ~cache.i.ready))
        # What the lookup of memory before has left goes first.
        with m.If(valid):
            m.d.comb += [
                cache.i.valid.eq(1),
                cache.i.payload.wanted.eq((1 << LANES) - 1),
                cache.i.payload.note.eq(note),
            ]
        with m.Else():
            m.d.comb += [
                cache.i.valid.eq(sampler.requests.valid),
                cache.i.payload.addresses.eq(sampler.requests.payload.addresses),
                cache.i.payload.wanted.eq(sampler.requests.payload.wanted),
                cache.i.payload.note.samples.eq(1),
                cache.i.payload.note.sample.eq(sampler.requests.payload.note),
                sampler.requests.ready.eq(cache.i.ready),
            ]
        for number, (request, result) in enumerate(zip(requests, results, strict=True)):
            begins = granted & turn.grant_onehot[number]
            texture = request.count != 1
            m.d.comb += [
                turn.requests[number].eq(request.valid & Mux(request.wide, result.room_two, result.room)),
                result.reserve.eq(Mux(begins, Mux(request.wide, 2, 1), 0)),
            ]
            with m.If(begins):
                m.d.sync += [self._place.eq(result.reserved), active.eq(~texture)]
                m.d.comb += sampler.start.eq(texture)
            with m.If(owner[number]):
                m.d.comb += [
                    request.read.eq(reads | sampler.read),
                    request.quad.eq(Mux(active, quad, sampler.quad)),
                    request.number.eq(Mux(active, 0, sampler.number)),
                    request.release.eq((reads & (quad == QUADS - 1)) | self._done),
                ]
            with m.If(reads & owner[number]):
                m.d.sync += note.qpu.eq(number)
            with m.If(sources[number] & valid):
                m.d.comb += [
                    address.eq(word) for address, word in zip(cache.i.payload.addresses, request.data, strict=True)
                ]

    def _sample(self, m, requests):
        """A lookup of a texture, which keeps its slots until it is done."""
        sampler, answer = self._sampler, self._cache.o
        busy = Signal()
        m.d.sync += busy.eq(sampler.busy)
        m.d.comb += [
            self._done.eq(busy & ~sampler.busy),
            sampler.sample.eq(answer.note.sample),
            sampler.words.eq(answer.words),
            sampler.bytes.eq(answer.bytes),
            sampler.stb.eq(self._cache.o_stb & answer.note.samples),
        ]
        for number, request in enumerate(requests):
            with m.If(Mux(sampler.start, self._starting[number], self._owner[number])):
                m.d.comb += [
                    sampler.count.eq(request.count),
                    sampler.wide.eq(request.wide),
                    sampler.name.eq(request.name),
                    sampler.uniform.eq(request.uniform),
                    sampler.data.eq(request.data),
                ]

    def _end(self, m, results):
        """Words of the cache become results, and elements of the sampler."""
        answer, sampler = self._cache.o, self._sampler
        words = [
            Mux(byte[2], word[_WORD_BITS:], word[:_WORD_BITS])
            for word, byte in zip(answer.words, answer.bytes, strict=True)
        ]
        at = Signal(self._note)
        stb = Signal()
        lanes = Signal(data.ArrayLayout(_WORD_BITS, LANES))
        m.d.sync += [at.eq(answer.note), stb.eq(self._cache.o_stb & ~answer.note.samples)]
        m.d.sync += [lane.eq(word) for lane, word in zip(lanes, words, strict=True)]
        now = sampler.now
        last = now.word == sampler.wide
        for number, (port, result) in enumerate(zip(self.qpus, results, strict=True)):
            here = Signal(name=f"comes_{number}")
            sampled = Signal(name=f"sampled_{number}")
            m.d.comb += [
                here.eq(stb & (at.qpu == number)),
                sampled.eq(sampler.word_stb & self._owner[number]),
                result.place.eq(Mux(sampled, self._place + now.word, at.place)),
                result.quad.eq(Mux(sampled, now.quad, at.quad)),
                result.lanes.eq(Mux(sampled, 1 << now.lane, here.replicate(LANES))),
                *(one.eq(Mux(sampled, sampler.word, lane)) for one, lane in zip(result.data, lanes, strict=True)),
                port.came_stb.eq(Mux(sampled, now.last, here & (at.quad == QUADS - 1))),
                port.done.eq(Mux(sampled, now.last & last, port.came_stb)),
            ]
