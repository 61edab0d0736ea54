"""Primitives with their quotients."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.primitives import PrimitiveType

from .depth_offset import DepthOffset
from .structs import CoefficientWeights, DivisionItem, DivisionResult, SetUpPrimitive, UnfinishedPrimitive

__all__ = ["SetUpResults"]

#: Of primitives of a type.
_QUOTIENTS = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 4, PrimitiveType.TRIANGLES: 6, PrimitiveType.RHTS: 0}


class _State(enum.Enum, shape=unsigned(2)):
    """What is waited for."""

    REST = 0  # a primitive
    COLLECT = 1  # its quotients
    OFFSET = 2  # its depth offset
    GIVE = 3  # both streams


class SetUpResults(wiring.Component):
    """Collects the quotients of a primitive, in any order, and finds its depth offset.

    Behaviour: one primitive at a time, which leaves in the clock after its last quotient, or when it has its depth offset. One
    that is not drawn has neither. What follows waits at `i`.

    Interface attributes
    --------------------
    i : stream of `UnfinishedPrimitive`
    quotients : stream of `DivisionResult`; those of the next primitive wait
    o : stream of `SetUpPrimitive`
    weights : stream of `CoefficientWeights`, one for each primitive that is drawn; it may go before the primitive or after it
    """

    i: In(stream.Signature(UnfinishedPrimitive))
    quotients: In(stream.Signature(DivisionResult))
    o: Out(stream.Signature(SetUpPrimitive))
    weights: Out(stream.Signature(CoefficientWeights))

    def elaborate(self, platform):
        m = Module()
        m.submodules.depth_offset = offset = DepthOffset()
        state = Signal(_State)
        left = Signal(range(max(_QUOTIENTS.values()) + 1))  # quotients that are missing
        comes = Signal()
        collected = Signal()
        here = Signal(UnfinishedPrimitive)
        given = Signal(2)
        takes = Signal()
        goes = Signal(2)
        weights = self.weights.payload
        gains = [Signal.like(self.quotients.payload.value, name=f"gain_{name}") for name in "xy"]
        m.d.comb += [
            self.i.ready.eq((state == _State.REST) | ((state == _State.GIVE) & goes.all())),
            collected.eq((left == 0) | ((left == 1) & comes)),
            takes.eq(self.i.valid & self.i.ready),
            self.quotients.ready.eq(state == _State.COLLECT),
            comes.eq(self.quotients.valid & self.quotients.ready),
            *(
                self.o.payload.eq(here.primitive),
                self.o.payload.z.eq(here.primitive.z + Mux(here.offsets, offset.o, 0)),
            ),
            *(self.o.payload.z_x.eq(gains[0][:64]), self.o.payload.z_y.eq(gains[1][:64])),
            self.o.valid.eq((state == _State.GIVE) & ~given[0]),
            self.weights.valid.eq((state == _State.GIVE) & ~given[1]),
            *(weights.count.eq(here.varyings + 1), weights.flat.eq(here.flat), weights.type.eq(here.type)),
            *(offset.z_x.eq(gains[0]), offset.z_y.eq(gains[1])),
            *(offset.factor.eq(here.factor), offset.units.eq(here.units)),
            goes.eq(given | Cat(self.o.ready, self.weights.ready)),
        ]
        with m.Switch(state):
            with m.Case(_State.COLLECT):
                m.d.sync += left.eq(left - comes)
                with m.If(collected):
                    m.d.sync += state.eq(Mux(here.offsets, _State.OFFSET, _State.GIVE))
            with m.Case(_State.OFFSET):
                with m.If(offset.done):
                    m.d.sync += state.eq(_State.GIVE)
            with m.Case(_State.GIVE):
                m.d.sync += given.eq(goes)
        m.d.comb += offset.starts.eq((state == _State.OFFSET) & ~offset.busy)
        with m.If(self.i.ready):
            m.d.sync += [here.eq(self.i.payload), state.eq(Mux(takes, _State.COLLECT, _State.REST))]
            m.d.sync += [given.eq(Cat(0, ~self.i.payload.primitive.drawn)), left.eq(0)]
            with m.If(self.i.payload.primitive.drawn), m.Switch(self.i.payload.type):
                for type_, count in _QUOTIENTS.items():
                    with m.Case(type_):
                        m.d.sync += left.eq(count)
            m.d.sync += [word.eq(0) for word in gains]
            m.d.sync += [Value.cast(part).eq(0) for part in (weights.second, weights.third, weights.implicit)]
        self._quotient(m, gains, comes)
        return m

    def _quotient(self, m, gains, comes):
        """Where a quotient belongs."""
        weights, quotient = self.weights.payload, self.quotients.payload
        places = {
            DivisionItem.Place.SECOND: weights.second,
            DivisionItem.Place.THIRD: weights.third,
            DivisionItem.Place.IMPLICIT: weights.implicit,
            DivisionItem.Place.Z: gains,
        }
        with m.If(comes):
            for place, words in places.items():
                for number in range(2):
                    with m.If((quotient.place == place) & (Value.cast(quotient.axis) == number)):
                        m.d.sync += words[number].eq(quotient.value)
