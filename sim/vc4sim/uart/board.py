"""A board: the registers of its GPU, and its memory."""

import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from vc4.boards.facts import config_of
from vc4.boards.protocol import MOST_WORDS, PAGE_BITS, PROTOCOL, WORD_BYTES, Command, Fact, StateBit
from vc4.boards.written_pages import PAGES_OF_A_WORD
from vc4.config import V3DConfig
from vc4.regs.table import register

from ..problem import BadInput
from .link import Link, NoAnswer
from .transport import SerialLine, Transport, device_of

__all__ = ["Board", "open_board"]

_PAGE = 1 << PAGE_BITS
_NAME = PROTOCOL & 0xFF_FFFF
#: A repeat for each so many requests is worth a word.
_MANY = 10
#: Bytes of memory that are cleared at once.
_CLEARED = 1 << 18
#: Clocks that a word of memory, and what is remembered of a page, may take to be cleared.
_CLOCKS_OF_A_WORD, _PAGE_CLOCKS = 4, 2
#: Seconds that memory may take to begin.
_MEMORY_SECONDS = 5.0
#: Blocks that come through before a larger one is tried.
_GOOD_BLOCKS = 8


class Board:
    """A board at the other end of a line.

    link : the way to it
    config : of its GPU
    base, size : first address and bytes of its memory
    clock_hz : clocks of a second

    Raises `BadInput` if nobody answers, or not a board.
    """

    def __init__(self, transport: Transport):
        self.link, self._block, self._good = Link(transport), MOST_WORDS, 0
        facts = _facts(self.link.connect())
        name = transport.name
        if facts.get(Fact.VERSION, 0) & _NAME != _NAME:
            raise BadInput(f"{name}: what answers is no board with this GPU")
        if facts[Fact.VERSION] != PROTOCOL or len(facts) != len(Fact):
            version = facts[Fact.VERSION] >> 24
            raise BadInput(f"{name}: the board has version {version} of the protocol, and this has {PROTOCOL >> 24}")
        try:
            self.config: V3DConfig = config_of(facts[Fact.CONFIG], facts[Fact.ERRATA])
        except ValueError as error:
            raise BadInput(f"{name}: the board has a GPU that this does not know: {error}") from None
        self.base, self.size = facts[Fact.MEMORY_BASE], facts[Fact.MEMORY_BYTES]
        self.clock_hz = facts[Fact.CLOCK_HZ]
        self.link.pause = facts[Fact.GAP_CLOCKS] / self.clock_hz
        self._wait_for_memory()

    def _wait_for_memory(self) -> None:
        end = time.monotonic() + _MEMORY_SECONDS
        while not self.state() >> StateBit.MEMORY_READY & 1:
            if time.monotonic() > end:
                raise BadInput(f"{self.link.transport.name}: the memory of the board does not begin")

    def facts(self) -> dict[int, int]:
        """What the board tells of itself, by the numbers of `Fact`."""
        return _facts(self.link.request(Command.FACTS))

    def state(self) -> int:
        """The fact STATE."""
        return self.facts()[Fact.STATE]

    def reset(self) -> None:
        """Reset the GPU; it has written no pages then."""
        self.link.request(Command.RESET, seconds=_PAGE_CLOCKS * self.size / _PAGE / self.clock_hz)

    def read(self, where: str | int) -> int:
        """A register, by name or offset."""
        (word,) = struct.unpack("<Q", self.link.request(Command.REGISTER_READ, _offset(where), words=1))
        return word

    def write(self, where: str | int, word: int) -> None:
        """A register, by name or offset."""
        self.link.request(Command.REGISTER_WRITE, _offset(where), data=struct.pack("<Q", word))

    def read_memory(self, address: int, size: int) -> bytes:
        """Bytes of memory; address and size are multiples of eight."""
        data = b""
        while len(data) < size:
            data += self._block_of(Command.MEMORY_READ, address + len(data), size - len(data))
        return data

    def write_memory(self, address: int, data: bytes) -> None:
        """Bytes of memory; address and size are multiples of eight."""
        done = 0
        while done < len(data):
            done += len(self._block_of(Command.MEMORY_WRITE, address + done, len(data) - done, data[done:]))

    def clear_memory(self, address: int, size: int) -> None:
        """Bytes of memory that are 0 from now on; address and size are multiples of eight."""
        for place in range(address, address + size, _CLEARED):
            words = min(_CLEARED, address + size - place) // WORD_BYTES
            seconds = _CLOCKS_OF_A_WORD * words / self.clock_hz
            self.link.request(Command.MEMORY_CLEAR, place, data=struct.pack("<Q", words), seconds=seconds)

    def written_pages(self) -> list[int]:
        """Addresses of the pages of 4 KiB that the GPU has written since its reset."""
        found = []
        for first in range(0, -(-self.size // _PAGE), PAGES_OF_A_WORD):
            (bits,) = struct.unpack("<Q", self.link.request(Command.PAGES, first, words=1))
            found += [self.base + (first + bit) * _PAGE for bit in range(PAGES_OF_A_WORD) if bits >> bit & 1]
        return found

    def _block_of(self, command: Command, address: int, size: int, data: bytes = b"") -> bytes:
        """Read or write as many of `size` bytes as a frame may have; returns them. To do it again does no harm, so that what
        does not come through is done in smaller pieces.
        """
        while True:
            words = min(self._block, size // WORD_BYTES)
            sent = data[: words * WORD_BYTES]
            try:
                come = self.link.request(command, address, data=sent, words=words, is_vital=self._block == 1)
            except NoAnswer:
                if self._block == 1:
                    raise
                self._block, self._good = max(1, self._block // 4), 0
                self.link.connect()
                continue
            self._good += 1
            if self._good % _GOOD_BLOCKS == 0:
                self._block = min(MOST_WORDS, 2 * self._block)
            return sent or come


def _facts(words: bytes) -> dict[int, int]:
    return dict(enumerate(word for (word,) in struct.iter_unpack("<Q", words)))


def _offset(where: str | int) -> int:
    return register(where).offset if isinstance(where, str) else where


@contextmanager
def open_board(name: str) -> Iterator[Board]:
    """The board of a name like `uart:/dev/ttyUSB0`; a line that damages much is told. Raises `BadInput`."""
    with SerialLine(*device_of(name)) as line:
        board = Board(line)
        yield board
    link = board.link.statistics
    if link.repeats * _MANY > link.requests:
        print(f"vc4: {line.name}: {link.repeats} of {link.requests} requests were repeated", file=sys.stderr)
