"""The floats of the level of detail against those of the QPU in the model."""

import random

import numpy as np
import pytest

from vc4.tmu.float_distance import FloatDistance
from vc4.tmu.float_scale import FloatScale
from vc4.tmu.float_square import FloatSquare
from vc4.tmu.float_sum import FloatSum
from vc4sim.model.arith.float import fadd, fmul, itof
from vc4sim.random_pairs.operands import CORNERS, random_pairs

from .conftest import stream

_SIGN = 1 << 31
_VALUE = ~_SIGN & 0xFFFF_FFFF


def pairs(seed, count=3000):
    """Random pairs of all kinds, and each corner with every other one."""
    drawn = random_pairs(np.random.default_rng(seed), count)
    corners = np.meshgrid(CORNERS, CORNERS)
    both = [np.concatenate([one.ravel(), corner.ravel()]).tolist() for one, corner in zip(drawn, corners, strict=True)]
    return list(zip(*both, strict=True))


@pytest.mark.thorough
def test_distances(simulate):
    items = [{"a": a, "b": b} for a, b in pairs(1)]
    dut = FloatDistance()
    for item, one in zip(items, stream(simulate, dut, items, FloatDistance.LATENCY, dut.o), strict=True):
        assert one == fadd(item["a"], item["b"] ^ _SIGN) & _VALUE, item


def test_sums(simulate):
    items = [{"a": a & _VALUE, "b": b & _VALUE} for a, b in pairs(2)]
    dut = FloatSum()
    for item, one in zip(items, stream(simulate, dut, items, FloatSum.LATENCY, dut.o), strict=True):
        assert one == fadd(item["a"], item["b"]), item


def test_squares(simulate):
    items = [{"value": a & _VALUE} for a, _ in pairs(3)]
    dut = FloatSquare()
    for item, one in zip(items, stream(simulate, dut, items, FloatSquare.LATENCY, dut.o), strict=True):
        assert one == fmul(item["value"], item["value"]), item


def test_scales(simulate):
    """Numbers of texels, and halves of them."""
    rng = random.Random(4)
    items, factors = [], []
    for value, _ in pairs(4):
        texels, halved = rng.choice((rng.randrange(1, 2049), 1, 2, 3, 2048)), rng.getrandbits(1)
        top = texels.bit_length() - 1
        items.append({"value": value & _VALUE, "significand": texels << 11 - top, "exponent": top - halved})
        factors.append(itof(texels) - (halved << 23))
    dut = FloatScale(12)
    got = stream(simulate, dut, items, FloatScale.LATENCY, dut.o)
    for item, factor, one in zip(items, factors, got, strict=True):
        assert one == fmul(item["value"], factor), item
