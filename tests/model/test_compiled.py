"""Kernels do the same compiled, and interpreted."""

import random
from typing import NamedTuple

import numpy as np
import pytest

from vc4.config import PRESETS
from vc4sim.model.compiled import Buffers, Entry, State, forced, is_available, kernel
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D
from vc4sim.workload import example_names, load_example

MODES = ["interpreted", pytest.param("compiled", marks=pytest.mark.skipif(not is_available(), reason="no Numba"))]
_TABLE = (2, 3, 5, 7, 11, 13)


class Inner(NamedTuple):
    words: np.ndarray
    bytes: np.ndarray


class Outer(NamedTuple):
    inner: Inner
    total: np.ndarray


@kernel
def _weight(word: int) -> int:
    return word.bit_length() * _TABLE[word % len(_TABLE)] - (word >> 2)


@kernel
def _sum(state: Outer, numbers: np.ndarray, count: int) -> int:
    for index in range(count):
        state.inner.words[index % 2, index % 3] += _weight(numbers[index])
        state.inner.bytes[index % 4] = numbers[index] & 255
        state.total[0] += state.inner.words[index % 2, index % 3]
    return -(state.total[0] // 3)


@pytest.mark.parametrize("mode", MODES)
def test_numbers_of_all_kinds(mode):
    rng, count = random.Random(1), 50
    numbers = [rng.getrandbits(rng.randrange(1, 40)) for _ in range(count)]
    given = Outer(Inner(np.zeros((2, 3), np.int64), np.zeros(4, np.uint8)), np.zeros(1, np.int64))
    state, entry = State(given), Entry(_sum)
    with forced(mode):
        found = entry(state, Buffers(np.array(numbers, np.int64)), count)
    words, total = [[0] * 3, [0] * 3], 0
    for index, number in enumerate(numbers):
        words[index % 2][index % 3] += len(f"{number:b}") * (number > 0) * _TABLE[number % 6] - number // 4
        total += words[index % 2][index % 3]
    assert found == -(total // 3)
    assert state.arrays.inner.words.tolist() == words
    assert state.views.total[0] == total
    assert state.arrays.inner.bytes.tolist() == [number % 256 for number in (*numbers[48:50], *numbers[46:48])]


def test_a_part_of_a_state_is_the_same():
    state = State(Outer(Inner(np.ones((2, 3), np.int64), np.zeros(4, np.uint8)), np.zeros(1, np.int64)))
    state.part("inner").views.words[1, 2] = 5
    assert state.arrays.inner.words[1, 2] == 5


@pytest.mark.skipif(not is_available(), reason="no Numba")
@pytest.mark.parametrize("name", example_names())
def test_examples(name):
    """Memory after both, byte for byte."""
    work, found = load_example(name), []
    for mode in ("interpreted", "compiled"):
        with forced(mode):
            gpu = V3D(PRESETS["bcm2835"], Memory(len(work.image), work.base, work.image))
            gpu.finish(work.launches)
            found.append((gpu.instructions, bytes(gpu.memory.data)))
    assert found[0] == found[1]
