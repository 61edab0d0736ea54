"""Vertex pipe memory and its DMA store (fact sheet, 8.4 and 8.6)."""

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.records.vpm import DmaMode, SetupId, VdwBasicSetup, VdwStrideSetup, VpmSize, VpmWriteSetup

from .memory import Memory, MemoryFault
from .unbuilt import Unbuilt

__all__ = ["Vpm", "VpmPort"]

_WORD_BYTES = 4
_STRIDES = 64
_COUNTS = 128
_NAMED_ROWS = 128


class Vpm:
    """`rows` rows of sixteen words, and the engine that stores blocks of them to `memory`.

    A store is done when `store` returns. What it wants to write outside of memory is lost, and `fault` tells the first such
    access: programs do not see it, so it is for those who run them to stop.
    """

    def __init__(self, rows: int, memory: Memory):
        self.words = np.zeros((rows, ELEMENTS), np.uint32)
        self.memory = memory
        self.fault: MemoryFault | None = None

    def store(self, basic: VdwBasicSetup, stride: int, address: int) -> None:
        """`units` rows of `depth` words go to memory from `address` on, which loses its low two bits.

        A row that is longer than the rest of its VPM row goes on in the next one; behind the last row, or behind row 127,
        which is the highest that the set-up can name, comes the first.
        """
        depth, units = basic.depth or _COUNTS, basic.units or _COUNTS
        flat = self.words[:_NAMED_ROWS].ravel()
        for unit in range(units):
            first = (basic.row + unit) * ELEMENTS + basic.column
            words = flat[np.arange(first, first + depth) % flat.size]
            try:
                self.memory.write(address & ~(_WORD_BYTES - 1), words.astype("<u4").tobytes(), "DMA store")
            except MemoryFault as fault:
                self.fault = self.fault or fault
            address = address + depth * _WORD_BYTES + stride & 0xFFFF_FFFF


class VpmPort:
    """The way of one QPU into the `vpm`, with set-ups of its own.

    Raises `Unbuilt` where a set-up asks for an access that the hardware lacks.
    """

    def __init__(self, vpm: Vpm):
        self.vpm = vpm
        self._setup = VpmWriteSetup.from_bits(0)
        self._basic = VdwBasicSetup.from_bits(0)
        self._stride = VdwStrideSetup.from_bits(0)
        self._address = 0

    def write_setup(self, word: int) -> None:
        """A write of `vw_setup`: its top two bits say what it sets up."""
        match SetupId(word >> 30):
            case SetupId.WRITE:
                self._setup = VpmWriteSetup.from_bits(word)
                self._address = self._setup.address
            case SetupId.VDW_BASIC:
                self._basic = VdwBasicSetup.from_bits(word)
            case SetupId.VDW_STRIDE:
                self._stride = VdwStrideSetup.from_bits(word)
            case SetupId.RESERVED_1:
                raise Unbuilt("a VPM set-up of kind 1")

    def write(self, vector: np.ndarray) -> None:
        """A write of `vpm`: the sixteen elements into a row; then the address moves on by the stride."""
        if self._setup.size is not VpmSize.WORD or not self._setup.horizontal:
            raise Unbuilt("VPM writes other than horizontal words")
        self.vpm.words[self._address % _STRIDES] = vector
        self._address = (self._address + (self._setup.stride or _STRIDES)) % _STRIDES

    def store(self, address: int) -> None:
        """A write of `vw_addr`: the block that is set up goes to memory."""
        basic = self._basic
        if basic.mode is not DmaMode.WORD or not basic.horizontal or basic.laned or self._stride.block_mode:
            raise Unbuilt("DMA stores other than rows of words")
        self.vpm.store(basic, self._stride.stride, address)
