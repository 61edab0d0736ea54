"""Packs against the model and against the measured values."""

import csv

import numpy as np
import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.pack import Pack, pack_keys
from vc4.isa.ops import FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, AddOp, MulOp
from vc4.isa.ops import Pack as Mode
from vc4sim.model.arith.alu import add_alu
from vc4sim.model.arith.pack import BYTE_ENABLES, pack
from vc4sim.model.elementwise import elementwise

SEED = 3
INPUTS = ("value", "mode", "is_float", "carry", "overflow")
OUTPUTS = ("written", "bytes")
HALVES = (Mode.HALF_A, Mode.HALF_B, Mode.HALF_A_SATURATE, Mode.HALF_B_SATURATE)
#: Where an integer stops to fit 8, 16 or 32 bits, with or without a sign.
BOUNDS = (0, 0x80, 0x100, 0x8000, 0x1_0000, 0x8000_0000, 0xFFFF_8000, 0xFFFF_0000)
#: Discarded bits of a float on its way to 16 bits: none, the least, below, at and above one half, all.
DISCARDED = (0, 1, 0x0FFF, 0x1000, 0x1001, 0x1FFF)


class PackedWord(wiring.Component):
    """A pack, and what it writes into a word of zeros."""

    value: In(32)
    mode: In(Mode)
    is_float: In(1)
    carry: In(1)
    overflow: In(1)
    written: Out(32)
    bytes: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pack = pack = Pack()
        m.d.comb += [
            pack.value.eq(self.value),
            *(pack.keys[name].eq(key) for name, key in pack_keys(self.mode, self.is_float)),
            *(pack.carry.eq(self.carry), pack.overflow.eq(self.overflow)),
            self.written.eq(pack.data & Cat(enable.replicate(8) for enable in pack.keys.bytes)),
            self.bytes.eq(pack.keys.bytes),
        ]
        return m


@pytest.fixture
def bench(compiled):
    return compiled(PackedWord, INPUTS, OUTPUTS, 0)


def mask(enables):
    return np.uint32(sum(0xFF << 8 * byte for byte in range(4) if enables >> byte & 1))


def check(bench, mode, value, is_float, carry, overflow):
    stimuli = dict(zip(INPUTS, (value, np.uint32(mode.value), np.uint32(is_float), carry, overflow), strict=True))
    data = elementwise(pack, value, mode.value, int(is_float), carry, overflow).astype(np.uint32)
    enables = BYTE_ENABLES[mode.value]
    expected = {"written": data & mask(enables), "bytes": np.uint32(enables)}
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, f"{mode.name}, seed {SEED}")


@pytest.mark.parametrize(
    ("count", "reach"),
    [
        (10_000, 0x400),
        pytest.param(100_000, 0x8000, marks=pytest.mark.thorough),
        pytest.param(1_000_000, 0x8000, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.name)
def test_integers(bench, mode, count, reach):
    """The values so far around every bound and random ones of every length, with all carries and overflows."""
    rng = np.random.default_rng(SEED)
    around = np.concatenate([np.arange(bound - reach, bound + reach) for bound in BOUNDS]).astype(np.uint32)
    value = rng.integers(0, 1 << 32, count, dtype=np.uint32) >> rng.integers(0, 32, count, dtype=np.uint32)
    value = np.concatenate([around, value, ~value])
    for overflow in (False, True):
        carry = rng.integers(0, 2, value.size).astype(bool)
        check(bench, mode, value, False, carry, np.full(value.size, overflow))


@pytest.mark.parametrize("mode", HALVES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.thorough)])
def test_floats_to_halves(bench, mode, step):
    """Every sign, exponent and kept mantissa, or every so many of them, with every class of discarded bits."""
    kept = np.arange(0, 1 << 32, step << 13, np.uint32)
    for discarded in DISCARDED:
        value = kept | np.uint32(discarded)
        check(bench, mode, value, True, np.zeros(value.size, bool), np.zeros(value.size, bool))


@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.name)
def test_floats(bench, mode):
    value = np.random.default_rng(SEED).integers(0, 1 << 32, 100_000, dtype=np.uint32)
    check(bench, mode, value, True, value % 2 == 1, np.zeros(value.size, bool))


def test_measured(bench, recorded):
    """What the hardware wrote for every operation and mode; carry and overflow are those of the model."""
    adds = {op.name.lower(): op for op in AddOp}
    muls = {op.name.lower(): op for op in MulOp}
    with (recorded / "vectors/hw/pack.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name.startswith("p")]
    cases = []
    for row in rows:
        name, a, b = row["op"], *(int(row[x] or "0", 16) for x in "ab")
        is_float = adds.get(name) in FLOAT_RESULT_ADD or muls.get(name) in FLOAT_RESULT_MUL
        carry = overflow = 0
        if name in adds and not is_float:
            _, carry, overflow = add_alu(adds[name].value, a, b)
        value = int(row["p0_32"], 16)
        cases += [(value, mode, is_float, carry, overflow, int(row[x], 16)) for mode, x in enumerate(columns)]
    *inputs, written = (np.array(column, np.uint32) for column in zip(*cases, strict=True))
    stimuli = dict(zip(INPUTS, inputs, strict=True))
    expected = {"written": written, "bytes": np.array(BYTE_ENABLES, np.uint32)[stimuli["mode"]]}
    report = bench.run(stimuli, expected)
    assert not report.mismatches, report.text(stimuli, expected, "measured")
