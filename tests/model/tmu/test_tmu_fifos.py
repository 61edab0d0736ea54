"""FIFOs of the texture units: who finds which unit, what is full or empty, and what a lookup leaves behind.

The guide gives eight slots and eight words (section 4), and exchanges the units of QPUs 2 and 3.
"""

import struct

import numpy as np
import pytest

from vc4.records.tmu import TextureType
from vc4sim.model.compiled import State
from vc4sim.model.memory import Memory
from vc4sim.model.tmu.fifos import (
    NO_FAULT,
    has_unread_words,
    new_tmu,
    tmu_disable_swap,
    tmu_is_empty,
    tmu_is_full,
    tmu_load,
    tmu_start,
    tmu_takes_uniform,
    tmu_write,
)

BASE, SIZE, SLICE = 0x1000, 0x4000, 4
TEXTURE = 0x2000
#: Four by four texels, nearest filters.
SAMPLING = 4 << 20 | 4 << 8 | 1 << 7 | 1 << 4
S, T, R, B = range(4)


class Units:
    """The units of two slices, and words that are their own number."""

    def __init__(self):
        self.memory = Memory(SIZE, BASE, struct.pack(f"<{SIZE // 4}I", *range(SIZE // 4)))
        self._state = State(new_tmu(SLICE))
        self.tmu, self.arrays = self._state.views, self._state.arrays
        self._vector = memoryview(np.zeros(16, np.int64))

    def write(self, letter, value, uniform=-1, *, qpu=0, thread=0, unit=0):
        """Sixteen equal words."""
        for element in range(16):
            self._vector[element] = value
        tmu_write(self.tmu, self.memory.state.views, qpu, thread, unit, letter, self._vector, uniform)

    def look_up(self, number, **who):
        self.write(S, BASE + 4 * number, **who)

    def sample(self, kind=TextureType.RGBA8888, **who):
        self.write(T, 0, TEXTURE | kind.value << 4, **who)
        self.write(S, 0, SAMPLING, **who)

    def load(self, *, qpu=0, thread=0, unit=0):
        """Element 0."""
        tmu_load(self.tmu, qpu, thread, unit, self._vector)
        return self._vector[0]

    def full(self, *, qpu=0, thread=0, unit=0):
        return bool(tmu_is_full(self.tmu, qpu, thread, unit))

    def empty(self, *, qpu=0, thread=0, unit=0):
        return bool(tmu_is_empty(self.tmu, qpu, thread, unit))


@pytest.fixture
def units():
    return Units()


def test_sixteen_words_fit(units):
    """Eight of lookups that have begun, and a slot each of eight that have not."""
    for number in range(16):
        assert not units.full()
        units.look_up(number)
    assert units.full()
    assert not units.full(unit=1)
    assert not units.full(qpu=1)
    for number in range(40):
        assert units.load() == number
        assert not units.full()
        units.look_up(number + 16)
    assert [units.load() for _ in range(16)] == list(range(40, 56))
    assert units.empty()
    assert not has_unread_words(units.arrays)


def test_a_lookup_begins_when_there_is_room_for_all_its_words(units):
    """Of two words each four begin, and four more keep their two slots."""
    for _ in range(8):
        assert not units.full()
        units.sample(TextureType.RGBA64)
    assert units.full()
    first = (TEXTURE - BASE) // 4
    assert units.load() == first
    assert units.full()
    assert units.load() == first + 1
    assert not units.full()


def test_parameters_without_s_take_slots(units):
    for number in range(8):
        assert not units.full()
        assert tmu_takes_uniform(units.tmu, 0, 0, 0, R)
        units.write(R, number, 0)
    assert units.full()
    assert units.empty()
    assert tmu_takes_uniform(units.tmu, 0, 0, 0, S)
    assert not tmu_takes_uniform(units.tmu, 0, 0, 1, S)


def test_nothing_of_a_lookup_is_left_for_the_next_one(units):
    """A bias, and a t, that only the first one has."""
    one = struct.unpack("<I", struct.pack("<f", 0.9))[0]
    units.write(T, one, TEXTURE)
    units.write(B, one, SAMPLING)
    units.write(S, 0, 0)
    units.write(B, 0, TEXTURE)
    units.write(S, 0, SAMPLING)
    units.look_up(7)
    first = (TEXTURE - BASE) // 4
    assert [units.load() for _ in range(3)] == [first + 12, first, 7]


@pytest.mark.parametrize(("qpu", "word", "swaps"), [
    (0, 0, False), (1, 0, False), (2, 0, True), (3, 0, True), (4, 0, False), (6, 0, True), (7, 0, True),
    (2, 1, False), (3, 1 << 31, False), (0, 1, False),
])  # fmt: skip
def test_swap(units, qpu, word, swaps):
    """Another thread keeps its swap, so that it finds the other unit where the program has no swap any more."""
    tmu_disable_swap(units.tmu, qpu, 0, word)
    units.look_up(5, qpu=qpu)
    assert not units.empty(qpu=qpu)
    assert units.empty(qpu=qpu, unit=1)
    assert units.empty(qpu=qpu, thread=1) == (qpu % SLICE > 1 and not swaps)
    # Whoever turns the swap round finds the word in the other unit.
    tmu_disable_swap(units.tmu, qpu, 0, not word)
    assert units.empty(qpu=qpu) == (qpu % SLICE > 1)


def test_a_program_begins_with_the_swap_and_finds_what_others_left(units):
    tmu_disable_swap(units.tmu, 2, 0, 1)
    units.look_up(5, qpu=2)
    tmu_start(units.tmu, 2, 0)
    assert units.empty(qpu=2)
    assert units.load(qpu=2, unit=1) == 5


def test_threads_share_the_fifos(units):
    units.look_up(1, thread=0)
    units.look_up(2, thread=1)
    assert (units.load(thread=1), units.load(thread=0)) == (1, 2)


def test_memory_is_read_when_s_is_written(units):
    units.look_up(3)
    units.memory.write(BASE, b"\xff" * 64)
    assert units.load() == 3


def test_lookups_are_counted_for_each_qpu(units):
    units.look_up(0, qpu=5)
    units.sample(qpu=5)
    units.sample(qpu=6)
    assert units.arrays.lookups[: 2 * SLICE].tolist() == [0, 0, 0, 0, 0, 2, 1, 0]


@pytest.mark.parametrize(("address", "read", "told"), [
    (BASE - 4, 0, True), (BASE, 0, False), (BASE + SIZE - 4, SIZE // 4 - 1, False), (BASE + SIZE, 0, True),
    (0xFFFF_FFFF, 0, True),
])  # fmt: skip
def test_what_is_outside_of_memory_is_zero_and_the_first_is_told(units, address, read, told):
    units.write(S, address, qpu=1)
    units.write(S, 0x10, qpu=2)
    assert units.load(qpu=1) == read
    assert units.arrays.faults.tolist()[:3] == [NO_FAULT, address & ~3 if told else NO_FAULT, 0x10]
    units.write(S, 0x20, qpu=2)
    assert units.arrays.faults[2] == 0x10


def test_a_line_that_memory_has_in_part_is_told():
    """Lines of 64 bytes are what is looked up; the word itself is there."""
    units = Units()
    units.memory = Memory(96, BASE, bytes(64) + b"\x07" * 32)
    units.look_up(16)
    assert units.load() == 0x0707_0707
    assert units.arrays.faults[0] == BASE + 64
