"""`Pack` and `Unpack` against the QPU facts, sections 3.1 and 3.3, in all modes at once."""

from fractions import Fraction

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from vc4.arith import convert, pack, unpack
from vc4.isa.ops import Pack as PackMode
from vc4.isa.ops import Unpack as UnpackMode

pytestmark = pytest.mark.thorough

WORD, HALF, BYTE = 32, 16, 8
#: Widths of what the modes write, by the lower three bits of the mode, and the place of its lowest bit if it is only one.
NARROW = {0: (WORD, 0), 1: (HALF, 0), 2: (HALF, 16), 3: (BYTE, None), **{4 + n: (BYTE, 8 * n) for n in range(4)}}


def float_to_half(value):
    """Away from zero; infinities and what is too large are infinite, what is too small is +0."""
    exponent, mantissa = value[23:31], value[:23]
    half = ((exponent - 112) << 10) + mantissa[13:] + mantissa[:13].any()
    magnitude = Mux((exponent == 255) | (half > 0x7C00), 0x7C00, half)[:15]
    return Mux(half < 0x400, 0, Cat(magnitude, value[31]))


def half_to_float(half):
    """Exact; a denormal keeps its mantissa and stays one."""
    mantissa, exponent, sign = half[:10], half[10:15], half[15]
    widened = Mux(exponent == 0, 0, Mux(exponent == 31, 255, exponent + 112))
    return Cat(C(0, 13), mantissa, widened[:8], sign)


def byte_to_float(byte: int) -> int:
    """A byte of 1/255 as a float, truncated."""
    if byte == 0:
        return 0
    exponent, value = 127, Fraction(byte, 255)
    while value < 1:
        exponent, value = exponent - 1, 2 * value
    return exponent << 23 | int((value - 1) * 2**23)


def narrow_integer(value, width, saturates, carry, overflow):
    """The low bits, or clamped; after an overflow the bound that the carry chooses, and-ed with what is clamped."""
    lowest, highest = (0, 0xFF) if width == BYTE else (-1 << width - 1, (1 << width - 1) - 1)
    bound = Mux(carry, lowest, highest)[:width]
    if not saturates or width == WORD:
        return Mux(overflow, bound, value[:width])
    number = value.as_signed()
    below, above = number < lowest, number > highest
    clamped = Mux(below, lowest, Mux(above, highest, number))[:width]
    return Mux(overflow, Mux(below | above, clamped, C(-1, width)) & bound, clamped)


class PackProof(wiring.Component):
    """Any result in any mode; only operations on integers overflow."""

    value: In(32)
    mode: In(PackMode)
    is_float: In(1)
    carry: In(1)
    overflow: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pack = dut = pack.Pack()
        m.d.comb += [
            dut.value.eq(self.value),
            *(dut.keys[name].eq(key) for name, key in pack.pack_keys(self.mode, self.is_float)),
            *(dut.carry.eq(self.carry), dut.overflow.eq(self.overflow)),
            Assume(~(self.is_float & self.overflow)),
        ]
        for mode in PackMode:
            width, place = NARROW[mode.value % 8]
            narrow = self._narrow(mode, width)
            selected = self.mode == mode
            if place is None:
                bytes_written, expected, written = 0b1111, narrow.replicate(4), dut.data
            else:
                bytes_written, expected = (1 << width // 8) - 1 << place // 8, narrow
                written = dut.data[place : place + width]
            m.d.comb += [
                Assert(~selected | (dut.keys.bytes == bytes_written), f"bytes that {mode.name} writes"),
                Assert(~selected | (written == expected), f"value that {mode.name} writes"),
                Cover(selected & self.overflow & (written != 0), f"an overflow in {mode.name}"),
            ]
        return m

    def _narrow(self, mode, width):
        if mode is PackMode.NONE:
            return self.value
        integer = narrow_integer(self.value, width, mode.value >= 8, self.carry, self.overflow)
        return Mux(self.is_float, float_to_half(self.value), integer)[:16] if width == HALF else integer[:width]


class UnpackProof(wiring.Component):
    """Any word in any mode."""

    value: In(32)
    mode: In(UnpackMode)
    is_float: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.unpack = dut = unpack.Unpack()
        m.d.comb += dut.value.eq(self.value)
        m.d.comb += [dut.keys[name].eq(key) for name, key in unpack.unpack_keys(self.mode, self.is_float)]
        for mode in UnpackMode:
            selected = self.mode == mode
            m.d.comb += [
                Assert(~selected | (dut.result == self._expected(mode)[:32]), f"{mode.name}"),
                Cover(selected & self.is_float & dut.result.any(), f"a float of {mode.name}"),
            ]
        return m

    def _expected(self, mode):
        value = self.value
        if mode is UnpackMode.NONE:
            return value
        if mode is UnpackMode.BYTE_D_REPLICATED:
            return value[24:].replicate(4)
        if mode in (UnpackMode.HALF_A, UnpackMode.HALF_B):
            half = value[16:] if mode is UnpackMode.HALF_B else value[:16]
            return Mux(self.is_float, half_to_float(half), half.as_signed())
        byte = value.word_select(mode.value - UnpackMode.BYTE_A.value, 8)
        return Mux(self.is_float, Array(C(byte_to_float(number), 32) for number in range(256))[byte], byte)


def test_pack(prover):
    prover.holds(PackProof(), depth=1)


def test_unpack(prover):
    prover.holds(UnpackProof(), depth=1)


@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        ("Pack", "~negative & ~(bound & carry)", "~negative", "value"),
        ("Pack", "value[8:15].any()", "value[9:15].any()", "BYTE"),
        ("Pack", "~value[15:31].all()", "~value[16:31].all()", "HALF"),
        ("pack_keys", "whole |", "", "bytes"),
        ("pack_keys", "mode != Mode.NONE", "half | byte", "SATURATE"),
    ],
    ids=["overflow", "byte-bound", "half-bound", "bytes", "saturate"],
)
def test_faults_of_pack(prover, faulty, monkeypatch, part, old, new, said):
    monkeypatch.setattr(pack, part, faulty(getattr(pack, part), old, new))
    assert said in prover.refuted(PackProof(), depth=1)


@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        ("Unpack", "half.as_signed()", "half", "HALF"),
        ("byte_to_float", "high.any() & ~every", "high.any()", "BYTE"),
        ("half_to_float", "exponent.all() |", "", "HALF"),
    ],
    ids=["sign", "one", "infinity"],
)
def test_faults_of_unpack(prover, faulty, monkeypatch, part, old, new, said):
    monkeypatch.setattr(unpack, part, faulty(getattr(unpack, part), old, new))
    assert said in prover.refuted(UnpackProof(), depth=1)


@pytest.mark.parametrize(
    ("old", "new"),
    [("high.any() | low.all() |", "high.any() |"), ("low == 14", "low == 13"), ("(low.any() | carries)", "low.any()")],
    ids=["infinity", "overflow", "denormal"],
)
def test_faults_of_halves(prover, faulty, monkeypatch, old, new):
    monkeypatch.setattr(pack, "float_to_half", faulty(convert.float_to_half, old, new))
    assert "HALF" in prover.refuted(PackProof(), depth=1)
