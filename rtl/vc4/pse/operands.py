"""Where the numbers of a step come from."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam

from .fixed_number import FixedNumber
from .steps import Register, Step, Vertex
from .structs import POSITION_BITS, Z_BITS, Axis, SetUpRequest

__all__ = ["Operands"]

_REGISTER_BITS = Z_BITS + 1
_PAIRS = Register.D1_X.value.bit_length() - 1


class Operands(wiring.Component):
    """Positions, differences of positions and of Z, and the register file that they are kept in.

    Behaviour: what a step writes, the next one may read.

    Interface attributes
    --------------------
    request : the primitive
    step, stb : the step
    negative, swapped : what `SumResults` has kept
    position : the step's first position
    a, b : its factors
    number : its fixed point number
    z : of the reference vertex
    """

    request: In(SetUpRequest)
    step: In(Step)
    stb: In(1)
    negative: In(1)
    swapped: In(1)
    position: Out(signed(POSITION_BITS))
    a: Out(signed(_REGISTER_BITS))
    b: Out(signed(POSITION_BITS + 1))
    number: Out(Z_BITS)
    z: Out(Z_BITS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.registers = registers = LutRam(_REGISTER_BITS, len(Register) + 3, init=(1, 2), reads=2)
        m.submodules.fixed_number = fixed = FixedNumber()
        step, request = self.step, self.request
        base = Signal(signed(POSITION_BITS))
        factor = Signal(signed(POSITION_BITS))
        difference = Signal(signed(_REGISTER_BITS))
        self._take(m, self.position, step.vertex, step.axis)
        self._take(m, base, step.base, step.axis)
        of = Cat(Value.cast(step.of)[0] ^ (step.sorts & self.negative), Value.cast(step.of)[1])
        self._take(m, factor, of, Value.cast(step.along) ^ self.swapped)
        with m.Switch(step.float_of):
            for number, vertex in enumerate(request.vertices):
                with m.Case(number):
                    m.d.comb += fixed.value.eq(vertex.zs)
            with m.Default():
                m.d.comb += fixed.value.eq(request.state.size)
        lengths = self.position - base
        m.d.comb += [
            fixed.is_size.eq(step.float_of == Vertex.STATE),
            self.number.eq(fixed.o),
            difference.eq(Mux(step.twice, lengths << 1, lengths)),
            registers.write_address.eq(step.into),
            registers.write_enable.eq(self.stb & step.writes),
            registers.write_data.eq(Mux(step.fixed, fixed.o - Mux(step.relative, self.z, 0), difference)),
            *(registers.read_address[0].eq(self._place(step.a)), registers.read_address[1].eq(self._place(step.b))),
            self.a.eq(registers.read_data[0]),
            self.b.eq(Mux(step.positions, factor, registers.read_data[1][: POSITION_BITS + 1].as_signed())),
        ]
        with m.If(self.stb & step.keeps):
            m.d.sync += self.z.eq(fixed.o)
        return m

    def _place(self, register):
        """Of a register, whose pairs may be the other way round."""
        number = Value.cast(register)
        return Cat(number[0] ^ (self.swapped & number[_PAIRS]), number[1:])

    def _take(self, m, position, vertex, axis):
        """What a vertex has along an axis."""
        with m.Switch(vertex):
            for number, place in enumerate(self.request.vertices):
                with m.Case(number):
                    m.d.comb += position.eq(Mux(axis == Axis.Y, place.y, place.x))
            with m.Default():
                m.d.comb += position.eq(self.request.state.rht_boundary)
