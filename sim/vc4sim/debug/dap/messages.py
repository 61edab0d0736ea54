"""Messages of the protocol as bytes: a header with the length, and JSON."""

import json
from typing import Any, BinaryIO

from ...problem import BadInput

__all__ = ["Message", "read_message", "write_message"]

Message = dict[str, Any]
_LENGTH = b"content-length"
_MOST_BYTES = 1 << 24


def read_message(stream: BinaryIO) -> Message | None:
    """The next message, `None` at the end. Raises `BadInput` if there is something else."""
    length = None
    while line := stream.readline():
        name, _, value = line.strip().partition(b":")
        if not name:
            break
        if name.lower() == _LENGTH:
            if not value.strip().isdigit() or int(value) > _MOST_BYTES:
                raise BadInput(f"a message has a wrong length: {value.strip()[:20]!r}")
            length = int(value)
    else:
        return None
    if length is None:
        raise BadInput("a message has no Content-Length")
    data = stream.read(length)
    try:
        message = json.loads(data)
    except ValueError as error:
        raise BadInput(f"a message is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise BadInput("a message is no object")
    return message


def write_message(stream: BinaryIO, message: Message) -> None:
    """Write one, and do not wait for more."""
    data = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
    stream.flush()
