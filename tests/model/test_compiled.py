"""Kernels do the same compiled, and interpreted."""

import os
import random
import signal
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from vc4.config import PRESETS
from vc4sim.model import compiled
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


@kernel
def _first_weight(numbers: np.ndarray) -> int:
    return _weight(numbers[0])


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


def test_states_of_several_layouts():
    """Each has code of its own: the record of the second one has its total elsewhere."""
    entry, numbers = Entry(_sum), Buffers(np.array([5], np.int64))
    with forced("compiled"):
        for size in (4, 40, 4):
            state = State(Outer(Inner(np.zeros((2, 3), np.int64), np.zeros(size, np.uint8)), np.zeros(1, np.int64)))
            assert entry(state, numbers, True) == -(state.views.inner.words[0, 0] // 3)
            assert state.arrays.inner.words[0, 0] == state.views.total[0] != 0


@pytest.mark.skipif(not is_available(), reason="no Numba")
def test_a_timer_waits_for_the_compiler(monkeypatch):
    """Left in the middle, it would fail from then on."""
    done = []

    def stop(*_):
        raise TimeoutError

    def late(function, begin=compiled._twin):
        signal.raise_signal(signal.SIGALRM)
        done.append(function)
        return begin(function)

    monkeypatch.setattr(compiled, "_twin", late)
    entry, numbers = Entry(_first_weight), Buffers(np.array([5], np.int64))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        with forced("compiled"), pytest.raises(TimeoutError):
            entry(numbers)
    finally:
        signal.signal(signal.SIGALRM, before)
        monkeypatch.undo()
    assert done[0] is entry._function
    with forced("compiled"):
        assert entry(numbers) == 3 * 13 - 1


def test_a_part_of_a_state_is_the_same():
    state = State(Outer(Inner(np.ones((2, 3), np.int64), np.zeros(4, np.uint8)), np.zeros(1, np.int64)))
    state.part("inner").views.words[1, 2] = 5
    assert state.arrays.inner.words[1, 2] == 5


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.skipif(not is_available(), reason="no Numba")
def test_what_is_compiled_follows_the_numbers_of_other_files(tmp_path):
    """The second run finds the first one's code, but its number is another; the file of the kernel is the same."""
    kernel = "from vc4sim.model.compiled import Entry, kernel\nimport number\n\n@kernel\ndef twice():\n    return 2 * number.IT\n"
    (tmp_path / "one.py").write_text(kernel + "\nprint(Entry(twice)())\n")
    environment = os.environ | {
        "XDG_CACHE_HOME": str(tmp_path),
        "VC4_MODEL": "compiled",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for number in (5, 7, 5):
        (tmp_path / "number.py").write_text(f"IT = {number}\n")
        command = [sys.executable, "-c", "import one"]
        said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        assert said.stdout == f"{2 * number}\n"
    assert len([*(tmp_path / "vc4-rtl/model").glob("one.twice_*")]) == 2
