"""Messages of the adapter against the schema of the protocol, as another implementation ships it."""

import contextlib
import io
import json
from importlib import resources

import pytest

from vc4sim.debug.dap import read_message, serve, write_message

from .transcripts import FOLDER, console

jsonschema = pytest.importorskip("jsonschema")
pytest.importorskip("debugpy")
SCHEMA = "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"


@pytest.fixture(scope="module")
def schema():
    return json.loads((resources.files("debugpy") / SCHEMA).read_text("utf-8"))


def definition(message):
    """The name of what a message must be."""
    if message["type"] == "response" and not message["success"]:
        return "ErrorResponse"
    name = message.get("event") or message["command"]
    return f"{name[0].upper()}{name[1:]}{message['type'].capitalize()}"


def check(schema, message, name):
    """Raises `ValidationError` unless a message is what the schema calls so."""
    jsonschema.Draft4Validator(schema | {"$ref": f"#/definitions/{name}"}).validate(message)


#: A session with everything that an editor asks for.
REQUESTS = (
    ("initialize", {"adapterID": "vc4", "supportsInvalidatedEvent": True}),
    ("launch", {"stopOnEntry": True}),
    ("setBreakpoints", {"source": {"path": str(FOLDER / "sums.qasm")}, "breakpoints": [{"line": 5}, {"line": 40}]}),
    ("setFunctionBreakpoints", {"breakpoints": [{"name": "store"}, {"name": "nowhere"}]}),
    ("setExceptionBreakpoints", {"filters": ["stall"]}),
    ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "0x10010"}]}),
    ("configurationDone", {}),
    ("threads", {}),
    ("continue", {"threadId": 1}),
    ("stackTrace", {"threadId": 1}),
    ("scopes", {"frameId": 1}),
    *(("variables", {"variablesReference": number}) for number in (1, 2, 4, 5, 6)),
    ("setVariable", {"variablesReference": 1, "name": "r0", "value": "5"}),
    ("setExpression", {"expression": "r0[2]", "value": "1.5", "frameId": 1}),
    ("evaluate", {"expression": "r0", "frameId": 1}),
    ("evaluate", {"expression": "step", "context": "repl"}),
    ("dataBreakpointInfo", {"name": "r0"}),
    ("dataBreakpointInfo", {"name": "nothing"}),
    ("setDataBreakpoints", {"breakpoints": [{"dataId": "r0"}]}),
    *((name, {"threadId": 1}) for name in ("next", "stepIn", "stepBack", "stepOut", "reverseContinue")),
    ("readMemory", {"memoryReference": "0x10000", "count": 16}),
    ("readMemory", {"memoryReference": "0", "count": 16}),
    ("writeMemory", {"memoryReference": "0x10000", "data": "AAAA"}),
    ("disassemble", {"memoryReference": "0x10000", "instructionCount": 4, "instructionOffset": -2}),
    ("goto", {"threadId": 1, "targetId": 1}),
    ("source", {"sourceReference": 1}),
    *(("setBreakpoints", {"source": {"path": str(FOLDER / "sums.qasm")}}), ("setFunctionBreakpoints", {"breakpoints": []})),
    *((name, {one: []}) for name, one in (("setExceptionBreakpoints", "filters"), ("setDataBreakpoints", "breakpoints"))),
    ("setInstructionBreakpoints", {"breakpoints": []}),
    *[("continue", {"threadId": 1})] * 2,
    ("terminate", {}),
    ("disconnect", {}),
)  # fmt: skip


def test_every_message_keeps_to_the_schema(schema):
    requests, answers = io.BytesIO(), io.BytesIO()
    for number, (command, arguments) in enumerate(REQUESTS, 1):
        message = {"seq": number, "type": "request", "command": command, "arguments": arguments}
        check(schema, message, definition(message))
        write_message(requests, message)
    requests.seek(0)
    with contextlib.chdir(FOLDER):
        one = console("sums.qasm", "--uniform", "3", "--uniform", "&out", "--buffer", "out=64")
        serve(one, requests, answers)
    answers.seek(0)
    seen = []
    while message := read_message(answers):
        seen.append(definition(message))
        check(schema, message, seen[-1])
    assert {"InitializedEvent", "StoppedEvent", "InvalidatedEvent", "ExitedEvent", "TerminatedEvent"} <= {*seen}
    # There are no places that the program can be sent to.
    assert seen.count("ErrorResponse") == 1


def test_the_schema_finds_what_is_missing(schema):
    message = {"seq": 1, "type": "event", "event": "stopped", "body": {}}
    with pytest.raises(jsonschema.ValidationError, match="'reason' is a required property"):
        check(schema, message, "StoppedEvent")
