"""Flags, memory and VPM of the model with literal expectations."""

import random

import numpy as np
import pytest

from vc4.isa.ops import BranchCondition, Condition
from vc4sim.model.flags import Flags, bits
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.unbuilt import Unbuilt
from vc4sim.model.vpm import Vpm, VpmPort


def elements(word):
    return np.array([word >> element & 1 for element in range(16)], bool)


class TestFlags:
    @pytest.fixture
    def flags(self):
        """N in the lower eight elements, Z in the even ones, C in none."""
        flags = Flags()
        flags.n, flags.z, flags.c = elements(0x00FF), elements(0x5555), elements(0)
        return flags

    def test_passing(self, flags):
        passing = [bits(flags.passing(condition)) for condition in Condition]
        assert passing == [0, 0xFFFF, 0x5555, 0xAAAA, 0x00FF, 0xFF00, 0, 0xFFFF]

    def test_taken(self, flags):
        taken = [condition.name for condition in BranchCondition if flags.taken(condition)]
        assert taken == ["ANY_ZS", "ANY_ZC", "ANY_NS", "ANY_NC", "ALL_CC", "ANY_CC", "ALWAYS"]

    def test_updated_only_where_the_mask_says_so(self, flags):
        result = np.array([0, 1, 0x8000_0000, 0xFFFF_FFFF] * 4, np.uint32)
        new = flags.updated(elements(0xFF00), result, elements(0x1234))
        assert new.as_bits() == (0xCCFF, 0x1155, 0x1200)
        assert flags.as_bits() == (0x00FF, 0x5555, 0)

    def test_cleared_at_first(self):
        assert Flags().as_bits() == (0, 0, 0)


class TestMemory:
    def test_bytes(self):
        memory = Memory(16, 0x100, b"\x01\x02\x03\x04")
        assert memory.read(0x100, 6) == b"\x01\x02\x03\x04\x00\x00"
        assert memory.read_int(0x101, 2) == 0x0302
        memory.write(0x10E, b"\xaa\xbb")
        assert memory.read(0x10C, 4) == b"\x00\x00\xaa\xbb"

    @pytest.mark.parametrize(("address", "length"), [(0xFF, 1), (0x10F, 2), (0x110, 1), (0, 4)])
    def test_bounds(self, address, length):
        memory = Memory(16, 0x100)
        with pytest.raises(MemoryFault, match=f"^uniform read at {address:#010x} is outside of memory$") as caught:
            memory.read_int(address, length, "uniform read")
        assert caught.value.address == address
        with pytest.raises(MemoryFault, match="^DMA store at"):
            memory.write(address, bytes(length), "DMA store")
        assert memory.data == bytearray(16)

    def test_every_write_is_told(self):
        told = []
        memory = Memory(8)
        memory.on_write = lambda *event: told.append(event)
        memory.write(4, b"\x01\x02")
        assert told == [(4, b"\x01\x02")]

    def test_an_image_must_fit(self):
        with pytest.raises(ValueError, match="an image of 5 bytes does not fit 4 bytes of memory"):
            Memory(4, 0, bytes(5))


BASE, SIZE = 0x4000, 0x8000


def write_setup(row, stride):
    """Horizontal words from `row` on (fact sheet, 8.4)."""
    return stride << 12 | 1 << 11 | 2 << 8 | row


def store_setup(units, depth, row, column):
    """Rows of words (fact sheet, 8.6)."""
    return 2 << 30 | (units % 128) << 23 | (depth % 128) << 16 | 1 << 14 | row << 7 | column << 3


def stride_setup(stride):
    return 3 << 30 | stride


class TestVpm:
    @pytest.fixture
    def port(self):
        return VpmPort(Vpm(64, Memory(SIZE, BASE)))

    @pytest.mark.parametrize("seed", range(8))
    def test_random_blocks(self, port, seed):
        """The formulas of the fact sheet, word by word: vector k in row Y + k stride; row u of a store `depth` words and
        `stride` bytes behind the row before.
        """
        rng = random.Random(seed)
        rows, memory = {}, bytearray(SIZE)
        for _ in range(10):
            first, step = rng.randrange(64), rng.randrange(64)
            port.write_setup(write_setup(first, step))
            for number in range(rng.randrange(1, 6)):
                vector = [rng.getrandbits(32) for _ in range(16)]
                port.write(np.array(vector, np.uint32))
                rows[(first + number * (step or 64)) % 64] = vector
            units, depth, pitch = rng.randrange(1, 9), rng.randrange(1, 17), 4 * rng.randrange(20)
            row, column, address = rng.randrange(64 - units), rng.randrange(17 - depth), 4 * rng.randrange(SIZE // 8)
            port.write_setup(store_setup(units, depth, row, column))
            port.write_setup(stride_setup(pitch))
            port.store(BASE + address + rng.randrange(4))
            for unit in range(units):
                for word in range(depth):
                    at = address + unit * (4 * depth + pitch) + 4 * word
                    value = rows.get(row + unit, [0] * 16)[column + word]
                    memory[at : at + 4] = value.to_bytes(4, "little")
            assert port.vpm.memory.data == memory, f"seed {seed}"

    def test_counts_of_zero(self, port):
        """No units are 128, a depth of 0 is 128 words; a stride of 0 between vectors is 64 rows."""
        lengths = []
        port.vpm.memory.on_write = lambda _, data: lengths.append(len(data))
        port.write_setup(store_setup(0, 1, 0, 0))
        port.store(BASE)
        assert lengths == [4] * 128
        port.write_setup(store_setup(1, 0, 0, 0))
        port.store(BASE)
        assert lengths[128:] == [512]

    @pytest.mark.parametrize("word", [0x0000_0200, 0x0000_0800, 0x0000_0900])
    def test_unbuilt_writes(self, port, word):
        port.write_setup(word)
        with pytest.raises(Unbuilt, match="VPM writes other than horizontal words"):
            port.write(np.zeros(16, np.uint32))

    @pytest.mark.parametrize("word", [1 << 15, 2, 4])
    def test_unbuilt_stores(self, port, word):
        port.write_setup(store_setup(1, 1, 0, 0) | word)
        with pytest.raises(Unbuilt, match="DMA stores other than rows of words"):
            port.store(BASE)

    def test_unknown_setup(self, port):
        with pytest.raises(Unbuilt, match="a VPM set-up of kind 1"):
            port.write_setup(1 << 30)

    def test_two_ports_have_set_ups_of_their_own(self, port):
        other = VpmPort(port.vpm)
        port.write_setup(write_setup(5, 1))
        other.write_setup(write_setup(9, 1))
        port.write(np.full(16, 1, np.uint32))
        other.write(np.full(16, 2, np.uint32))
        port.write(np.full(16, 3, np.uint32))
        other.write_setup(store_setup(2, 16, 5, 0))
        other.store(BASE)
        words = np.frombuffer(bytes(port.vpm.memory.data[:128]), "<u4")
        assert words.tolist() == [1] * 16 + [3] * 16
        assert port.vpm.words[9].tolist() == [2] * 16
