"""Requests and answers as bytes, as `vc4.boards.protocol` has them."""

import struct
import zlib
from typing import NamedTuple

from vc4.boards.protocol import ANSWER_START, REQUEST_START, WORD_BYTES, Command

__all__ = ["ANSWER_BYTES", "Reply", "Search", "request_frame"]

#: First byte, sequence number, command, words, address; and of an answer, sequence number, status, words.
_REQUEST, _ANSWER = struct.Struct("<BBBBI"), struct.Struct("<BBBB")
_CHECK = struct.Struct("<I")
#: Bytes of an answer without words.
ANSWER_BYTES = _ANSWER.size + _CHECK.size


class Reply(NamedTuple):
    """An answer: how it went, and its words."""

    status: int
    data: bytes


def _check(frame: bytes) -> bytes:
    return _CHECK.pack(zlib.crc32(frame[1:]))


def request_frame(sequence: int, command: Command, words: int, address: int, data: bytes = b"") -> bytes:
    """A request; `data` are its words."""
    frame = _REQUEST.pack(REQUEST_START, sequence, command, words, address) + data
    return frame + _check(frame)


class Search:
    """Looks for the answer to the request of a number in all that comes, which may be anything."""

    def __init__(self, sequence: int):
        self._sequence, self._come = sequence, bytearray()

    def add(self, data: bytes) -> Reply | None:
        """The answer, if it is there with these bytes."""
        self._come += data
        place = -1
        while (place := self._come.find(ANSWER_START, place + 1)) >= 0:
            reply = self._answer_at(place)
            if reply:
                return reply
        return None

    def _answer_at(self, place: int) -> Reply | None:
        if len(self._come) < place + ANSWER_BYTES:
            return None
        _, sequence, status, words = _ANSWER.unpack_from(self._come, place)
        end = place + _ANSWER.size + words * WORD_BYTES
        frame = bytes(self._come[place:end])
        if sequence != self._sequence or self._come[end : end + _CHECK.size] != _check(frame):
            return None
        return Reply(status, frame[_ANSWER.size :])
