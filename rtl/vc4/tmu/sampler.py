"""Lookups of textures."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.data import ArrayLayout
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.block_queue import BlockQueue
from vc4.errata import Erratum
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS, TmuParameterName

from .channels import Channels
from .detail import Detail
from .elements import Elements
from .formats import format_of
from .levels import Levels
from .passes import ELEMENTS, Passes
from .points import Points
from .port import Client
from .set_up import SetUp
from .structs import TURN_BITS, CacheRequest
from .texel_places import TexelFormat
from .texture import CONTEXTS, LookupNote, Pass, Sample
from .texture_fields import TextureFields
from .vectors import LaneRead, Vectors

__all__ = ["Sampler"]

#: Passes between here and the cache; one that is begun always has a place.
_DEPTH = 32


class Sampler(wiring.Component):
    """Carries out lookups of textures (guide, section 4), in their order, each in a context of its own.

    Behaviour: parameters are taken one a clock; then, while the table of levels is made, the vectors are read, an element a
    clock, and go to the cache, a pass a clock. Each part begins with the next lookup when it is through with one.

    Parameters
    ----------
    qpus : 1 to 4
    errata : see `Erratum`

    Interface attributes
    --------------------
    idle : a lookup may start
    start, client, place, first, count : see `SetUp`
    slot, name, uniform : a parameter of a lookup of `slot_client`, in the same clock
    reads, data, left, left_client : see `Vectors`
    requests : to the cache
    sample, words, bytes, turns, turn, stb : its answers
    raws : of any answer of the cache, four bytes from each address on, a clock later
    word, now, word_stb, word_client, word_place : an element of the result, which one it is, and where it goes
    done : it is the last one of its lookup
    """

    def __init__(self, qpus: int, errata: frozenset[Erratum] = frozenset()):
        self._qpus = qpus
        self._errata = errata
        super().__init__(
            {
                "idle": Out(1),
                "start": In(1),
                "client": In(Client),
                "place": In(range(RESULT_SLOTS)),
                "first": In(range(REQUEST_SLOTS)),
                "count": In(range(REQUEST_SLOTS + 1)),
                "slot": Out(range(REQUEST_SLOTS)),
                "slot_client": Out(Client),
                "name": In(TmuParameterName),
                "uniform": In(32),
                "reads": Out(ArrayLayout(LaneRead, LANES)),
                "data": In(LaneWords).array(qpus),
                "left": Out(1),
                "left_client": Out(Client),
                "requests": Out(stream.Signature(CacheRequest(Sample))),
                "sample": In(Sample),
                "words": In(ArrayLayout(64, 4)),
                "bytes": In(ArrayLayout(3, 4)),
                "turns": In(TURN_BITS),
                "turn": In(TURN_BITS),
                "stb": In(1),
                "raws": Out(ArrayLayout(32, 4)),
                "word": Out(32),
                "now": Out(Pass),
                "word_stb": Out(1),
                "word_client": Out(Client),
                "word_place": Out(range(RESULT_SLOTS)),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.set_up = self.set_up = SetUp()
        m.submodules.levels = self.levels = Levels(self._errata)
        m.submodules.vectors = self.vectors = Vectors(self._qpus)
        m.submodules.elements = self.elements = Elements()
        m.submodules.detail = self.detail = Detail()
        m.submodules.passes = self.passes = Passes()
        m.submodules.points = self.points = Points()
        m.submodules.channels = self.channels = Channels(self._errata)
        m.submodules.ends = self.ends = TextureFields("client", "place")
        self._begin(m)
        self._pass(m)
        self._end(m)
        return m

    def _begin(self, m):
        """Lookups are set up: everyone is told, and their levels are found."""
        set_up, levels = self.set_up, self.levels
        under_way = Signal(range(CONTEXTS + 1))
        room = Signal()
        context = Signal(range(CONTEXTS))
        note = Signal(LookupNote)
        note_stb = Signal()
        format_ = Signal(TexelFormat)
        lookup = set_up.o.payload
        format_of(m, lookup.type, format_)
        m.d.comb += [
            self.idle.eq(set_up.idle & room),
            *(getattr(set_up, name).eq(getattr(self, name)) for name in ("start", "client", "place", "first", "count")),
            *(self.slot.eq(set_up.slot), self.slot_client.eq(lookup.client)),
            *(set_up.name.eq(self.name), set_up.uniform.eq(self.uniform)),
            set_up.o.ready.eq(levels.ready),
            note_stb.eq(set_up.o.valid & levels.ready),
            *(note.context.eq(context), note.lookup.eq(lookup)),
            *(levels.start.eq(note_stb), levels.context.eq(context), levels.format.eq(format_)),
            *(getattr(levels, name).eq(getattr(lookup, name)) for name in ("width", "height", "last")),
        ]
        m.d.sync += [
            under_way.eq(under_way + self.start - self.done),
            room.eq(under_way + self.start < CONTEXTS),
            context.eq(context + note_stb),
        ]
        for part in (self.vectors, self.elements, self.passes, self.points, self.channels, self.ends):
            m.d.comb += [part.note.eq(note), part.note_stb.eq(note_stb)]

    def _pass(self, m):
        """Vectors to elements, elements to passes, passes to the cache."""
        vectors, elements, detail, passes = self.vectors, self.elements, self.detail, self.passes
        points, levels = self.points, self.levels
        m.submodules.queue = queue = BlockQueue(CacheRequest(Sample), _DEPTH)
        inside = Signal(range(ELEMENTS + 1))  # elements that have begun and are no passes yet
        ahead = Signal(range(_DEPTH + 1))  # passes on their way to the cache
        more = Signal(range(ELEMENTS + 1))
        further = Signal(range(_DEPTH + 1))
        request = queue.i.payload
        connect(m, queue.o, flipped(self.requests))
        m.d.comb += [
            *(port.eq(words) for port, words in zip(vectors.data, self.data, strict=True)),
            *(self.reads.eq(vectors.reads), self.left.eq(vectors.left), self.left_client.eq(vectors.left_client)),
            *(elements.i.eq(vectors.o), elements.i_stb.eq(vectors.o_stb)),
            *(detail.i.eq(elements.point), detail.i_stb.eq(elements.point_stb)),
            *(passes.element.eq(elements.o), passes.element_stb.eq(elements.o_stb)),
            *(passes.detail.eq(detail.o), passes.detail_stb.eq(detail.o_stb)),
            *(getattr(points, name).eq(getattr(passes, name)) for name in ("now", "face", "level", "s", "t")),
            points.valid.eq(passes.stb),
            *(levels.read.eq(points.read), levels.number.eq(points.number), points.entry.eq(levels.level)),
            *(queue.i.valid.eq(points.stb), request.addresses.eq(points.addresses)),
            *(request.wanted.eq(points.wanted), request.turns.eq(points.turns), request.note.eq(points.sample)),
            more.eq(inside + Mux(vectors.takes, QUADS, 0) - passes.left),
            further.eq(ahead + passes.stb - (self.requests.valid & self.requests.ready)),
        ]
        m.d.sync += [
            *(inside.eq(more), vectors.room.eq(more <= ELEMENTS - QUADS)),
            *(ahead.eq(further), passes.room.eq(further < _DEPTH)),
        ]

    def _end(self, m):
        """Answers of the cache become words."""
        elements, channels, ends = self.elements, self.channels, self.ends
        m.d.comb += [
            *(
                getattr(channels, name).eq(getattr(elements, name))
                for name in ("border", "border_context", "border_stb")
            ),
            *(
                getattr(channels, name).eq(getattr(self, name))
                for name in ("sample", "words", "bytes", "turns", "turn", "stb")
            ),
            *(getattr(self, name).eq(getattr(channels, name)) for name in ("raws", "word", "now", "word_stb")),
            ends.context.eq(channels.next),
            *(self.word_client.eq(ends.o.client), self.word_place.eq(ends.o.place + channels.now.word)),
            self.done.eq(channels.word_stb & channels.now.final & channels.now.quad.all() & channels.now.lane.all()),
        ]
