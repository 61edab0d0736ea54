"""Tracks of the way to memory: requests of each client of the bus, from the clock in which memory takes them to their answer."""

from collections import deque

from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig

from ..events import MemoryWrite
from ..timed import Transfer, client_names
from .trace_file import TraceFile

__all__ = ["GROUP", "BusTracks", "WriteTrack"]

#: The process of the tracks, and its name.
GROUP, _NAME = 2, "memory"
#: Tracks of a client: requests that are under way at the same time have one each.
_LANES = 64


class BusTracks:
    """Writes them to `file`, for a GPU that is built as `config` says."""

    def __init__(self, file: TraceFile, config: V3DConfig):
        self._file = file
        self._clients, self._client_bits = client_names(config)
        self._asked: dict[int, deque[tuple[int, Transfer]]] = {}
        self._busy: list[list[bool]] = [[] for _ in self._clients]
        self._under_way = {"reads": 0, "writes": 0}

    def transfer(self, one: Transfer, origin: int) -> None:
        """A request, or the end of an answer, of a run whose first clock is `origin` here."""
        client = one.tag >> self._client_bits
        asked = self._asked.setdefault(one.tag, deque())
        if one.ends:
            lane, request = asked.popleft()
            self._busy[client][lane] = False
            self._tell(client, lane, origin, request, one.clock)
        else:
            request = one
            asked.append((self._lane(client), one))
        self._under_way["writes" if request.write else "reads"] += -1 if one.ends else 1
        self._file.counter(GROUP, origin + one.clock, "requests under way", **self._under_way)

    def forget(self) -> None:
        """The run is over; what has not been answered never is."""
        self._asked.clear()
        self._busy = [[] for _ in self._clients]
        self._under_way = dict.fromkeys(self._under_way, 0)

    def _lane(self, client: int) -> int:
        """A track of a client that is free from now on."""
        busy = self._busy[client]
        if all(busy):
            busy.append(False)
        lane = busy.index(False)
        busy[lane] = True
        return lane

    def _tell(self, client: int, lane: int, origin: int, request: Transfer, end: int) -> None:
        track = 1 + _LANES * client + lane
        self._file.track(GROUP, track, self._clients[client] + f", {lane + 1}" * bool(lane), _NAME)
        size = BUS_BYTES * request.words
        name = f"{'write' if request.write else 'read'} {size} bytes"
        about = self._file.about(name, "memory", address=f"{request.address:#010x}", bytes=size)
        self._file.slice(GROUP, track, origin + request.clock, end - request.clock + 1, about)


class WriteTrack:
    """The track of what the model writes to memory, which takes no time there."""

    def __init__(self, file: TraceFile):
        self._file = file
        self._clock, self._first, self._end = 0, 0, 0

    def write(self, event: MemoryWrite, clock: int) -> None:
        """Bytes that reach memory. Those after the ones before, at the same time, are told together."""
        if event.address != self._end or clock != self._clock:
            self.close()
            self._clock, self._first = clock, event.address
        self._end = event.address + len(event.data)

    def close(self) -> None:
        """Tell what is not told yet."""
        size = self._end - self._first
        if size:
            self._file.track(GROUP, 1, "writes", _NAME)
            about = self._file.about(f"write {size} bytes", "memory", address=f"{self._first:#010x}", bytes=size)
            self._file.instant(GROUP, 1, self._clock, about)
        self._first = self._end
