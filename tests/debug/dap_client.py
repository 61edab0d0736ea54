"""A client of the Debug Adapter Protocol, as small as can be."""

import itertools
from typing import BinaryIO

from vc4sim.debug.dap import read_message, write_message

__all__ = ["Client", "Refused"]


class Refused(Exception):
    """A request has failed; the text is that of the adapter."""


class Client:
    """Sends requests, and keeps events until somebody asks for them."""

    def __init__(self, answers: BinaryIO, requests: BinaryIO):
        self.events: list[dict] = []
        self._answers, self._requests = answers, requests
        self._numbers, self._seen = itertools.count(1), itertools.count(1)

    def send(self, command: str, **arguments) -> int:
        """Send a request, and wait for nothing; returns its number."""
        number = next(self._numbers)
        write_message(self._requests, {"seq": number, "type": "request", "command": command, "arguments": arguments})
        return number

    def _receive(self) -> dict:
        message = read_message(self._answers)
        assert message is not None, "the adapter has ended"
        assert message["seq"] == next(self._seen)
        return message

    def response(self, number: int) -> dict:
        """The body of the response to a request; events before it are kept."""
        while (message := self._receive())["type"] == "event":
            self.events.append(message)
        assert message["request_seq"] == number
        if not message["success"]:
            raise Refused(message["message"])
        return message["body"]

    def ask(self, command: str, **arguments) -> dict:
        """A request and its response."""
        return self.response(self.send(command, **arguments))

    def event(self, name: str) -> dict:
        """The body of the next event, which must have this name."""
        message = self.events.pop(0) if self.events else self._receive()
        assert (message["type"], message.get("event")) == ("event", name), message
        return message.get("body", {})

    def go(self, command: str, **arguments) -> dict:
        """A request after which the run goes on, and stops; returns the body of the event."""
        self.ask(command, threadId=1, **arguments)
        return self.event("stopped")

    def begin(self, **launch) -> dict:
        """The beginning of a session; returns what the adapter can do."""
        found = self.ask("initialize", adapterID="vc4", linesStartAt1=True)
        self.event("initialized")
        self.ask("launch", **launch)
        return found
