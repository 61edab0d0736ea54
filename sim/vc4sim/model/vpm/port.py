"""The way of one QPU into the VPM: set-ups, vectors, and what is fetched ahead (guide, section 7; QPU facts, 8.4)."""

from collections import deque

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.isa.timing import READ_AHEAD, READ_SETUPS
from vc4.records.vpm import (
    DmaMode,
    SetupId,
    VdrBasicSetup,
    VdrExtendedSetup,
    VdwBasicSetup,
    VdwStrideSetup,
    VpmReadSetup,
    VpmSize,
    VpmWriteSetup,
)

from ..unbuilt import Waiting
from .addressing import load_block, store_block, vector_places
from .vpm import Vpm

__all__ = ["NO_VECTOR", "VpmPort"]

#: What a QPU waits for that reads a vector and has set up no read.
NO_VECTOR = "vpm, and no read is set up"
_STRIDES = 64
_COUNTS = 16
_ADDRESSES = 256


class _Vectors:
    """The vectors that a set-up names, one after the other.

    width : bytes of an element, or 0 if SIZE is reserved
    """

    def __init__(self, setup: VpmWriteSetup | VpmReadSetup):
        self._size = setup.size
        self._laned, self._horizontal = bool(setup.laned), bool(setup.horizontal)
        self._stride = setup.stride or _STRIDES
        self._address = setup.address
        self.width = 0 if self._size is VpmSize.RESERVED_3 else 1 << self._size.value

    def advance(self) -> np.ndarray:
        """The places of the next one."""
        address, self._address = self._address, (self._address + self._stride) % _ADDRESSES
        return vector_places(address, self._size, self._laned, self._horizontal)


class _Reads(_Vectors):
    """The vectors of a set-up of reads.

    unfetched, unread : how many of them the VPM has yet to fetch, and the program has yet to read
    """

    def __init__(self, setup: VpmReadSetup):
        super().__init__(setup)
        self.unfetched = self.unread = setup.count or _COUNTS


class VpmPort:
    """What one QPU says to the VPM, carried out in the order of the program; each has set-ups of its own.

    Vectors are fetched when their read is set up, as long as fewer than `READ_AHEAD` are there, and else one for each that
    the program reads: what the program writes in between is seen by those that are fetched behind it.
    """

    def __init__(self, vpm: Vpm):
        self.vpm = vpm
        self._writes = _Vectors(VpmWriteSetup.from_bits(0))
        self._reads: deque[_Reads] = deque()
        self._fetched: deque[np.ndarray] = deque()
        self._store = VdwBasicSetup.from_bits(0)
        self._stride = VdwStrideSetup.from_bits(0)
        self._load = VdrBasicSetup.from_bits(0)
        self._pitch = VdrExtendedSetup.from_bits(0)

    def write_setup(self, word: int) -> None:
        """A write of `vw_setup`: its top two bits say what it sets up; a word of an unknown kind is ignored."""
        match SetupId(word >> 30):
            case SetupId.WRITE:
                self._writes = _Vectors(VpmWriteSetup.from_bits(word))
            case SetupId.VDW_BASIC:
                self._store = VdwBasicSetup.from_bits(word)
            case SetupId.VDW_STRIDE:
                self._stride = VdwStrideSetup.from_bits(word)
            case SetupId.RESERVED_1:
                self.vpm.errors.add("VPMEWR")

    def read_setup(self, word: int) -> None:
        """A write of `vr_setup`: reads of vectors, or one of the words of a DMA load; a word of an unknown kind is ignored.

        So are reads while `READ_SETUPS` others have vectors left that were not read.
        """
        if word >> 31:
            basic = VdrBasicSetup.from_bits(word)
            if basic.mode is DmaMode.EXTENDED:
                self._pitch = VdrExtendedSetup.from_bits(word)
            else:
                self._load = basic
        elif word >> 30:
            self.vpm.errors.add("VPMERR")
        elif len(self._reads) < READ_SETUPS:
            self._reads.append(_Reads(VpmReadSetup.from_bits(word)))
            self._fetch()

    def _fetch(self) -> None:
        """Fetch vectors while there is room for them."""
        for reads in self._reads:
            while reads.unfetched and len(self._fetched) < READ_AHEAD:
                reads.unfetched -= 1
                self._fetched.append(self._vector(reads))

    def _vector(self, reads: _Reads) -> np.ndarray:
        if reads.width:
            return self.vpm.read_vector(reads.advance(), reads.width)
        self.vpm.errors.add("VPMERR")
        return np.zeros(ELEMENTS, np.uint32)

    def wait(self) -> None:
        """Raises `Waiting` if there is no vector to read: nothing but this program could set up a read."""
        if not self._fetched:
            raise Waiting(NO_VECTOR)

    def read(self) -> np.ndarray:
        """A read of `vpm`: the next vector, which must be there; one more is fetched in its place."""
        vector = self._fetched.popleft()
        reads = self._reads[0]
        reads.unread -= 1
        if not reads.unread:
            self._reads.popleft()
        self._fetch()
        return vector

    def cancel(self) -> None:
        """The program has ended: what it has not read is forgotten."""
        self._reads.clear()
        self._fetched.clear()

    def write(self, vector: np.ndarray) -> None:
        """A write of `vpm`: the low bytes of the sixteen elements to where the set-up says."""
        if self._writes.width:
            self.vpm.write_vector(self._writes.advance(), self._writes.width, vector)
        else:
            self.vpm.errors.add("VPMEWR")

    def load(self, address: int) -> None:
        """A write of `vr_addr`: the block that is set up comes from memory."""
        self.vpm.load(load_block(self._load, self._pitch.pitch, address))

    def store(self, address: int) -> None:
        """A write of `vw_addr`: the block that is set up goes to memory, unless MODEW is reserved."""
        if self._store.mode is DmaMode.EXTENDED:
            self.vpm.errors.add("VDWE")
        else:
            self.vpm.store(store_block(self._store, self._stride.stride, bool(self._stride.block_mode), address))
