"""A board in plain Python, by `docs/reference/uart.md` alone: what an undamaged request does, once, and its answer."""

import os
import select
import struct
import threading
import time
import tty
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from vc4.boards.facts import config_words
from vc4.boards.protocol import PROTOCOL
from vc4.config import V3DConfig, preset
from vc4sim.model.cle.cle import Rest
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

__all__ = ["CLOCK_HZ", "GAP_CLOCKS", "StandIn", "frame", "model_board"]

CONNECT, FACTS, RESET, REGISTER_READ, REGISTER_WRITE, MEMORY_READ, MEMORY_WRITE, MEMORY_CLEAR, PAGES = range(1, 10)
OK, BAD_REQUEST, MEMORY_ERROR = range(3)
CARRYING = {REGISTER_WRITE, MEMORY_WRITE, MEMORY_CLEAR}
HEADER = 8
CLOCK_HZ, GAP_CLOCKS = 1_000_000, 10_000
PAGE = 4096


def frame(sequence, command, address=0, data=b"", words=None):
    """A request."""
    body = struct.pack("<BBBI", sequence, command, len(data) // 8 if words is None else words, address) + data
    return b"\xa6" + body + struct.pack("<I", zlib.crc32(body))


class Registers(Protocol):
    """What registers of a GPU do."""

    def read(self, offset: int) -> int: ...

    def write(self, offset: int, word: int) -> None: ...


class StandIn:
    """A board with the registers of anything, and `size` bytes of memory from `base` on. `facts` are those from STATE on, asked
    for each time.
    """

    def __init__(
        self,
        registers: Callable[[], Registers],
        base: int,
        size: int,
        config: V3DConfig,
        facts: Callable[[], tuple[int, int]] = lambda: (6, 0),
        memory: bytearray | memoryview | None = None,
    ):
        self._make, self._base, self._facts, self._config = registers, base, facts, config
        self.memory = bytearray(size) if memory is None else memory
        self.registers = registers()
        self.pages = lambda first: 0
        self._come = b""
        self._last, self._answer = None, b""

    def receive(self, data: bytes) -> bytes:
        """Bytes without a pause between them; what the board answers."""
        self._come += data
        answers = b""
        while (start := self._come.find(0xA6)) >= 0:
            self._come = self._come[start:]
            if len(self._come) < HEADER:
                return answers
            command, words = self._come[2:4]
            if words > 128:
                self._come = self._come[HEADER:]
                continue
            end = HEADER + 8 * words * (command in CARRYING)
            if len(self._come) < end + 4:
                return answers
            body, check = self._come[1:end], self._come[end : end + 4]
            self._come = self._come[end + 4 :]
            if struct.pack("<I", zlib.crc32(body)) == check:
                answers += self._request(body)
        self._come = b""
        return answers

    def pause(self) -> None:
        """One that is too long for a request."""
        self._come = b""

    def _request(self, body: bytes) -> bytes:
        sequence, command, words, address = struct.unpack_from("<BBBI", body)
        if command == CONNECT or (self._last is not None and sequence == (self._last + 1) % 256):
            self._last = sequence
            status, data = self._act(command, address, words, body[7:])
            self._answer = bytes([sequence, status, len(data) // 8]) + data
        elif self._last is None or sequence != self._last:
            return b""
        return b"\x59" + self._answer + struct.pack("<I", zlib.crc32(self._answer))

    def _act(self, command, address, words, data) -> tuple[int, bytes]:
        if command in (CONNECT, FACTS):
            sizes, errata = config_words(self._config)
            facts = PROTOCOL, sizes, errata, self._base, len(self.memory), CLOCK_HZ, GAP_CLOCKS, *self._facts()
            return OK, struct.pack("<9Q", *facts)
        if command == RESET:
            self.registers = self._make()
            return OK, b""
        if command in (REGISTER_READ, REGISTER_WRITE, MEMORY_CLEAR, PAGES) and words != 1:
            return BAD_REQUEST, b""
        if command == REGISTER_READ:
            return OK, struct.pack("<Q", self.registers.read(address % PAGE))
        if command == REGISTER_WRITE:
            self.registers.write(address % PAGE, struct.unpack("<Q", data)[0] & 0xFFFF_FFFF)
            return OK, b""
        if command == PAGES:
            return OK, struct.pack("<Q", self.pages(address))
        if command in (MEMORY_READ, MEMORY_WRITE, MEMORY_CLEAR) and address % 8 == 0:
            size = 8 * (struct.unpack("<Q", data)[0] & 0xFFFF_FFFF if command == MEMORY_CLEAR else words)
            return self._memory(command, address - self._base, size, data)
        return BAD_REQUEST, b""

    def _memory(self, command, place, size, data) -> tuple[int, bytes]:
        """What is outside of memory is not written."""
        first, last = max(place, 0), min(place + size, len(self.memory))
        if command != MEMORY_READ and first < last:
            new = data if command == MEMORY_WRITE else bytes(size)
            self.memory[first:last] = new[first - place : last - place]
        if (place, place + size) != (first, last):
            return MEMORY_ERROR, b""
        return OK, bytes(self.memory[first:last]) if command == MEMORY_READ else b""


@contextmanager
def model_board(
    name: str = "qpu", *, base: int = 1 << 16, size: int = 1 << 16, baud: int = 115_200
) -> Iterator[tuple[str, StandIn]]:
    """A board that is the reference model of a preset, at the other end of a pseudo-terminal; what a host calls it."""
    memory = Memory(size, base)
    gpus, before, looks = [], bytearray(size), []

    def make():
        gpus[:] = [V3D(preset(name), memory)]
        before[:] = bytes(memory.data)
        looks.clear()
        return gpus[0]

    def facts():
        end = time.monotonic() + 0.05
        while gpus[0].advance(200) is Rest.LIMIT and time.monotonic() < end:
            pass
        looks.append(None)
        return 6, 100_000 * len(looks)

    board = StandIn(make, base, size, preset(name), facts, memoryview(memory.data).cast("B"))
    board.pages = lambda first: sum(
        1 << bit
        for bit in range(64)
        if bytes(board.memory[(at := (first + bit) * PAGE) : at + PAGE]) != bytes(before[at : at + PAGE])
    )
    master, slave = os.openpty()
    tty.setraw(slave)
    ends = threading.Event()

    def serve():
        while not ends.is_set():
            if select.select([master], [], [], GAP_CLOCKS / CLOCK_HZ)[0]:
                os.write(master, board.receive(os.read(master, 4096)))
            else:
                board.pause()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"uart:{os.ttyname(slave)},{baud}", board
    finally:
        ends.set()
        thread.join()
        os.close(slave)
        os.close(master)
