"""Vertex pipe memory, and what its DMA engines do to it and to memory (guide, section 7; QPU facts, 8.4 to 8.6)."""

from collections.abc import Iterator

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.regs.table import register

from ..memory import Memory, MemoryFault
from .addressing import WORD_BYTES, Block, row_of

__all__ = ["READ_ERRORS", "Vpm"]

_BLOCK_ROWS = 4
_MOST_BLOCKS = (1 << register("VPMBASE").fields[0].width) - 1
#: Bits of ERRSTAT: a row that the VPM does not have, and one that is not reserved for user programs; what is not in memory.
_OF_READS = ("VPMERR", "VPMERNA")
_WRITE_ERRORS = ("VPMEWR", "VPMEWNA")
_LOAD_ERROR, _STORE_ERROR = "VCDE", "VDWE"
_ADDRESSES = 0xFFFF_FFFF
#: Errors of vectors that are read: whether one that nobody takes is fetched before the program ends is chance.
READ_ERRORS = frozenset(_OF_READS)


class Vpm:
    """`rows` rows of sixteen words, and the engines that move blocks between them and `memory`.

    A load or store is done when `load` or `store` returns. Its bytes that lie outside of memory are lost, and `fault` tells
    the first such access: programs do not see it, so it is for those who run them to stop.

    words : all words, [row, column]
    user_rows : rows from 0 on that programs reach; others read 0, and what is written there is lost. At first all that the
        host can reserve, as whoever starts programs reserves them; see `reserve`
    errors : names of the bits of ERRSTAT that are set
    """

    def __init__(self, rows: int, memory: Memory):
        self.words = np.zeros((rows, ELEMENTS), "<u4")
        self._bytes = self.words.view(np.uint8).reshape(-1)
        self.memory = memory
        self.fault: MemoryFault | None = None
        self.errors: set[str] = set()
        self.reserve(_MOST_BLOCKS)

    def reserve(self, blocks: int) -> None:
        """A write of VPMBASE: `blocks` times 256 bytes are for user programs, as far as there are so many."""
        self.user_rows = min(blocks * _BLOCK_ROWS, len(self.words))

    def read(self, places: np.ndarray, width: int) -> np.ndarray:
        """The bytes of elements that are `width` bytes wide: one more axis than `places` has."""
        reached = self._reached(places, _OF_READS)
        bytes_ = np.zeros((*places.shape, width), np.uint8)
        bytes_[reached] = self._bytes[places[reached][:, None] + np.arange(width)]
        return bytes_

    def write(self, places: np.ndarray, bytes_: np.ndarray) -> None:
        """Give elements at `places` new bytes, which `bytes_` has in one more axis."""
        reached = self._reached(places, _WRITE_ERRORS)
        self._bytes[places[reached][:, None] + np.arange(bytes_.shape[-1])] = bytes_[reached]

    def _reached(self, places: np.ndarray, errors: tuple[str, str]) -> np.ndarray:
        """Which elements programs reach; the bit of `errors` that the others set."""
        rows = row_of(places)
        reached = rows < self.user_rows
        if not reached.all():
            lacking = rows >= len(self.words)
            for error, wrong in zip(errors, (lacking, ~reached & ~lacking), strict=True):
                if wrong.any():
                    self.errors.add(error)
        return reached

    def read_vector(self, places: np.ndarray, width: int) -> np.ndarray:
        """Sixteen elements, each in the low bytes of a word; the rest is 0."""
        words = np.zeros((ELEMENTS, WORD_BYTES), np.uint8)
        words[:, :width] = self.read(places, width)
        return words.view("<u4").reshape(ELEMENTS)

    def write_vector(self, places: np.ndarray, width: int, vector: np.ndarray) -> None:
        """The low bytes of sixteen elements."""
        self.write(places, vector.astype("<u4").view(np.uint8).reshape(ELEMENTS, WORD_BYTES)[:, :width])

    def load(self, block: Block) -> None:
        """Memory to the VPM, row after row."""
        width = np.arange(block.width)
        for places, address in zip(block.places, block.addresses, strict=True):
            bytes_ = (places[:, None] + width).ravel()
            for part in self._in_memory(address, block.row_bytes, "DMA load", _LOAD_ERROR):
                data = self.memory.read(address + part.start & _ADDRESSES, part.stop - part.start)
                self.write(bytes_[part], np.frombuffer(data, np.uint8)[:, None])

    def store(self, block: Block) -> None:
        """The VPM to memory, row after row."""
        for row, address in zip(self.read(block.places, block.width), block.addresses, strict=True):
            for part in self._in_memory(address, block.row_bytes, "DMA store", _STORE_ERROR):
                self.memory.write(address + part.start & _ADDRESSES, row.reshape(-1)[part].tobytes())

    def _in_memory(self, address: int, count: int, access: str, error: str) -> Iterator[slice]:
        """The bytes of a row that are in memory."""
        place = address + np.arange(count) & _ADDRESSES
        inside = (place >= self.memory.base) & (place < self.memory.base + len(self.memory.data))
        if not inside.all():
            self.errors.add(error)
            self.fault = self.fault or MemoryFault(int(place[~inside][0]), access)
        edges = np.flatnonzero(np.diff(inside, prepend=False, append=False)).tolist()
        return map(slice, edges[::2], edges[1::2])
