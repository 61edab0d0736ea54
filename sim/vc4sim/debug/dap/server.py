"""The adapter between two streams: requests in, responses and events out."""

import itertools
import queue
import threading
from typing import BinaryIO

from ...problem import BadInput
from ..console import Console
from .adapter import Adapter
from .messages import Message, read_message, write_message

__all__ = ["serve"]

_PAUSE = "pause"


def serve(console: Console, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the client disconnects, or there are no more. Raises `BadInput` if what comes is no message.

    A thread of its own reads them, so that a pause reaches a run.
    """
    coming: queue.SimpleQueue[Message | BadInput | None] = queue.SimpleQueue()

    def read() -> None:
        try:
            while message := read_message(requests):
                if message.get("command") == _PAUSE:
                    console.session.interrupt()
                coming.put(message)
            coming.put(None)
        except BadInput as error:
            coming.put(error)
        console.session.interrupt()

    threading.Thread(target=read, daemon=True).start()
    adapter, numbers = Adapter(console), itertools.count(1)

    def tell(kind: str, **content) -> None:
        write_message(answers, {"seq": next(numbers), "type": kind, **content})

    while not adapter.is_done and (message := coming.get()) is not None:
        if isinstance(message, BadInput):
            raise message
        if message.get("type") != "request":
            continue
        command, arguments = str(message.get("command")), message.get("arguments") or {}
        about = {"request_seq": message.get("seq", 0), "command": command}
        try:
            body = adapter.answer(command, arguments)
            tell("response", **about, success=True, body=body)
        except BadInput as error:
            tell(
                "response", **about, success=False, message=str(error), body={"error": {"id": 1, "format": str(error)}}
            )
        for event, body in adapter.events():
            tell("event", event=event, body=body)
