"""What the proofs of both ALUs have in common."""

from abc import abstractmethod
from enum import Enum

from amaranth import *
from amaranth.hdl import Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

__all__ = ["LATENCY", "AluProof"]

#: Clocks from the operands in RR to the result in A2.
LATENCY = 3


class AluProof(wiring.Component):
    """Any operations follow each other; whenever `checked` entered, its result comes three clocks later."""

    def __init__(self, checked: Enum):
        super().__init__({"op": In(type(checked)), "a": In(32), "b": In(32)})
        self._checked = checked

    @abstractmethod
    def _make(self):
        """The ALU."""

    @abstractmethod
    def _specify(self, m, alu, checked, a, b):
        """What comes out if the operation that is checked entered with `a` and `b`."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.alu = alu = self._make()
        m.d.comb += [alu.rr_op.eq(self.op), alu.rr_a.eq(self.a), alu.rr_b.eq(self.b)]
        checked, a, b = self.op == self._checked, self.a, self.b
        for age in range(1, LATENCY + 1):
            entered = {"checked": checked, "a": a, "b": b}
            before = [Signal.like(value, name=f"{name}_{age}") for name, value in entered.items()]
            m.d.sync += Cat(before).eq(Cat(checked, a, b))
            checked, a, b = before
        self._specify(m, alu, checked, a, b)
        m.d.comb += Cover(checked & alu.a2_result.any(), "a result that is not zero")
        return m
