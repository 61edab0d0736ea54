"""`AddAlu` against the QPU facts, sections 1.1, 1.2 and 2.1, operation by operation."""

from collections.abc import Callable

import pytest
from amaranth import *
from amaranth.hdl import Assert

from vc4.arith import add_alu, add_prepare
from vc4.isa.ops import ADD_OPERANDS, AddOp

from .alu_proof import LATENCY, AluProof

pytestmark = pytest.mark.thorough


def words(value, width):
    return [value[start : start + width] for start in range(0, len(value), width)]


def count_zeros(value):
    """Zeros above the highest one: the last assignment of a sequence wins, so the highest one decides."""
    zeros = Const(len(value), 6)
    for bit in range(len(value)):
        zeros = Mux(value[bit], len(value) - 1 - bit, zeros)
    return zeros


def add(a, b):
    total = a + b
    return total[:32], total[32], (a[31] == b[31]) & (total[31] != a[31])


def sub(a, b):
    difference = (a - b)[:32]
    return difference, a < b, (a[31] != b[31]) & (difference[31] != a[31])


def last_out(a, count):
    """The last bit that went out at the bottom; none for a count of 0."""
    return (count != 0) & (a >> (count - 1)[:5])[0]


def shift_left(a, b):
    wide = Cat(a, C(0, 32)) << b[:5]
    return wide[:32], wide[32]


def order(value):
    """Floats by sign and magnitude, as a number."""
    return Mux(value[31], -value[:31], value[:31])


def select(key, want_greater):
    """A minimum or a maximum: on a tie the minimum is the first operand and the maximum the second."""

    def choose(a, b):
        greater = key(a) > key(b)
        return (Mux(greater, a, b) if want_greater else Mux(greater, b, a)), greater

    return choose


def of_magnitudes(function):
    return lambda a, b: function(Cat(a[:31], C(0, 1)), Cat(b[:31], C(0, 1)))


def by_bytes(function):
    return lambda a, b: [Cat(function(x, y)[:8] for x, y in zip(words(a, 8), words(b, 8), strict=True))]


def greater_than_zero(result):
    return result, (result != 0) & ~result[31]


def float_significand(value):
    return Mux(value[23:31] == 0, 0, Cat(value[:23], C(1, 1)))


def float_to_integer(a, _b):
    """The significand, shifted left by 31 at the most and cut to 32 bits, with the sign; infinities are 0."""
    exponent, significand = a[23:31], float_significand(a)
    left = Mux(exponent > 150 + 31, 31, exponent - 150)[:5]
    right = (150 - exponent)[:8]
    magnitude = Mux(exponent >= 150, (significand << left)[:32], significand >> right)
    return [Mux(exponent == 255, 0, Mux(a[31], -magnitude, magnitude))[:32]]


def integer_to_float(a, _b):
    """Sign and magnitude, truncated to 24 bits."""
    magnitude = Mux(a[31], -a, a)[:32]
    zeros = count_zeros(magnitude)
    normalised = (magnitude << zeros)[:32]
    return greater_than_zero(Mux(a == 0, 0, Cat(normalised[8:31], (127 + 31 - zeros)[:8], a[31])))


def as_integer(value):
    return value.as_signed()


#: Result of each operation, then carry and overflow if they are not 0.
SPECIFICATION: dict[AddOp, Callable] = {
    AddOp.FMIN: select(order, want_greater=False),
    AddOp.FMAX: select(order, want_greater=True),
    AddOp.FMINABS: of_magnitudes(select(order, want_greater=False)),
    AddOp.FMAXABS: of_magnitudes(select(order, want_greater=True)),
    AddOp.FTOI: float_to_integer,
    AddOp.ITOF: integer_to_float,
    AddOp.ADD: add,
    AddOp.SUB: sub,
    AddOp.SHR: lambda a, b: (a >> b[:5], last_out(a, b[:5])),
    AddOp.ASR: lambda a, b: ((a.as_signed() >> b[:5])[:32], last_out(a, b[:5])),
    AddOp.ROR: lambda a, b: [(Cat(a, a) >> b[:5])[:32]],
    AddOp.SHL: shift_left,
    AddOp.MIN: select(as_integer, want_greater=False),
    AddOp.MAX: select(as_integer, want_greater=True),
    AddOp.AND: lambda a, b: [a & b],
    AddOp.OR: lambda a, b: [a | b],
    AddOp.XOR: lambda a, b: [a ^ b],
    AddOp.NOT: lambda a, b: [~a],
    AddOp.CLZ: lambda a, b: [count_zeros(a)],
    AddOp.V8ADDS: by_bytes(lambda a, b: Mux(a + b > 255, 255, a + b)),
    AddOp.V8SUBS: by_bytes(lambda a, b: Mux(a > b, a - b, 0)),
}


class AddAluProof(AluProof):
    def _make(self):
        return add_alu.AddAlu()

    def _specify(self, m, alu, checked, a, b):
        result, carry, overflow = (*SPECIFICATION[self._checked](a, b), C(0), C(0))[:3]
        positive = ~alu.a2_result[31] & alu.a2_result.any()
        flag = alu.a2_carry | (alu.a2_carry_if_positive & positive)
        m.d.comb += [
            Assert(~checked | (alu.a2_result == result), f"result of {self._checked.name}"),
            Assert(~checked | (flag == carry), f"carry of {self._checked.name}"),
            Assert(~checked | (alu.a2_overflow == overflow), f"overflow of {self._checked.name}"),
        ]


class HoldProof(AddAluProof):
    """After a nop or a reserved code, the ALU shows the last result again."""

    def _specify(self, m, alu, checked, a, b):
        shown = Cat(alu.a2_result, alu.a2_carry, alu.a2_overflow, alu.a2_carry_if_positive)
        before = Signal.like(shown, name="shown_before")
        m.d.sync += before.eq(shown)
        m.d.comb += Assert(~checked | (shown == before), "the result is lost")


@pytest.mark.parametrize("op", [pytest.param(op, id=op.name) for op in SPECIFICATION])
def test_operation(prover, op):
    prover.holds(AddAluProof(op), depth=LATENCY + 1)


@pytest.mark.parametrize("op", [AddOp.NOP, AddOp.RESERVED_29], ids=lambda op: op.name)
def test_hold(prover, op):
    assert ADD_OPERANDS[op] == 0
    prover.holds(HoldProof(op), depth=LATENCY + 2)


@pytest.mark.parametrize(
    ("op", "module", "part", "old", "new", "said"),
    [
        (AddOp.ADD, add_alu, "AddSum", "moved[31] == i.still[31]", "i.moved[31]", "overflow"),
        (AddOp.SUB, add_alu, "AddSum", "carries[3] ^ control.subtract", "carries[3]", "carry"),
        (AddOp.V8SUBS, add_alu, "AddSum", ".replicate(4) & ~carries", ".replicate(3) & ~carries", "result"),
        (AddOp.V8ADDS, add_alu, "AddSum", "(control.normalise & none)", "none", "result"),
        (AddOp.ITOF, add_alu, "AddSum", "by_16 = filled[3] |", "by_16 =", "result"),
        (AddOp.CLZ, add_alu, "AddNormalise", "i.count, zeros,", "i.count, zeros[:-1],", "result"),
        (AddOp.ITOF, add_alu, "AddNormalise", "i.zero |", "", "result"),
        (AddOp.FTOI, add_prepare, "AddShift", "_WHOLE + 32", "_WHOLE + 33", "result"),
        (
            AddOp.SHR,
            add_prepare,
            "AddShift",
            "(AddOp.SHR, AddOp.ASR)) & count.any()",
            "(AddOp.SHR, AddOp.ASR))",
            "carry",
        ),
        (AddOp.ASR, add_alu, "AddAlign", "(rotated[31] ^ i.invert)", "rotated[31]", "carry"),
        (AddOp.FMAX, add_prepare, "AddOrder", "or_equal.eq(a_negative)", "or_equal.eq(0)", "carry"),
        (AddOp.MIN, add_prepare, "AddOrder", "b_negative | ~a_negative", "~a_negative", "result"),
    ],
    ids=[
        "overflow",
        "borrow",
        "bytes",
        "saturated",
        "turned",
        "zeros",
        "zero",
        "range",
        "no-shift",
        "sign",
        "equal",
        "signs",
    ],
)
def test_faults(prover, faulty, monkeypatch, op, module, part, old, new, said):
    monkeypatch.setattr(module, part, faulty(getattr(module, part), old, new))
    assert said in prover.refuted(AddAluProof(op), depth=LATENCY + 1)
