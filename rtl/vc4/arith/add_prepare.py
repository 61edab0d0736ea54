"""Clock RR of the add ALU: everything that only compares and selects, before a bit is moved."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

from .add_decode import AddDecode
from .add_order import AddOrder
from .add_records import AddOperands, Moved, Route, Still
from .add_shift import AddShift
from .bits import one_of
from .convert import significand

__all__ = ["AddPrepare"]


def _route(moved: Moved, still: Still):
    return Route.const({"moved": moved, "still": still})


_A, _B, _NOT_A, _BOTH = (_route(moved, Still.ZERO) for moved in (Moved.A, Moved.B, Moved.NOT_A, Moved.BOTH))
_A_TO_B, _B_TO_A = _route(Moved.A, Still.B), _route(Moved.B, Still.A)
_BOTH_TO_EITHER = _route(Moved.BOTH, Still.EITHER)

#: The routes of each operation without a swap and with one. An operation that is missing moves `a` alone.
_ROUTES = {
    AddOp.FADD: (_A_TO_B, _B_TO_A),
    AddOp.FSUB: (_A_TO_B, _B_TO_A),
    AddOp.FMIN: (_A, _B),
    AddOp.FMAX: (_B, _A),
    AddOp.FMINABS: (_A, _B),
    AddOp.FMAXABS: (_B, _A),
    AddOp.ADD: (_A_TO_B, _A_TO_B),
    AddOp.SUB: (_B_TO_A, _B_TO_A),
    AddOp.ASR: (_A, _NOT_A),
    AddOp.MIN: (_A, _B),
    AddOp.MAX: (_B, _A),
    AddOp.AND: (_BOTH, _BOTH),
    AddOp.OR: (_BOTH_TO_EITHER, _BOTH_TO_EITHER),
    AddOp.XOR: (_BOTH_TO_EITHER, _BOTH_TO_EITHER),  # its mask keeps nothing of the moved one
    AddOp.NOT: (_NOT_A, _NOT_A),
    AddOp.V8ADDS: (_A_TO_B, _A_TO_B),
    AddOp.V8SUBS: (_B_TO_A, _B_TO_A),
}
#: Operations whose carry is a > b.
_COMPARE = (AddOp.FMIN, AddOp.FMAX, AddOp.FMINABS, AddOp.FMAXABS, AddOp.MIN, AddOp.MAX)


class AddPrepare(wiring.Component):
    """Selects the operands of the add ALU and how they are moved; combinational.

    The operands of fadd, fsub and ftoi become significands in bits 23:0 with the hidden one, zero if they count as zero
    (denormal; for ftoi also below one, or infinite). A swap exchanges the roles of the operands: of a sum of floats if
    `a` is the larger one, of a minimum or maximum if a > b, of asr if `a` is negative.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    o : to A0
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    o: Out(AddOperands)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_order = order = AddOrder()
        m.submodules.add_shift = shift = AddShift()
        m.submodules.add_decode = decode = AddDecode()
        for part in (order, shift, decode):
            m.d.comb += [part.op.eq(self.op), part.a.eq(self.a), part.b.eq(self.b)]
        m.d.comb += [
            *(self.o.out_left.eq(shift.out_left), self.o.out_right.eq(shift.out_right)),
            *(self.o.invert.eq(decode.invert), self.o.negate.eq(decode.negate)),
            *(self.o.keep_all.eq(shift.keep_all), self.o.compare.eq(one_of(self.op, _COMPARE))),
            self.o.control.eq(decode.control),
        ]
        for move, rotation, exponent, negative in zip(
            (self.o.straight, self.o.swapped),
            (shift.straight, shift.swapped),
            decode.exponent_if,
            decode.negative_if,
            strict=True,
        ):
            m.d.comb += [move.rotation.eq(rotation), move.exponent.eq(exponent), move.negative.eq(negative)]

        # Kept, so that what the carry chain says comes last: Yosys takes it to be there as early as all else.
        swap_if = Signal(2, attrs={"keep": 1})
        with m.Switch(self.op):
            with m.Case(AddOp.FADD, AddOp.FSUB):
                m.d.comb += swap_if.eq(Cat(0, 1))
            with m.Case(AddOp.ASR):
                m.d.comb += swap_if.eq(self.a[31].replicate(2))
            with m.Default():
                m.d.comb += swap_if.eq(order.greater_if)
        m.d.comb += self.o.swap.eq(Mux(order.a_larger, swap_if[1], swap_if[0]))
        with m.Switch(self.op):
            for op, (straight, swapped) in _ROUTES.items():
                with m.Case(op):
                    m.d.comb += [self.o.straight.route.eq(straight), self.o.swapped.route.eq(swapped)]

        absolute = one_of(self.op, (AddOp.FMINABS, AddOp.FMAXABS))
        sums, ftoi = one_of(self.op, (AddOp.FADD, AddOp.FSUB)), self.op == AddOp.FTOI
        for source, operand in ((self.a, self.o.a), (self.b, self.o.b)):
            exponent = source[23:31]
            below_one = ~(exponent[7] | exponent[:7].all())
            zero = (sums & ~exponent.any()) | (ftoi & (below_one | exponent.all()))
            word = Mux(sums | ftoi, significand(source), Cat(source[:31], source[31] & ~absolute))
            # The zero comes last: so it is a reset of the register after it, which is no LUT.
            m.d.comb += operand.eq(Mux(zero, 0, word))
        return m
