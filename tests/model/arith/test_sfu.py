"""The special function unit of the model against digests and values of the SFU facts, bit for bit."""

from hashlib import sha256

import numpy as np
import pytest

from vc4.isa.registers import WRITE
from vc4.isa.sfu_tables import COEFFICIENTS, PARABOLA, SEGMENTS, STEPS, SfuFunction, ideal
from vc4sim.model.arith.sfu import interpolate, special
from vc4sim.model.elementwise import elementwise

RECIP, RECIPSQRT, EXP, LOG = SfuFunction
#: Names of the functions in the SFU facts.
SHEET = {"recip": RECIP, "rsqrt": RECIPSQRT, "log2": LOG, "exp2": EXP}
NUMBERS = np.arange(SEGMENTS * STEPS, dtype=np.uint32)
FRACTIONS = (NUMBERS.astype(np.float32) / np.float32(NUMBERS.size)).view(np.uint32)
HALVES = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)

# Section 4: function, inputs, first digits of the SHA-256 of the results.
SWEEPS = {
    "recip from 1": (RECIP, 0x3F80_0000 + (NUMBERS << 8), "9b2b2ff34c4861dfbc7254bc239e6b8a"),
    "recipsqrt from 1": (RECIPSQRT, 0x3F80_0000 + (NUMBERS << 9), "7ed443d2534d6988adc0b5fb5f476b11"),
    "log from 1": (LOG, 0x3F80_0000 + (NUMBERS << 8), "c8da6bb034bc5771c0562b8aee0f7d3e"),
    "log from 1/2": (LOG, 0x3F00_0000 + (NUMBERS << 8), "716d791539e07b46a6012090cf848aac"),
    "exp from 0": (EXP, FRACTIONS, "41b08bbf9d94054a6c871f7edf697605"),
    "exp down from 0": (EXP, FRACTIONS | np.uint32(0x8000_0000), "17ab9f73b0381b8379178b4418bea1ea"),
    "recip of upper halves": (RECIP, HALVES, "af4baaabc459ab25969e118fb970f3fb"),
    "recipsqrt of upper halves": (RECIPSQRT, HALVES, "a6be3e3c3c148db1ad90e4f2bfdb206e"),
    "log of upper halves": (LOG, HALVES, "b6fed66e44cd8f9dbb17e71ea80ca4aa"),
    "exp of upper halves": (EXP, HALVES, "81aa9dc68d03504c841fd3c11ec3a096"),
}
# Section 4: c0, c1 and c2 of all segments.
TABLES = {
    RECIP: "c5ab118d07abb943015c99d8f4edc77a",
    RECIPSQRT: "7d61e21cffe2e15c0a93d1ab4e210828",
    LOG: "5031fe6797756dc9b7c7bf3355557761",
    EXP: "207b05af39ab64b34c6726d3dd3fb0be",
}
# Section 4: fifteen bits of every argument.
VALUES = {
    RECIP: "4ab0c5a44c6738856318a6357b4ab1d5",
    RECIPSQRT: "c1584f7e6e7bbfc8694ab99dc12b9215",
    LOG: "63c86276d15b4f5108dbce7134ebada7",
    EXP: "d18f3afc618bdfda722f1ef33cf45735",
}


def digest(values, kind):
    """The first half of the SHA-256 of little-endian words."""
    return sha256(np.asarray(values).astype(kind).tobytes()).hexdigest()[:32]


def by_name(function):
    return function.name.lower()


def test_a_function_is_the_low_bits_of_its_address():
    for address, (register, _) in WRITE.items():
        if register.unit == "sfu":
            assert by_name(SfuFunction(address % 4)) == register.name


def test_parabola():
    assert digest(PARABOLA, "u1") == "66c1976e0c9c74c36319137dd4e1a709"


@pytest.mark.parametrize("function", SfuFunction, ids=by_name)
class TestTable:
    def test_coefficients(self, function):
        rows = COEFFICIENTS[function]
        words = [getattr(row, name) for name in ("c0", "c1", "c2") for row in rows]
        assert digest(words, "<u2") == TABLES[function]

    def test_widths(self, function):
        for row in COEFFICIENTS[function]:
            assert 0 <= row.c0 < 1 << 15
            assert 0 <= row.c1 < 1 << 12
            assert 0 <= row.c2 < 1 << 6

    def test_values(self, function):
        values = elementwise(interpolate, function.value, NUMBERS)
        assert digest(values, "<u2") == VALUES[function]

    def test_no_segment_is_much_too_low(self, function):
        """Why one slope is trimmed: with that no mean error is below -3/4, without it one is."""
        errors = elementwise(interpolate, function.value, NUMBERS) - [ideal(function, n / STEPS) for n in NUMBERS]
        means = errors.reshape(SEGMENTS, STEPS).mean(axis=1)
        assert means.min() > -0.75
        if function is RECIPSQRT:
            x = np.arange(STEPS)
            slope = COEFFICIENTS[function][0].c1
            means[0] -= np.mean(((slope + 1) * x >> 11) - (slope * x >> 11))
            assert (means < -0.75).tolist() == [True] + [False] * (SEGMENTS - 1)


def by_table(function, words):
    """Results with that of the table for 1 / 1, in place of the exact one that is chosen."""
    is_one = (function is RECIP) & (words & np.uint32(0x7FFF_FFFF) == 0x3F80_0000)
    found = elementwise(special, function.value, words)
    return np.where(is_one, words & np.uint32(0x8000_0000) | np.uint32(0x3F7F_FC00), found)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_sweeps(sweep):
    function, words, expected = SWEEPS[sweep]
    assert digest(by_table(function, words), "<u4") == expected


@pytest.mark.parametrize(
    ("function", "word", "expected"),
    [
        (RECIP, 0x3F80_0001, 0x3F7F_FC00),
        (RECIP, 0x8000_0000, 0xFF80_0000),
        (RECIP, 0x807F_FFFF, 0xFF80_0000),
        (RECIP, 0x7E7F_FFFF, 0x0080_0100),
        (RECIP, 0xFE80_0000, 0x8000_0000),
        (RECIP, 0xFFC0_0000, 0x8000_0000),
        (RECIPSQRT, 0xC080_0000, 0x3EFF_FB00),
        (RECIPSQRT, 0x8000_0001, 0x7F80_0000),
        (RECIPSQRT, 0xFF80_0000, 0x0000_0000),
        (EXP, 0x8000_0000, 0x3F80_0100),
        (EXP, 0x37FF_FFFF, 0x3F80_0100),
        (EXP, 0xB7FF_FFFF, 0x3F7F_FE00),
        (EXP, 0x42FF_FFFF, 0x7F7F_FE00),
        (EXP, 0x4300_0000, 0x7F80_0000),
        (RECIP, 0x3F80_0000, 0x3F80_0000),
        (RECIP, 0xBF80_0000, 0xBF80_0000),
        (EXP, 0xC2FB_FFFF, 0x0080_0100),
        (EXP, 0xC2FC_0000, 0x0000_0000),
        (EXP, 0x7FC0_0000, 0x7F80_0000),
        (EXP, 0xFFC0_0000, 0x0000_0000),
        (LOG, 0xBF80_0000, 0x0000_0000),
        (LOG, 0x3F80_00FF, 0x0000_0000),
        (LOG, 0x3F80_0100, 0x3800_0000),
        (LOG, 0x3F7F_FF80, 0xB840_0000),
        (LOG, 0x8000_0001, 0xFF80_0000),
        (LOG, 0xFFC0_0000, 0x7F80_0000),
    ],
)
def test_edges(function, word, expected):
    assert special(function.value, word) == expected


def test_low_bits_are_cut_off():
    """As many as the argument of the table has no room for, and none of exp below 1/2 that it has."""
    for function, bits in ((RECIP, 8), (RECIPSQRT, 9), (LOG, 8)):
        words = 0x3F80_0000 + (NUMBERS << bits)
        found = elementwise(special, function.value, words | np.uint32((1 << bits) - 1))
        assert (by_table(function, words) == found).all()
    words = np.arange(0x3800_0000, 0x3F00_0000, 0x8000, dtype=np.uint32)
    integer = np.floor(words.view(np.float32).astype(np.float64) * (1 << 15)).astype(np.int64)
    assert (
        elementwise(special, EXP.value, words) == 127 << 23 | elementwise(interpolate, EXP.value, integer) << 8
    ).all()


def test_all_values_of_the_sheet(recorded):
    rows = [line.split("\t") for line in (recorded / "documents/sfu.tsv").read_text().splitlines()]
    assert len(rows) == 204
    wrong = [row for row in rows if int(by_table(SHEET[row[0]], np.uint32(int(row[1], 16)))) != int(row[2], 16)]
    assert not wrong
