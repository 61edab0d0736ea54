"""The config parameters of a lookup as a texture."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import (
    MOST_TEXELS,
    REQUEST_SLOTS,
    RESULT_SLOTS,
    ChildOffset,
    ChildSize,
    CubeStride,
    MinificationFilter,
    ParameterKind,
    TextureImage,
    TextureSampling,
    TmuParameterName,
)

from .formats import normal_type
from .port import Client
from .texture import Lookup

__all__ = ["SetUp"]


class SetUp(wiring.Component):
    """Takes the parameters of a lookup, one a clock.

    Behaviour: it begins in the clock after `start`, and what the parameters say is there in the clock after the last one.

    Interface attributes
    --------------------
    idle : a lookup may start
    start, client, place, first, count : it starts: whose it is, where its results go, its first slot, how many there are
    slot, name, uniform : a parameter, in the same clock
    o : the lookup
    """

    idle: Out(1)
    start: In(1)
    client: In(Client)
    place: In(range(RESULT_SLOTS))
    first: In(range(REQUEST_SLOTS))
    count: In(range(REQUEST_SLOTS + 1))
    slot: Out(range(REQUEST_SLOTS))
    name: In(TmuParameterName)
    uniform: In(32)
    o: Out(stream.Signature(Lookup))

    def elaborate(self, platform):
        m = Module()
        number = Signal(range(REQUEST_SLOTS))
        left = Signal(range(REQUEST_SLOTS + 1))
        slot = Signal(range(REQUEST_SLOTS))
        busy = Signal()
        self._lookup = Signal(Lookup, name="lookup")
        self._low = Signal(4, name="low_type")
        self._child = Signal(name="child")
        self._size = Signal(ChildSize, name="size")
        lookup = self._lookup
        m.d.comb += [self.slot.eq(slot), self.idle.eq(~busy & ~self.o.valid)]
        with m.If(self.start):
            m.d.sync += [busy.eq(1), number.eq(0), left.eq(self.count), slot.eq(self.first)]
            m.d.sync += [
                lookup.eq(0),
                lookup.client.eq(self.client),
                lookup.place.eq(self.place),
                self._child.eq(0),
                self._size.eq(0),
            ]
        with m.Elif(busy):
            m.d.sync += [
                *(number.eq(number + 1), left.eq(left - 1), slot.eq(slot + 1)),
                *(busy.eq(left != 1), self.o.valid.eq(left == 1)),
                lookup.written.bit_select(self.name, 1).eq(1),
            ]
            for place in range(len(TmuParameterName)):
                with m.If(self.name.as_value() == place):
                    m.d.sync += lookup.slots[place].eq(slot)
            self._take(m, number)
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        self._give(m)
        return m

    def _take(self, m, number):
        lookup = self._lookup
        image, sampling = TextureImage(self.uniform), TextureSampling(self.uniform)
        with m.Switch(number):
            with m.Case(0):
                m.d.sync += [
                    lookup.type.eq(image.type),
                    self._low.eq(image.type),
                    lookup.base.eq(image.base),
                    lookup.last.eq(image.levels),
                    lookup.flip.eq(image.flip),
                    lookup.cube.eq(image.cube),
                ]
            with m.Case(1):
                m.d.sync += [
                    Value.cast(lookup.type).eq(normal_type(self._low, sampling.type_high)),
                    *(
                        getattr(lookup, name).eq(getattr(sampling, name))
                        for name in ("wrap_s", "wrap_t", "magnification", "minification", "flip_blocks")
                    ),
                    lookup.width.eq(Cat(sampling.width, sampling.width == 0)),
                    lookup.height.eq(Cat(sampling.height, sampling.height == 0)),
                ]
            with m.Case(2, 3):
                self._others(m)

    def _others(self, m):
        """The third and the fourth say what they are."""
        lookup = self._lookup
        with m.Switch(self.uniform[30:]):
            with m.Case(ParameterKind.CUBE_STRIDE):
                stride = CubeStride(self.uniform)
                m.d.sync += [lookup.stride.eq(stride.stride), lookup.bias_only.eq(stride.bias_only)]
            with m.Case(ParameterKind.CHILD_SIZE):
                m.d.sync += [self._child.eq(1), self._size.eq(ChildSize(self.uniform))]
            with m.Case(ParameterKind.CHILD_OFFSET):
                offset = ChildOffset(self.uniform)
                m.d.sync += [self._child.eq(1), lookup.window.x.eq(offset.x), lookup.window.y.eq(offset.y)]

    def _give(self, m):
        """What follows from all parameters together."""
        lookup, given = self._lookup, self.o.payload
        m.d.comb += given.eq(lookup)
        with m.If(lookup.minification.as_value() < MinificationFilter.NEAR_MIP_NEAR.value):
            m.d.comb += given.last.eq(0)
        for extent in ("width", "height"):
            child, whole = getattr(self._size, extent), getattr(lookup, extent)
            inner = Mux(child == 0, MOST_TEXELS, child)
            m.d.comb += getattr(given.window, extent).eq(Mux(self._child, inner, whole))
