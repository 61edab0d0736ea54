"""The config parameters of a lookup as a texture."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import (
    REQUEST_SLOTS,
    ChildOffset,
    ChildSize,
    CubeStride,
    ParameterKind,
    TextureImage,
    TextureSampling,
    TmuParameterName,
)

from .formats import normal_type
from .texture import Texture

__all__ = ["SetUp"]


class SetUp(wiring.Component):
    """Takes the parameters of a lookup, one a clock, and keeps what they say until the next lookup.

    Behaviour: it begins in the clock after `start`; everything is there when `busy` falls.

    Interface attributes
    --------------------
    start, count : a lookup with so many parameters begins
    busy : it is being taken
    number, name, uniform : a parameter, in the same clock
    texture : what its uniforms say
    written, slots : whether each of s, t, r and b was written, and as which parameter at last
    """

    start: In(1)
    count: In(range(REQUEST_SLOTS + 1))
    busy: Out(1)
    number: Out(range(REQUEST_SLOTS))
    name: In(TmuParameterName)
    uniform: In(32)
    texture: Out(Texture)
    written: Out(4)
    slots: Out(data.ArrayLayout(range(REQUEST_SLOTS), 4))

    def elaborate(self, platform):
        m = Module()
        number = Signal(range(REQUEST_SLOTS))
        busy = Signal()
        self._low = Signal(4, name="low_type")
        m.d.comb += [self.number.eq(number), self.busy.eq(busy)]
        with m.If(self.start):
            m.d.sync += [busy.eq(1), number.eq(0), self.written.eq(0), self.texture.eq(0)]
        with m.Elif(busy):
            m.d.sync += [
                number.eq(number + 1),
                busy.eq(number + 1 != self.count),
                self.written.bit_select(self.name, 1).eq(1),
            ]
            for place in range(4):
                with m.If(self.name.as_value() == place):
                    m.d.sync += self.slots[place].eq(number)
            self._take(m, number)
        return m

    def _take(self, m, number):
        texture = self.texture
        image, sampling = TextureImage(self.uniform), TextureSampling(self.uniform)
        with m.Switch(number):
            with m.Case(0):
                m.d.sync += [
                    texture.type.eq(image.type),
                    self._low.eq(image.type),
                    texture.base.eq(image.base),
                    texture.last.eq(image.levels),
                    texture.flip.eq(image.flip),
                    texture.cube.eq(image.cube),
                ]
            with m.Case(1):
                m.d.sync += [
                    Value.cast(texture.type).eq(normal_type(self._low, sampling.type_high)),
                    *(
                        getattr(texture, name).eq(getattr(sampling, name))
                        for name in ("wrap_s", "wrap_t", "magnification", "minification", "flip_blocks")
                    ),
                    texture.width.eq(Cat(sampling.width, sampling.width == 0)),
                    texture.height.eq(Cat(sampling.height, sampling.height == 0)),
                ]
            with m.Case(2, 3):
                self._others(m)

    def _others(self, m):
        """The third and the fourth say what they are."""
        texture = self.texture
        with m.Switch(self.uniform[30:]):
            with m.Case(ParameterKind.CUBE_STRIDE):
                stride = CubeStride(self.uniform)
                m.d.sync += [texture.stride.eq(stride.stride), texture.bias_only.eq(stride.bias_only)]
            with m.Case(ParameterKind.CHILD_SIZE):
                m.d.sync += [texture.child.eq(1), texture.size.eq(ChildSize(self.uniform))]
            with m.Case(ParameterKind.CHILD_OFFSET):
                m.d.sync += [texture.child.eq(1), texture.offset.eq(ChildOffset(self.uniform))]
