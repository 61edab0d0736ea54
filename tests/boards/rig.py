"""A board's system as native code, at the other end of a pseudo-terminal, with faults on the line between."""

import ctypes
import os
import select
import socket
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

import vc4.boards
from vc4.boards.on_chip_memory import OnChipMemory
from vc4.boards.system import BoardSystem
from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.config import preset

from ..native_rig import native_rig
from .faults import Faults

__all__ = ["BAUD", "DIVISOR", "at_a_terminal", "board"]

#: Clocks of a second: one of the board is about as long as its simulation takes.
_CLOCK_HZ = {"qpu": 100_000, "gpu": 20_000}
#: Clocks of a bit.
DIVISOR = 4
#: Of the smaller one.
BAUD = _CLOCK_HZ["qpu"] // DIVISOR
_DRIVER = Path(__file__).with_name("rig.cc")
#: Seconds between frames.
_PAUSE = 0.005
#: Memory of each configuration: its size, and where it begins.
_MEMORIES = {"qpu": (1 << 16, 1 << 16), "gpu": (4 << 20, 0)}
#: Larger than a chip has it.
_OUTSIDE = {"gpu"}


class _Outside(wiring.Component):
    """A memory that is elsewhere, see `BoardSystem`."""

    def __init__(self, size: int, base: int, tag_bits: int):
        self.size, self.base = size, base
        port = MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)
        ports = {"bus": In(port), "outside": Out(port), "ready": Out(1), "error_stb": Out(1), "error_address": Out(32)}
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        connect(m, flipped(self.bus), flipped(self.outside))
        m.d.comb += self.ready.eq(1)
        return m


class _WithOutside(wiring.Component):
    """A system with a memory that is elsewhere."""

    def __init__(self, name: str):
        size, base = _MEMORIES[name]
        make = partial(_Outside, size, base)
        self.system = BoardSystem(preset(name), make, clock_hz=_CLOCK_HZ[name], baud=_baud(name))
        outside = Out(self.system.memory.outside.signature)
        super().__init__({"rx": In(1, init=1), "tx": Out(1), "outside": outside})

    def elaborate(self, platform):
        m = Module()
        m.submodules.system = system = self.system
        m.d.comb += [system.rx.eq(self.rx), self.tx.eq(system.tx)]
        connect(m, system.memory.outside, flipped(self.outside))
        return m


def _baud(name: str) -> int:
    return _CLOCK_HZ[name] // DIVISOR


def _on_chip(name: str) -> BoardSystem:
    size, base = _MEMORIES[name]
    make = partial(OnChipMemory, size, base)
    return BoardSystem(preset(name), make, clock_hz=_CLOCK_HZ[name], baud=_baud(name))


@cache
def _library(name: str) -> ctypes.CDLL:
    bench = _DRIVER.read_text()

    def make():
        if name not in _OUTSIDE:
            return _on_chip(name), bench
        top = _WithOutside(name)
        return top, f"#define TAG_BITS {top.outside.signature.tag_bits}\n{bench}"

    boards = sorted(Path(vc4.boards.__file__).parent.glob("*.py"))
    sources = [path.read_text() for path in (Path(__file__), *boards)]
    return native_rig(make, name, f"{_MEMORIES[name]} {_CLOCK_HZ[name]}", bench, *sources)


@contextmanager
def board(name: str = "qpu", faults: Faults | None = None) -> Iterator[str]:
    """A board with the GPU of a preset; what a host calls it: `uart:/dev/pts/N,BAUD`."""
    with at_a_terminal(_library(name), _baud(name), _MEMORIES[name][0], faults) as device:
        yield device


@contextmanager
def at_a_terminal(
    library: ctypes.CDLL, baud: int, memory_bytes: int = 0, faults: Faults | None = None
) -> Iterator[str]:
    """The board of a library of `rig.cc` with bits of `DIVISOR` clocks; what a host calls it."""
    library.serve.restype = ctypes.c_uint64
    library.serve.argtypes = (ctypes.c_int, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)
    ours, theirs = socket.socketpair()
    master, slave = os.openpty()
    tty.setraw(slave)
    stop, clocks = ctypes.c_uint32(), []
    ends = threading.Event()
    threads = [
        threading.Thread(
            target=lambda: clocks.append(library.serve(theirs.fileno(), DIVISOR, memory_bytes, ctypes.byref(stop)))
        ),
        threading.Thread(target=_pass, args=(ours, master, faults or Faults(), ends)),
    ]
    for thread in threads:
        thread.start()
    try:
        yield f"uart:{os.ttyname(slave)},{baud}"
    finally:
        stop.value = 1
        ends.set()
        for thread in threads:
            thread.join()
        ours.close()
        theirs.close()
        os.close(slave)
        os.close(master)
    assert clocks[0], "a check of the hardware fails"


def _frame(board_side: socket.socket) -> bytes:
    """What comes without a pause."""
    data = board_side.recv(4096)
    while select.select([board_side], [], [], _PAUSE)[0]:
        data += board_side.recv(4096)
    return data


def _pass(board_side: socket.socket, master: int, faults: Faults, ends: threading.Event) -> None:
    """Bytes both ways, with faults."""
    while not ends.is_set():
        ready, _, _ = select.select([board_side, master], [], [], 0.02)
        if board_side in ready:
            os.write(master, faults.of(_frame(board_side)))
        if master in ready:
            board_side.sendall(faults.of(os.read(master, 4096)))
