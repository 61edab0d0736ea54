"""Requests that are answered, whatever the line does to them."""

import random
import time
from dataclasses import dataclass

from vc4.boards.protocol import WORD_BYTES, Command, Fact, Status

from ..problem import BadInput
from .frames import ANSWER_BYTES, Reply, Search, request_frame
from .transport import Transport

__all__ = ["Link", "LinkStatistics", "NoAnswer", "Refused"]

_SEQUENCES = 256
_BITS_OF_A_BYTE = 10
#: How often a request is sent at the most, and how often if there is another way to do the same.
_ATTEMPTS, _FEW_ATTEMPTS = 8, 2
#: Seconds that an answer may take beside the bytes themselves, the first time; a system may be busy, so then it gets twice as
#: much, and so on, up to so many times as much.
_PATIENCE = 0.2
_MOST_PATIENT = 5
#: Seconds without a byte after which a board drops what has come of a request, until it has told its own; it gets a bit more, and
#: more each time.
_PAUSE = 0.05
#: What a status says of a request.
_REFUSALS = {Status.BAD_REQUEST: "the board refuses", Status.MEMORY_ERROR: "memory has answered with an error to"}


class NoAnswer(BadInput):
    """Nobody answers, or nothing that is undamaged."""


class Refused(BadInput):
    """The board has refused a request."""


@dataclass
class LinkStatistics:
    """What has happened on a line.

    requests : that were answered
    repeats : how often one was sent again
    sent, received : bytes
    """

    requests: int = 0
    repeats: int = 0
    sent: int = 0
    received: int = 0


class Link:
    """Sends requests over a line that may damage, lose, add or repeat bytes, and returns their answers. A request is done once,
    however often it is sent, or, if there is no answer, once or not at all.

    transport : the line
    statistics : what has happened
    pause : seconds without a byte after which the board drops what has come of a request
    """

    def __init__(self, transport: Transport):
        self.transport, self.statistics, self.pause = transport, LinkStatistics(), _PAUSE
        self._sequence = 0

    def connect(self) -> bytes:
        """Begin; the next request is the first one. Returns the facts of the board, as words."""
        self._sequence = random.randrange(_SEQUENCES)
        frame = request_frame(self._sequence, Command.CONNECT, 0, 0)
        return self._exchange(frame, self._seconds(frame, len(Fact)), _ATTEMPTS)

    def request(
        self,
        command: Command,
        address: int = 0,
        *,
        data: bytes = b"",
        words: int = 0,
        seconds: float = 0.0,
        is_vital: bool = True,
    ) -> bytes:
        """Have a command carried out once; returns the words of the answer.

        data : words of the request
        words : so many are asked for, if it has none
        seconds : that the board may need
        is_vital : there is no other way to do the same: it is repeated often

        Raises `NoAnswer`, and `Refused`.
        """
        self._sequence = (self._sequence + 1) % _SEQUENCES
        attempts = _ATTEMPTS if is_vital else _FEW_ATTEMPTS
        frame = request_frame(self._sequence, command, len(data) // WORD_BYTES or words, address, data)
        seconds += self._seconds(frame, len(Fact) if command is Command.FACTS else words)
        try:
            return self._exchange(frame, seconds, attempts)
        except Refused as refused:
            raise Refused(f"{self.transport.name}: {refused} {command.name} at {address:#010x}") from None

    def _seconds(self, frame: bytes, words: int) -> float:
        """Twice what a request takes on the line, with an answer of so many words."""
        return 2 * (len(frame) + ANSWER_BYTES + WORD_BYTES * words) * _BITS_OF_A_BYTE / self.transport.baud

    def _exchange(self, frame: bytes, seconds: float, attempts: int) -> bytes:
        search = Search(self._sequence)
        for attempt in range(attempts):
            patience = min(2**attempt, _MOST_PATIENT)
            if attempt:
                self.statistics.repeats += 1
                search.add(self._drain(self.pause * patience))
            self.statistics.sent += len(frame)
            self.transport.write(frame)
            reply = self._wait(search, seconds + _PATIENCE * patience)
            if reply:
                self.statistics.requests += 1
                if reply.status != Status.OK:
                    raise Refused(_REFUSALS.get(reply.status, f"status {reply.status} of"))
                return reply.data
        raise NoAnswer(f"{self.transport.name}: no board answers at {self.transport.baud} baud")

    def _wait(self, search: Search, seconds: float) -> Reply | None:
        """The answer, if it comes in time; as long as bytes come, something may."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            data = self.transport.read(left)
            self.statistics.received += len(data)
            if reply := search.add(data):
                return reply
        return None

    def _drain(self, seconds: float) -> bytes:
        """Send nothing for so long, so that the board forgets what it has of a request; returns what comes meanwhile."""
        end, come = time.monotonic() + seconds, b""
        while (left := end - time.monotonic()) > 0:
            come += self.transport.read(left)
        self.statistics.received += len(come)
        return come
