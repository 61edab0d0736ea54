"""Lookups of textures."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.data import ArrayLayout
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.block_queue import BlockQueue
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import REQUEST_SLOTS, MinificationFilter, TmuParameterName

from .channels import Channels
from .choice import Choice
from .cube_face import CubeFace
from .detail import Detail
from .fixed_point import FixedPoint
from .formats import format_of
from .levels import Levels
from .points import Points
from .set_up import SetUp
from .structs import CacheRequest
from .texel_places import TexelFormat
from .texture import Pass, Sample

__all__ = ["Sampler"]

#: Passes between here and the cache; one that is begun always has a place.
_DEPTH = 32
#: The clocks of an element: its coordinates are chosen, the level of detail follows from its bias, then its passes.
_BIASED = FixedPoint.LATENCY + 1
_CHOSEN, _FIRST, _SECOND = _BIASED + 1, _BIASED + 2, _BIASED + 3
_NAMES = [name.name.lower() for name in TmuParameterName]


class Sampler(wiring.Component):
    """Carries out one lookup of a texture after the other (guide, section 4).

    Behaviour: the parameters are taken, the table of levels is made, and then quad after quad its vectors are read, its
    level of detail is computed, and its elements go to the cache, a pass for each level. Everything that comes back is of the
    same lookup.

    Interface attributes
    --------------------
    start, count, wide : a lookup begins, with so many parameters, and returns two words
    busy : it is under way
    number, name, uniform, read, quad, data : see `TmuRequests`
    requests : to the cache
    sample, words, bytes, stb : its answers
    word, now, word_stb : an element of the result, and which one it is
    """

    start: In(1)
    count: In(range(REQUEST_SLOTS + 1))
    wide: In(1)
    busy: Out(1)
    number: Out(range(REQUEST_SLOTS))
    name: In(TmuParameterName)
    uniform: In(32)
    read: Out(1)
    quad: Out(range(QUADS))
    data: In(LaneWords)
    requests: Out(stream.Signature(CacheRequest(Sample)))
    sample: In(Sample)
    words: In(ArrayLayout(64, 4))
    bytes: In(ArrayLayout(3, 4))
    stb: In(1)
    word: Out(32)
    now: Out(Pass)
    word_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.set_up = self.set_up = SetUp()
        m.submodules.levels = self.levels = Levels()
        m.submodules.detail = self.detail = Detail()
        m.submodules.points = self.points = Points()
        m.submodules.channels = self.channels = Channels()
        m.submodules.queue = self.queue = BlockQueue(CacheRequest(Sample), _DEPTH)
        self._texture = self.set_up.texture
        self._border = Signal(32, name="border")
        self._vectors = [Signal(LaneWords, name=f"vector_{name}") for name in _NAMES]
        self._element = Signal(range(LANES), name="element")
        self._quad = Signal(range(QUADS), name="quad_number")
        self._word = Signal(name="word_number")
        self._wires(m)
        self._pipeline(m)
        faces = self._faces(m)
        self._control(m, faces)
        return m

    def _wires(self, m):
        """What stays the same for a lookup."""
        texture, levels, detail = self._texture, self.levels, self.detail
        format_ = Signal(TexelFormat)
        format_of(m, texture.type, format_)
        mipmaps = texture.minification.as_value() >= MinificationFilter.NEAR_MIP_NEAR.value
        window = [
            Mux(texture.child, Mux(size == 0, 1 << 11, size), whole)
            for size, whole in ((texture.size.width, texture.width), (texture.size.height, texture.height))
        ]
        m.d.comb += [
            self.set_up.start.eq(self.start),
            self.set_up.count.eq(self.count),
            self.set_up.name.eq(self.name),
            self.set_up.uniform.eq(self.uniform),
            levels.format.eq(format_),
            levels.width.eq(texture.width),
            levels.height.eq(texture.height),
            levels.last.eq(Mux(mipmaps, texture.last, 0)),
            levels.number.eq(self.points.number),
            self.points.level.eq(levels.level),
            detail.width.eq(window[0]),
            detail.height.eq(window[1]),
            detail.halved.eq(texture.cube),
            self.points.texture.eq(texture),
            self.channels.texture.eq(texture),
            self.channels.border.eq(Mux(texture.cube, 0, self._border)),
        ]

    def _pipeline(self, m):
        """Passes to the cache, and back."""
        points, queue, channels = self.points, self.queue, self.channels
        connect(m, queue.o, flipped(self.requests))
        request = queue.i.payload
        m.d.comb += [
            queue.i.valid.eq(points.stb),
            request.addresses.eq(points.addresses),
            request.wanted.eq(points.wanted),
            request.note.eq(points.sample),
            *(getattr(channels, name).eq(getattr(self, name)) for name in ("sample", "words", "bytes", "stb")),
            *(getattr(self, name).eq(getattr(channels, name)) for name in ("word", "now", "word_stb")),
        ]

    def _faces(self, m):
        """Coordinates of the first three elements on the face of the first one, and of one element on its own."""
        s, t, r, _ = self._vectors
        m.submodules.quad_face = of_quad = CubeFace(3)
        m.submodules.face = face = CubeFace(1)
        m.d.comb += [of_quad.cube.eq(self._texture.cube), face.cube.eq(self._texture.cube)]
        for name, vector in (("s", s), ("t", t), ("r", r)):
            chosen = vector[self._element]
            m.d.comb += [
                getattr(of_quad, name).eq(vector[0]),
                *(of_quad.directions[name][number].eq(vector[number]) for number in range(3)),
                getattr(face, name).eq(chosen),
                face.directions[name][0].eq(chosen),
            ]
        m.d.comb += [self.detail.s.eq(of_quad.across), self.detail.t.eq(of_quad.up)]
        return face

    def _control(self, m, face):
        """The order in which everything happens."""
        m.submodules.bias = bias = FixedPoint(8, 16)
        m.submodules.choice = choice = Choice()
        texture, points = self._texture, self.points
        clock = Signal(3)
        ahead = Signal(range(_DEPTH + 1))  # passes on their way to the cache
        detail = Signal(signed(17))
        fits = Signal()
        across = Signal(32)
        up = Signal(32)
        chosen_face = Signal(range(6))
        m.d.sync += [across.eq(face.across[0]), up.eq(face.up[0]), chosen_face.eq(face.face)]
        m.d.sync += detail.eq(bias.o + Mux(texture.bias_only, 0, self.detail.o))
        emits = Signal()
        second = Signal()
        blends = Signal()
        now = points.now
        m.d.comb += [
            bias.value.eq(self._vectors[3][self._element]),
            choice.texture.eq(texture),
            choice.detail.eq(detail),
            fits.eq(ahead < _DEPTH - 1),
            blends.eq(choice.weight != 0),
            points.s.eq(across),
            points.t.eq(up),
            points.valid.eq(emits),
            now.face.eq(chosen_face),
            now.level.eq(choice.level + second),
            now.linear.eq(choice.linear),
            now.first.eq(blends & ~second),
            now.second.eq(second),
            now.weight.eq(choice.weight),
            now.quad.eq(self._quad),
            now.lane.eq(self._element),
            now.word.eq(self._word),
            now.last.eq((self._quad == QUADS - 1) & (self._element == LANES - 1)),
        ]
        leaves = self.requests.valid & self.requests.ready
        m.d.sync += [ahead.eq(ahead + emits - leaves)]
        m.d.sync += clock.eq(clock + 1)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [self._quad.eq(0), self._word.eq(0)]
                with m.If(self.start):
                    m.next = "SET UP"
            with m.State("SET UP"):
                m.d.comb += [self.busy.eq(1), self.number.eq(self.set_up.number)]
                with m.If(~self.set_up.busy):
                    m.d.comb += self.levels.start.eq(1)
                    m.next = "LEVELS"
            with m.State("LEVELS"):
                m.d.comb += self.busy.eq(1)
                m.d.sync += clock.eq(0)
                with m.If(~self.levels.busy):
                    m.next = "READ"
            with m.State("READ"):
                m.d.comb += self.busy.eq(1)
                self._read(m, clock)
                with m.If(clock == 4):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.comb += [self.busy.eq(1), self.detail.start.eq(1)]
                with m.If((self._quad == 0) & ~self._word):
                    m.d.sync += self._border.eq(self._vectors[2][0])
                m.d.sync += self._element.eq(0)
                m.next = "DETAIL"
            with m.State("DETAIL"):
                m.d.comb += self.busy.eq(1)
                m.d.sync += clock.eq(0)
                with m.If(~self.detail.busy):
                    m.next = "ELEMENT"
            with m.State("ELEMENT"):
                m.d.comb += [self.busy.eq(1), second.eq(clock == _SECOND)]
                with m.If(clock >= _FIRST):
                    m.d.comb += emits.eq(fits)
                    with m.If(~fits):
                        m.d.sync += clock.eq(clock)
                    with m.Elif(~blends | second):
                        m.d.sync += [clock.eq(0), self._element.eq(self._element + 1)]
                        with m.If(self._element == LANES - 1):
                            m.next = "NEXT"
            with m.State("NEXT"):
                m.d.comb += self.busy.eq(1)
                m.d.sync += [clock.eq(0), self._quad.eq(self._quad + 1)]
                with m.If(self._quad != QUADS - 1):
                    m.next = "READ"
                with m.Elif(self.wide & ~self._word):
                    m.d.sync += self._word.eq(1)
                    m.next = "READ"
                with m.Else():
                    m.next = "WAIT"
            with m.State("WAIT"):
                m.d.comb += self.busy.eq(1)
                with m.If(self.channels.word_stb & self.channels.now.last & (self.channels.now.word == self.wide)):
                    m.next = "IDLE"

    def _read(self, m, clock):
        """The four vectors, one after the other; those that were not written are 0."""
        for place, vector in enumerate(self._vectors):
            written = self.set_up.written[place]
            with m.If(clock == place):
                m.d.comb += [self.number.eq(self.set_up.slots[place]), self.read.eq(written)]
            with m.If(clock == place + 1):
                m.d.sync += vector.eq(Mux(written, Value.cast(self.data), 0))
        m.d.comb += self.quad.eq(self._quad)
