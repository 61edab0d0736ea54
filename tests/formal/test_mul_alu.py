"""`MulAlu` against the QPU facts, sections 1.3, 2.1 and 3.4, operation by operation.

No solver finds out in time that a product is the sum of the products of halves. So the operations that multiply are
specified with such products, which Yosys merges with those of the ALU; that the specification multiplies is algebra.
"""

from collections.abc import Callable

import pytest
from amaranth import *
from amaranth.hdl import Assert, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from vc4.arith import mul_alu, mul_multiply, mul_sum
from vc4.isa.ops import MulOp

from .alu_proof import LATENCY, AluProof

pytestmark = pytest.mark.thorough


def words(value, width):
    return [value[start : start + width] for start in range(0, len(value), width)]


def by_bytes(function):
    return lambda a, b: (Cat(function(x, y)[:8] for x, y in zip(words(a, 8), words(b, 8), strict=True)), C(0))


def float_significand(value):
    return Mux(value[23:31] == 0, 0, Cat(value[:23], C(1, 1)))


def multiply(a, b):
    """The product of two numbers of 24 bits, from those of their lower 16 bits and of their upper 8 bits."""
    (a_low, a_high), (b_low, b_high) = ((value[:16], value[16:24]) for value in (a, b))
    return (a_low * b_low + ((a_low * b_high + a_high * b_low) << 16) + ((a_high * b_high) << 32))[:48]


def multiply_integers(a, b):
    product = multiply(a[:24], b[:24])
    return product[:32], product[32:].any()


def multiply_floats(a, b):
    product = multiply(Cat(a[:23], C(1, 1)), Cat(b[:23], C(1, 1)))
    exponents, negative = [x[23:31] for x in (a, b)], a[31] ^ b[31]
    zero = Cat(x == 0 for x in exponents).any()
    infinite = Cat(x == 255 for x in exponents).any()
    exponent = exponents[0] + exponents[1] - 127 + product[47]
    mantissa = Mux(product[47], product[24:47], product[23:46])
    infinity = Cat(C(0x7F80_0000, 31), negative)
    finite = Mux(exponent <= 0, 0, Mux(exponent >= 255, infinity, Cat(mantissa, exponent[:8], negative)))
    return Mux(zero, 0, Mux(infinite, infinity, finite)), C(0)


def is_byte_product(result, a, b):
    """`result` is a * b / 255, rounded to the nearest integer.

    With a * b = n it is (n + 127) // 255. The ALU has 257 * n, from which n is read.
    """
    scaled = a * Cat(b, b)
    n = Cat(scaled[:8], (scaled[8:16] - scaled[:8])[:8])
    known = scaled == Cat(n, C(0, 8)) + Cat(C(0, 8), n)
    below = Cat(C(0, 8), result) - result
    return ~known | ((below <= n + 127) & (n + 127 < below + 255))


def colour(value):
    """The float times 255, rounded to nearest with ties up, clamped; below 2^-10 it is 0."""
    places = (150 - value[23:31])[:6]
    scaled = float_significand(value) * 255
    rounded = ((scaled + (1 << (places - 1)[:6])) >> places)[:8]
    return Mux(value[31], 0, Mux(value[23:31] >= 127, 255, Mux(value[23:31] < 110, 0, rounded)))


def flags_of(negative, zero, result):
    """They are those of `result`."""
    return [
        Assert(negative == result[31], "negative is not the sign of the result"),
        Assert(zero == ~result.any(), "zero is not whether the result is"),
    ]


#: Result and carry of each operation that does not multiply.
SPECIFICATION: dict[MulOp, Callable] = {
    MulOp.V8MIN: by_bytes(lambda a, b: Mux(a < b, a, b)),
    MulOp.V8MAX: by_bytes(lambda a, b: Mux(a > b, a, b)),
    MulOp.V8ADDS: by_bytes(lambda a, b: Mux(a + b > 255, 255, a + b)),
    MulOp.V8SUBS: by_bytes(lambda a, b: Mux(a > b, a - b, 0)),
}
#: Result and carry of those that do, with the products of the ALU.
MULTIPLYING: dict[MulOp, Callable] = {MulOp.FMUL: multiply_floats, MulOp.MUL24: multiply_integers}


class MulAluProof(AluProof):
    """The result is as specified, its flags are its own, and after a nop it stays."""

    def _make(self):
        return mul_alu.MulAlu()

    def _specify(self, m, alu, checked, a, b):
        result, carry = SPECIFICATION[self._checked](a, b)
        m.d.comb += [
            Assert(~checked | (alu.a2_result == result), f"result of {self._checked.name}"),
            Assert(~checked | (alu.a2_carry == carry), f"carry of {self._checked.name}"),
            *flags_of(alu.a2_negative, alu.a2_zero, alu.a2_result),
        ]


class HoldProof(MulAluProof):
    """After a nop, the ALU shows the last result again."""

    def _specify(self, m, alu, checked, a, b):
        shown = Cat(alu.a2_result, alu.a2_negative, alu.a2_zero, alu.a2_carry)
        before = Signal.like(shown, name="shown_before")
        m.d.sync += before.eq(shown)
        m.d.comb += Assert(~checked | (shown == before), "the result is lost")


def before_the_last_clock(m, op, a, b):
    """All that the ALU does with an operation up to A1, without registers; what goes to A2."""
    m.submodules.prepare = prepare = mul_alu.MulPrepare()
    m.submodules.multiply = multiply = mul_alu.MulMultiply()
    m.submodules.sum = add = mul_alu.MulSum()
    m.d.comb += [
        *(prepare.op.eq(op), prepare.a.eq(a), prepare.b.eq(b)),
        *(multiply.i.eq(prepare.o), add.i.eq(multiply.o)),
    ]
    return add.o


class ProductProof(wiring.Component):
    """The parts of the ALU without the registers between them, and one operation only."""

    a: In(32)
    b: In(32)

    def __init__(self, op: MulOp):
        super().__init__()
        self._op = op

    def elaborate(self, platform):
        m = Module()
        total = before_the_last_clock(m, self._op, self.a, self.b)
        m.submodules.normalise = normalise = mul_alu.MulNormalise()
        result, carry = normalise.result, total.carry
        m.d.comb += [
            normalise.i.eq(total),
            Cover(result.any(), "a product that is not zero"),
            *flags_of(normalise.negative, normalise.zero, result),
        ]
        if self._op in MULTIPLYING:
            expected, expected_carry = MULTIPLYING[self._op](self.a, self.b)
            m.d.comb += [
                Assert(result == expected, f"result of {self._op.name}"),
                Assert(carry == expected_carry, f"carry of {self._op.name}"),
            ]
        else:
            for parts in zip(*(words(value, 8) for value in (result, self.a, self.b)), strict=True):
                m.d.comb += Assert(is_byte_product(*parts), f"result of {self._op.name}")
        return m


class ColourProof(wiring.Component):
    """Whatever is computed, its colour is that of the result, whose flags stay. No registers, either."""

    op: In(MulOp)
    a: In(32)
    b: In(32)

    def elaborate(self, platform):
        m = Module()
        total = before_the_last_clock(m, self.op, self.a, self.b)
        m.submodules.plain = plain = mul_alu.MulNormalise()
        m.submodules.coloured = coloured = mul_alu.MulNormalise()
        m.d.comb += [
            *(plain.i.eq(total), coloured.i.eq(total), coloured.colours.eq(1)),
            Assert(coloured.result == colour(plain.result).replicate(4), "the colour is not that of the result"),
            *flags_of(coloured.negative, coloured.zero, plain.result),
            Cover(coloured.result[:8] == 128, "a colour between the ends"),
        ]
        return m


@pytest.mark.parametrize(
    "op",
    [pytest.param(op, id=op.name) for op in SPECIFICATION],
)
def test_operation(prover, op):
    prover.holds(MulAluProof(op), depth=LATENCY + 1)


def test_hold(prover):
    prover.holds(HoldProof(MulOp.NOP), depth=LATENCY + 2)


def test_colour(prover):
    prover.holds(ColourProof(), depth=1)


@pytest.mark.parametrize("op", [MulOp.FMUL, MulOp.MUL24, MulOp.V8MULD], ids=lambda op: op.name)
def test_product(prover, op):
    prover.holds(ProductProof(op), depth=1)


@pytest.mark.parametrize(
    ("op", "module", "part", "old", "new"),
    [
        (MulOp.V8MIN, mul_multiply, "MulBytes", "carry ^ i.v8min", "carry"),
        (MulOp.V8ADDS, mul_multiply, "MulBytes", "Mux(carry, 0xFF, byte)", "byte"),
        (MulOp.FMUL, mul_alu, "MulNormalise", "i.significand[1:24]", "i.significand[:23]"),
        (MulOp.FMUL, mul_alu, "MulMultiply", "i.b[31]) & ~zero", "i.b[31])"),
        (MulOp.MUL24, mul_alu, "MulSum", "product[32:].any()", "product[33:].any()"),
    ],
    ids=["minimum", "saturation", "normalisation", "zero", "carry"],
)
def test_faults(prover, faulty, monkeypatch, op, module, part, old, new):
    monkeypatch.setattr(module, part, faulty(getattr(module, part), old, new))
    proof, clocks = (MulAluProof, LATENCY + 1) if op in SPECIFICATION else (ProductProof, 1)
    assert op.name in prover.refuted(proof(op), depth=clocks)


@pytest.mark.parametrize(
    ("module", "part", "old", "new", "why"),
    [
        (mul_sum, "MulColourTerms", "exponent[4:7].all()", "exponent[5:7].all()", "colour"),
        (mul_alu, "MulNormalise", "self.colours, full, places)", "self.colours, 0, places)", "colour"),
        (mul_alu, "MulNormalise", "i.scale.zero | ", "", "zero"),
        (mul_alu, "MulNormalise", "i.scale_carried.negative, i", "i.scale.negative, i", "negative"),
    ],
    ids=["too small", "too large", "zero", "negative"],
)
def test_colour_faults(prover, faulty, monkeypatch, module, part, old, new, why):
    monkeypatch.setattr(module, part, faulty(getattr(module, part), old, new))
    assert why in prover.refuted(ColourProof(), depth=1)
