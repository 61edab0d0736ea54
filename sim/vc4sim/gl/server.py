"""A GPU for programs in other processes: the C library calls it through a socket, and shares its memory."""

import mmap
import os
import selectors
import socket
import struct
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..problem import BadInput
from .device import Device

__all__ = ["Server", "serving"]

#: Number of the call, offset, value; for the first one, which has a descriptor of memory with it: 0, its size, where it begins.
_REQUEST = struct.Struct("=IIQ")
#: Whether it is an error, whose text of so many bytes follows; else the result.
_REPLY = struct.Struct("=II")


class _Client:
    """A program that has opened its GPU."""

    def __init__(self, connection: socket.socket, open_device: Callable[[memoryview], Device]):
        self.connection = connection
        self._open_device = open_device
        self._device: Device | None = None

    def answer(self) -> bool:
        """One call; returns whether there may be more. A program may be killed at any time."""
        try:
            return self._answer()
        except ConnectionError:
            self.close()
            return False

    def _answer(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.connection, _REQUEST.size, 1, socket.MSG_WAITALL)
        if len(message) < _REQUEST.size:
            self.close()
            return False
        call, offset, value = _REQUEST.unpack(message)
        try:
            word = self._device.call(call, offset, value) if self._device else self._open(descriptors[0], offset, value)
        except BadInput as error:
            return self._refuse(str(error))
        except Exception:
            traceback.print_exc()
            return self._refuse("this is a fault of the simulator")
        self.connection.sendall(_REPLY.pack(0, word))
        return True

    def _refuse(self, what: str) -> bool:
        """The program ends with this line."""
        text = what.encode()
        self.connection.sendall(_REPLY.pack(1, len(text)) + text)
        self.close()
        return False

    def _open(self, descriptor: int, size: int, start: int) -> int:
        page_start = start - start % mmap.ALLOCATIONGRANULARITY
        memory = mmap.mmap(descriptor, start - page_start + size, offset=page_start)
        os.close(descriptor)
        self._device = self._open_device(memoryview(memory)[start - page_start :])
        return 0

    def close(self) -> None:
        """The program has gone."""
        if self._device:
            self._device.close()
            self._device = None
        self.connection.close()


class Server:
    """Answers programs whose environment has `path` as ``VC4_SERVER``, one call at a time."""

    def __init__(self, path: Path, open_device: Callable[[memoryview], Device]):
        self.path = path
        self._open_device = open_device
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._events = selectors.DefaultSelector()
        self._events.register(self._listener, selectors.EVENT_READ)

    def serve(self, pid: int) -> None:
        """Until the process `pid`, a child, has ended."""
        end = os.pidfd_open(pid)
        self._events.register(end, selectors.EVENT_READ)
        try:
            while not self._handle_events():
                pass
        finally:
            self._events.unregister(end)
            os.close(end)

    def _handle_events(self) -> bool:
        """Wait for some; returns whether the child has ended."""
        return max([self._handle(key) for key, _ in self._events.select()], default=False)

    def _handle(self, key: selectors.SelectorKey) -> bool:
        """What has happened; returns whether the child has ended."""
        if key.fileobj is self._listener:
            client = _Client(self._listener.accept()[0], self._open_device)
            self._events.register(client.connection, selectors.EVENT_READ, client)
        elif key.data is None:
            return True
        elif not key.data.answer():
            self._events.unregister(key.fileobj)
        return False

    def close(self) -> None:
        """Leave those that are still there."""
        for key in [*self._events.get_map().values()]:
            if key.data is not None:
                key.data.close()
        self._events.close()
        self._listener.close()


@contextmanager
def serving(open_device: Callable[[memoryview], Device]) -> Iterator[Server]:
    """A server with a path of its own, while the block runs."""
    with tempfile.TemporaryDirectory(prefix="vc4-") as folder:
        server = Server(Path(folder) / "gpu", open_device)
        try:
            yield server
        finally:
            server.close()
