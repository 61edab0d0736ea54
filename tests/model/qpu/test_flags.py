"""Flags and memory of the model with literal expectations."""

import pytest

from vc4.isa.ops import BranchCondition, Condition
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.qpu.datapath import new_flags
from vc4sim.model.qpu.flags import is_taken, passing


class TestFlags:
    #: N in the lower eight elements, Z in the even ones, C in none.
    FLAGS = 0x00FF, 0x5555, 0

    def test_passing(self):
        found = [passing(*self.FLAGS, condition.value) for condition in Condition]
        assert found == [0, 0xFFFF, 0x5555, 0xAAAA, 0x00FF, 0xFF00, 0, 0xFFFF]

    def test_taken(self):
        taken = [condition.name for condition in BranchCondition if is_taken(*self.FLAGS, condition.value)]
        assert taken == ["ANY_ZS", "ANY_ZC", "ANY_NS", "ANY_NC", "ALL_CC", "ANY_CC", "ALWAYS"]

    def test_of_a_result(self):
        assert new_flags([0, 1, 0x8000_0000, 0xFFFF_FFFF] * 4) == (0xCCCC, 0x1111)


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
