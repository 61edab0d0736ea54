"""Flags of the sixteen elements and the conditions over them."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.isa.ops import BranchCondition, Condition
from vc4.isa.registers import QUADS

from .structs import LANES

__all__ = ["Flags", "QuadFlags", "passing"]


class QuadFlags(data.Struct):
    """The flags of one quad, one bit a lane."""

    n: unsigned(LANES)
    z: unsigned(LANES)
    c: unsigned(LANES)


def passing(condition, flags):
    """The lanes of a quad in which `condition` holds (guide, table 2)."""
    code = Value.cast(condition)
    flag = Mux(code[2], Mux(code[1], flags.c, flags.n), flags.z)
    chosen = flag ^ code[0].replicate(LANES)
    return Mux(code[1:] == 0, code[0].replicate(LANES), chosen)


assert [c.value for c in (Condition.NEVER, Condition.ALWAYS, Condition.ZS, Condition.NS, Condition.CS)] == [
    0,
    1,
    2,
    4,
    6,
]


class Flags(wiring.Component):
    """N, Z and C of all elements (QPU facts, section 2).

    WB writes one quad a clock; A1 reads one quad a clock, as it stands after the instruction before, and finds the lanes in which the
    conditions hold. A branch is decided over all elements in the clock in which WB writes the last quad of the instruction before.

    Interface attributes
    --------------------
    wb_quad, wb_mask, wb_flags : the quad, the lanes and the values that WB writes
    a1_quad, a1_add, a1_mul : the quad in A1, and the conditions of both ALUs
    a2_add, a2_mul : the lanes of it in which these hold, a clock later
    branch_condition, branch_holds : condition of a branch in A2
    """

    wb_quad: In(range(QUADS))
    wb_mask: In(LANES)
    wb_flags: In(QuadFlags)
    a1_quad: In(range(QUADS))
    a1_add: In(Condition)
    a1_mul: In(Condition)
    a2_add: Out(LANES)
    a2_mul: Out(LANES)
    branch_condition: In(BranchCondition)
    branch_holds: Out(1)

    def elaborate(self, platform):
        m = Module()
        held = Signal(data.ArrayLayout(QuadFlags, QUADS))
        for quad in range(QUADS):
            for name in ("n", "z", "c"):
                old, new = held[quad][name], self.wb_flags[name]
                with m.If(self.wb_quad == quad):
                    m.d.sync += held[quad][name].eq((old & ~self.wb_mask) | (new & self.wb_mask))
        a1_flags = Signal(QuadFlags)
        m.d.comb += Value.cast(a1_flags).eq(select(self.a1_quad, [Value.cast(held[quad]) for quad in range(QUADS)]))
        m.d.sync += [
            self.a2_add.eq(passing(self.a1_add, a1_flags)),
            self.a2_mul.eq(passing(self.a1_mul, a1_flags)),
        ]

        code = Value.cast(self.branch_condition)

        def looked_at(flags):
            return Mux(code[3], flags.c, Mux(code[2], flags.n, flags.z)) ^ code[0].replicate(LANES)

        # What WB writes is known late: it is merged last.
        seen = [looked_at(held[quad]) for quad in range(QUADS)]
        seen[-1] = (seen[-1] & ~self.wb_mask) | (looked_at(self.wb_flags) & self.wb_mask)
        flag = Cat(seen)
        with m.If(code[2:] == 0b11):
            m.d.comb += self.branch_holds.eq(self.branch_condition == BranchCondition.ALWAYS)
        with m.Else():
            m.d.comb += self.branch_holds.eq(Mux(code[1], flag.any(), flag.all()))
        return m
