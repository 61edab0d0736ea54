"""The debugger as a server of the Debug Adapter Protocol."""

import base64
import io
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from vc4sim.debug.dap import read_message, serve, write_message
from vc4sim.problem import BadInput

from .dap_client import Client, Refused
from .transcripts import FOLDER, console

SUMS = ("sums.qasm", "--uniform", "3", "--uniform", "&out", "--buffer", "out=64")
TEAM = ("team.qasm", "--launch", "&program", "--uniform", "0", "--launch", "&program", "--uniform", "1")
FRAME = (str(Path(__file__).parents[1] / "data/cases/gl/tri_flat"),)


@contextmanager
def connected(*arguments):
    """A client of a server in a thread."""
    (requests, to_server), (answers, from_server) = os.pipe(), os.pipe()
    streams = os.fdopen(requests, "rb"), os.fdopen(from_server, "wb")
    client = Client(os.fdopen(answers, "rb"), os.fdopen(to_server, "wb"))
    one = console(*arguments)

    def run():
        serve(one, *streams)
        for stream in streams:
            stream.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield client
    finally:
        client._requests.close()
        thread.join(20)
        client._answers.close()
        assert not thread.is_alive()


@pytest.fixture
def sums(monkeypatch):
    """A client at the beginning of a program with a source."""
    monkeypatch.chdir(FOLDER)
    with connected(*SUMS) as client:
        client.begin()
        client.ask("configurationDone")
        assert client.event("stopped") == {"reason": "entry", "threadId": 1, "allThreadsStopped": True}
        yield client


def line_of(client, thread=1):
    """Where a QPU is."""
    frames = client.ask("stackTrace", threadId=thread)["stackFrames"]
    return frames[0]["line"] if frames else None


def value_of(client, expression, **more):
    return client.ask("evaluate", expression=expression, frameId=1, **more)["result"]


def test_what_the_adapter_can_do():
    with connected("hang.qasm") as client:
        found = client.begin()
        names = ["ConfigurationDoneRequest", "StepBack", "DisassembleRequest", "ReadMemoryRequest", "DataBreakpoints"]
        assert all(found[f"supports{name}"] for name in [*names, "InstructionBreakpoints", "FunctionBreakpoints"])
        client.ask("disconnect")


def test_steps_forwards_and_backwards(sums):
    assert line_of(sums) == 2
    assert sums.go("stepIn")["reason"] == "step"
    assert [sums.go("next")["reason"] for _ in range(3)] == ["step"] * 3
    assert line_of(sums) == 7
    sums.go("next")
    assert line_of(sums) == 5
    sums.go("stepBack")
    assert line_of(sums) == 10
    sums.go("next", granularity="instruction")
    assert line_of(sums) == 5
    assert sums.go("reverseContinue")["reason"] == "entry"
    assert line_of(sums) == 2


def test_breakpoints_in_a_source(sums):
    source = {"path": str(FOLDER / "sums.qasm")}
    found = sums.ask("setBreakpoints", source=source, breakpoints=[{"line": 4}, {"line": 12}, {"line": 40}])
    first, second, third = found["breakpoints"]
    assert (first["verified"], first["line"], second["line"]) == (True, 5, 12)
    assert not third["verified"]
    stopped = sums.go("continue")
    assert (stopped["reason"], stopped["hitBreakpointIds"]) == ("breakpoint", [first["id"]])
    sums.ask("setBreakpoints", source=source, breakpoints=[{"line": 12}])
    sums.go("continue")
    assert line_of(sums) == 12
    assert value_of(sums, "r0[0] signed") == "6"
    assert sums.go("reverseContinue")["reason"] == "entry"


def test_other_breakpoints(sums):
    reference = sums.ask("stackTrace", threadId=1)["stackFrames"][0]["instructionPointerReference"]
    wanted = [{"instructionReference": reference, "offset": 16}]
    found = sums.ask("setInstructionBreakpoints", breakpoints=wanted)["breakpoints"]
    assert found[0]["line"] == 5
    assert sums.go("continue")["reason"] == "instruction breakpoint"
    sums.ask("setInstructionBreakpoints", breakpoints=[])
    found = sums.ask("setFunctionBreakpoints", breakpoints=[{"name": "store"}, {"name": "nowhere"}])["breakpoints"]
    assert [one["verified"] for one in found] == [True, False]
    assert sums.go("continue")["reason"] == "function breakpoint"
    assert line_of(sums) == 14


def test_data_breakpoints(sums):
    scope = sums.ask("scopes", frameId=1)["scopes"][2]
    register = sums.ask("dataBreakpointInfo", variablesReference=scope["variablesReference"], name="rb3")
    memory = sums.ask("dataBreakpointInfo", name="&out", asAddress=True, bytes=8)
    assert (register["dataId"], memory["dataId"]) == ("rb3 qpu 0", "[0x00010100, 8]")
    assert sums.ask("dataBreakpointInfo", name="again")["dataId"] is None
    assert sums.ask("dataBreakpointInfo", variablesReference=scope["variablesReference"], name="x")["dataId"] is None
    sums.ask("setDataBreakpoints", breakpoints=[{"dataId": one["dataId"]} for one in (register, memory)])
    assert sums.go("continue")["text"] == "QPU 0 has written rb3=00000003*16"
    for _ in range(2):
        sums.go("continue")
    stopped = sums.go("continue")
    assert (stopped["reason"], stopped["text"]) == ("data breakpoint", "QPU 0 has written 64 bytes at 0x00010100")


def test_registers_are_variables(sums):
    for _ in range(8):
        sums.go("stepIn")
    scopes = {one["name"]: one for one in sums.ask("scopes", frameId=1)["scopes"]}
    assert list(scopes) == ["Accumulators", "Register file A", "Register file B", "Flags", "Uniforms"]
    found = {
        name: sums.ask("variables", variablesReference=one["variablesReference"])["variables"]
        for name, one in scopes.items()
    }
    assert [one["name"] for one in found["Accumulators"]] == ["r0", "r1", "r2", "r3", "r4", "r5"]
    assert len(found["Register file A"]) == len(found["Register file B"]) == 32
    assert found["Accumulators"][0]["value"] == "00000003*16"
    assert found["Flags"][1] == found["Flags"][1] | {"name": "z", "value": "0" * 16}
    assert found["Uniforms"][0]["value"].startswith("0x00010100")
    elements = sums.ask("variables", variablesReference=found["Register file A"][0]["variablesReference"])["variables"]
    assert len(elements) == 16
    assert elements[15]["value"].split() == ["0x00000002", "2", "2.80259693e-45"]
    assert value_of(sums, elements[15]["evaluateName"]) == "00000002"
    window = sums.ask("variables", variablesReference=scopes["Register file B"]["variablesReference"], start=3, count=2)
    assert [one["name"] for one in window["variables"]] == ["rb3", "rb4"]


def test_disassembly_and_memory(sums):
    found = sums.ask("disassemble", memoryReference="0x10010", instructionOffset=-3, instructionCount=6)["instructions"]
    assert [one["address"] for one in found] == [f"{0xFFF8 + 8 * number:#010x}" for number in range(6)]
    assert found[0]["presentationHint"] == "invalid"
    assert (found[3]["symbol"], found[3]["line"]) == ("again", 5)
    assert found[3]["instruction"] == "add r0, r0, ra0"
    assert found[3]["location"] == {"name": "sums.qasm", "path": str(FOLDER / "sums.qasm")}
    memory = sums.ask("readMemory", memoryReference="0x100c0", offset=4, count=4)
    assert base64.b64decode(memory["data"]) == (0x10100).to_bytes(4, "little")
    there = sums.ask("readMemory", memoryReference="0x10130", count=32)
    assert (len(base64.b64decode(there["data"])), there["unreadableBytes"]) == (16, 16)
    assert sums.ask("readMemory", memoryReference="0", count=4) == {
        "address": "0x00000000",
        "data": "",
        "unreadableBytes": 4,
    }


def test_expressions_and_commands(sums):
    assert value_of(sums, "pc") == "00010000"
    place = sums.ask("evaluate", expression="[&out, 8]", context="watch")
    assert (place["result"], place["memoryReference"]) == ("00000000*2", "0x00010100")
    assert value_of(sums, "breakpoints", context="repl") == "there are no breakpoints"
    assert value_of(sums, "step 2", context="repl").endswith("again  add r0, r0, ra0")
    assert sums.event("stopped")["reason"] == "step"
    with pytest.raises(Refused, match="frobnicate: there is no place of this name"):
        value_of(sums, "frobnicate", context="repl")


def test_the_end_of_a_run_is_not_that_of_the_session(sums):
    stopped = sums.go("continue")
    assert (stopped["reason"], stopped["description"]) == ("pause", "all programs have ended")
    assert line_of(sums) is None
    sums.go("stepBack")
    assert line_of(sums) == 20
    sums.go("continue")
    sums.ask("continue", threadId=1)
    sums.event("exited")
    sums.event("terminated")


def test_each_qpu_is_a_thread():
    with connected(*TEAM) as client:
        client.begin()
        assert [one["filter"] for one in client.ask("initialize")["exceptionBreakpointFilters"]] == ["stall"]
        client.event("initialized")
        client.ask("setExceptionBreakpoints", filters=["stall"])
        client.ask("configurationDone")
        client.event("stopped")
        assert [one["name"] for one in client.ask("threads")["threads"]][:2] == ["QPU 0", "QPU 1"]
        stopped = client.go("continue")
        assert (stopped["reason"], stopped["threadId"]) == ("exception", 1)
        assert stopped["text"] == "QPU 0 cannot go on: semaphore 3, which is 0"
        assert (line_of(client, 1), line_of(client, 2)) == (8, 15)
        client.ask("next", threadId=2)
        assert client.event("stopped")["threadId"] == 2
        assert (line_of(client, 1), line_of(client, 2)) == (8, 16)


def test_a_frame_has_no_source():
    with connected(*FRAME) as client:
        client.begin(stopOnEntry=False)
        client.ask("setFunctionBreakpoints", breakpoints=[{"name": "start fragment"}])
        client.ask("configurationDone")
        assert client.event("stopped")["text"] == "QPU 0 begins a fragment program"
        frame = client.ask("stackTrace", threadId=1)["stackFrames"][0]
        assert (frame["name"], frame["line"]) == ("fragment program", 0)
        assert "source" not in frame
        assert value_of(client, "tile", context="repl").startswith("tile at pixel 0 0")


def test_a_source_of_the_package_has_a_number():
    with connected("mandelbrot") as client:
        client.begin()
        source = client.ask("stackTrace", threadId=1)["stackFrames"][0]["source"]
        text = client.ask("source", sourceReference=source["sourceReference"])["content"]
        assert text.splitlines()[12].strip().startswith("ldi vw_setup")
        with pytest.raises(Refused, match="there is no source 5"):
            client.ask("source", sourceReference=5)


def test_a_pause_reaches_a_run(tmp_path):
    path = tmp_path / "endless.qasm"
    path.write_text(":loop\nbrr -, r:loop\nnop\nnop\nnop\n")
    with connected(str(path)) as client:
        client.begin(stopOnEntry=False)
        client.ask("configurationDone")
        number = client.send("pause", threadId=1)
        assert client.event("stopped")["reason"] == "pause"
        client.response(number)
        client.go("stepIn")
        # Whoever goes away leaves no run that goes on.
        client.ask("continue", threadId=1)


@pytest.mark.parametrize(
    ("command", "arguments", "says"),
    [
        ("restart", {}, "restart: there is no such request here"),
        ("stackTrace", {}, "stackTrace: there is no threadId"),
        ("stackTrace", {"threadId": 5}, "there is no thread 5"),
        ("stackTrace", {"threadId": "x"}, "stackTrace: threadId must be an integer"),
        ("variables", {"variablesReference": 99999}, "there are no variables 99999"),
        ("readMemory", {"memoryReference": "here", "count": 4}, "here: is no address"),
        ("disassemble", {"memoryReference": "0", "instructionCount": 1 << 20}, "at most 4096 instructions"),
        ("evaluate", {"expression": "r0[99]"}, "a vector has 16 elements"),
    ],
)
def test_wrong_requests_are_refused(sums, command, arguments, says):
    with pytest.raises(Refused, match=says.replace("[", r"\[")):
        sums.ask(command, **arguments)
    assert line_of(sums) == 2


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"Content-Length: x\r\n\r\n{}", "wrong length"),
        (b"Length: 2\r\n\r\n{}", "no Content-Length"),
        (b"Content-Length: 2\r\n\r\n[]", "no object"),
        (b"Content-Length: 2\r\n\r\n{x", "no JSON"),
    ],
)
def test_what_is_no_message(data, says):
    with pytest.raises(BadInput, match=says):
        serve(console("hang.qasm"), io.BytesIO(data), io.BytesIO())


def test_messages_have_any_headers_and_characters():
    stream = io.BytesIO()
    write_message(stream, {"text": "\u00e4\u20ac"})
    data = b"Content-Type: x\r\n" + stream.getvalue()
    assert read_message(io.BytesIO(data)) == {"text": "\u00e4\u20ac"}
    assert read_message(io.BytesIO()) is None


def test_the_command_speaks_it():
    root = Path(__file__).parents[2]
    packages = os.pathsep.join(str(root / name) for name in ("rtl", "sim"))
    command = [sys.executable, "-c", "import sys; from vc4sim.cli import main; sys.exit(main())", "debug", "--dap"]
    with subprocess.Popen(
        [*command, "hang.qasm"],
        cwd=FOLDER,
        env=os.environ | {"PYTHONPATH": packages},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        client = Client(process.stdout, process.stdin)
        client.begin()
        client.ask("configurationDone")
        assert client.event("stopped")["reason"] == "entry"
        client.ask("disconnect")
        assert process.wait(30) == 0
        assert process.stdout.read() == b""


def reference_of(client, name, scope=0):
    """The number of a register's elements."""
    scopes = client.ask("scopes", frameId=1)["scopes"]
    found = client.ask("variables", variablesReference=scopes[scope]["variablesReference"])["variables"]
    return scopes[scope]["variablesReference"], next(one for one in found if one["name"] == name)["variablesReference"]


def test_variables_are_set(sums):
    sums.go("stepIn")
    scope, elements = reference_of(sums, "ra0", 1)
    assert sums.ask("setVariable", variablesReference=scope, name="ra0", value="2")["value"] == "00000002*16"
    found = sums.ask("setVariable", variablesReference=elements, name="[3]", value="1.5")
    assert found["value"] == "0x3fc00000  1069547520  1.5"
    assert sums.ask("setExpression", expression="z", value="0000000000000011", frameId=1)["value"] == "0" * 14 + "11"
    assert sums.ask("setExpression", expression="n[2]", value="1")["value"] == "1"
    assert value_of(sums, "ra0[3] float") == "1.5"
    sums.go("stepBack")
    assert value_of(sums, "ra0[3]") == "00000000"
    sums.go("stepIn")
    assert (value_of(sums, "ra0[3] float"), value_of(sums, "ra0[0]")) == ("1.5", "00000002")


def test_uniforms_and_memory_are_set(sums):
    scopes = sums.ask("scopes", frameId=1)["scopes"]
    (uniforms,) = (one["variablesReference"] for one in scopes if one["name"] == "Uniforms")
    first = sums.ask("variables", variablesReference=uniforms)["variables"][0]
    sums.ask("setVariable", variablesReference=uniforms, name=first["name"], value="7")
    sums.go("stepIn")
    assert value_of(sums, "ra0 signed") == "7*16"
    out = sums.ask("evaluate", expression="[&out]")["memoryReference"]
    data = base64.b64encode(bytes(range(8))).decode()
    assert sums.ask("writeMemory", memoryReference=out, offset=56, data=data) == {"bytesWritten": 8}
    assert base64.b64decode(sums.ask("readMemory", memoryReference=out, offset=56, count=8)["data"]) == bytes(range(8))
    assert sums.ask("writeMemory", memoryReference=out, offset=60, data=data, allowPartial=True) == {"bytesWritten": 4}
    for wrong in ({"offset": 60}, {"offset": 1 << 20}, {"data": "??"}):
        with pytest.raises(Refused, match="not all in memory|base64"):
            sums.ask("writeMemory", **{"memoryReference": out, "offset": 0, "data": data} | wrong)


def test_who_wants_to_know_is_told_that_something_has_changed():
    with connected(*SUMS) as client:
        client.ask("initialize", supportsInvalidatedEvent=True)
        client.event("initialized")
        client.ask("evaluate", expression="set r0 5", context="repl")
        assert client.event("invalidated") == {"areas": ["variables"]}
        client.ask("setExpression", expression="r0[1]", value="6", frameId=1)
        assert client.event("invalidated") == {"areas": ["variables"]}
        client.ask("disconnect")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("r9", "1", "r9: there is no such variable"),
        ("r4", "1", "r4: must be r0 to r3"),
        ("r0", "", "r0: a value is missing"),
        ("r0", "1 2", "r0: takes 1 value or 16, not 2"),
        ("r0", "one", "r0: one: must be an integer"),
    ],
)
def test_wrong_values_of_variables(sums, name, value, says):
    scope, _ = reference_of(sums, "r0")
    with pytest.raises(Refused, match=says):
        sums.ask("setVariable", variablesReference=scope, name=name, value=value)
