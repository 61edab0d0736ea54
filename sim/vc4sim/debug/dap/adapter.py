"""What each request does."""

import io
from collections.abc import Callable, Iterator
from typing import Any

from vc4.isa.word import WORD_BYTES

from ...problem import BadInput
from ..console import Console
from ..expression import evaluate, with_format
from ..formats import words_text
from ..session import Reason, Session, Stop
from .arguments import Arguments
from .breakpoints import EXCEPTIONS, BreakpointSets, address_of
from .views import Views

__all__ = ["Adapter"]

_Object = dict[str, Any]
_CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsInstructionBreakpoints": True,
    "supportsDataBreakpoints": True,
    "supportsDataBreakpointBytes": True,
    "supportsStepBack": True,
    "supportsSteppingGranularity": True,
    "supportsDisassembleRequest": True,
    "supportsReadMemoryRequest": True,
    "supportsWriteMemoryRequest": True,
    "supportsSetVariable": True,
    "supportsSetExpression": True,
    "supportsEvaluateForHovers": True,
    "supportsTerminateRequest": True,
    "exceptionBreakpointFilters": EXCEPTIONS,
}
#: Reasons of stops, but for breakpoints.
_REASONS = {Reason.STEP: "step", Reason.BEGINNING: "entry", Reason.INTERRUPTED: "pause", Reason.END: "pause"}
_INSTRUCTION = "instruction"
_REPL = "repl"
#: The command of the console that changes something.
_SET = "set "


class Adapter:
    """Answers requests about the session of a console, and tells events.

    is_done : the client wants no more
    """

    def __init__(self, console: Console):
        self.is_done = False
        self._console, self._session = console, console.session
        self._views = Views(console.session)
        self._sets = BreakpointSets(console.session, self._views)
        self._stops_on_entry = self._hears_changes = True
        #: Events that follow the response.
        self._events: list[tuple[str, _Object]] = []
        #: What follows it: the client hears that a run goes on before it stops.
        self._run: Callable[[], Stop] | None = None

    def answer(self, command: str, arguments: object) -> _Object:
        """The body of the response. Raises `BadInput`, which is told as an error."""
        handler = getattr(self, f"_on_{command}", None)
        if handler is None:
            raise BadInput(f"{command}: there is no such request here")
        return handler(Arguments(arguments, command)) or {}

    def events(self) -> Iterator[tuple[str, _Object]]:
        """What follows the response: names and bodies."""
        events, run = self._events, self._run
        self._events, self._run = [], None
        yield from events
        if run:
            ended = self._session.stopped.reason is Reason.END
            stop = run()
            if ended and stop.reason is Reason.END:
                yield "exited", {"exitCode": 0}
                yield "terminated", {}
            else:
                yield "stopped", self._stopped(stop)

    def _stopped(self, stop: Stop) -> _Object:
        reason = _REASONS.get(stop.reason, "goto")
        hit = {}
        if stop.breakpoint is not None:
            reason, hit = self._sets.reasons.get(stop.breakpoint, "breakpoint"), {"hitBreakpointIds": [stop.breakpoint]}
        text = {"description": stop.text, "text": stop.text} if stop.text else {}
        return {"reason": reason, "threadId": self._session.qpu + 1, "allThreadsStopped": True, **text, **hit}

    def _goes_on(self, arguments: Arguments, run: Callable[[Session], Stop]) -> _Object:
        """A run of the QPU that is the thread of a request."""
        self._session.select(self._qpu(arguments, "threadId"))
        self._run = lambda: run(self._session)
        return {}

    def _qpu(self, arguments: Arguments, name: str) -> int:
        """The number of the QPU that is the thread, or the frame, of a request."""
        qpu = arguments.number(name) - 1
        if not 0 <= qpu < self._session.qpus:
            raise BadInput(f"there is no thread {qpu + 1}")
        return qpu

    # The beginning and the end of a session.

    def _on_initialize(self, arguments: Arguments) -> _Object:
        self._views.first_line = int(arguments.flag("linesStartAt1", True))
        self._hears_changes = arguments.flag("supportsInvalidatedEvent", False)
        self._events.append(("initialized", {}))
        return _CAPABILITIES

    def _on_launch(self, arguments: Arguments) -> None:
        self._stops_on_entry = arguments.flag("stopOnEntry", True)

    _on_attach = _on_launch

    def _on_configurationDone(self, arguments: Arguments) -> None:
        if self._stops_on_entry:
            self._run = lambda: self._session.stopped
        else:
            self._run = self._session.proceed

    def _on_disconnect(self, arguments: Arguments) -> None:
        self.is_done = True

    def _on_terminate(self, arguments: Arguments) -> None:
        self._events.append(("terminated", {}))

    # How a run goes on.

    def _on_continue(self, arguments: Arguments) -> _Object:
        return self._goes_on(arguments, Session.proceed) | {"allThreadsContinued": True}

    def _on_next(self, arguments: Arguments) -> _Object:
        by_instruction = arguments.word("granularity", "") == _INSTRUCTION
        return self._goes_on(arguments, Session.step if by_instruction else Session.over)

    def _on_stepIn(self, arguments: Arguments) -> _Object:
        return self._goes_on(arguments, Session.step)

    def _on_stepOut(self, arguments: Arguments) -> _Object:
        return self._goes_on(arguments, Session.finish)

    def _on_stepBack(self, arguments: Arguments) -> _Object:
        return self._goes_on(arguments, Session.back)

    def _on_reverseContinue(self, arguments: Arguments) -> _Object:
        return self._goes_on(arguments, Session.back_to_breakpoint)

    def _on_pause(self, arguments: Arguments) -> None:
        """What ran has been interrupted when the request came; what runs next shall not be."""
        self._session.forget_interrupt()

    # Breakpoints.

    def _on_setBreakpoints(self, arguments: Arguments) -> _Object:
        lines = [one.number("line") for one in arguments.list("breakpoints")]
        return {"breakpoints": self._sets.in_source(arguments.object("source"), lines)}

    def _on_setInstructionBreakpoints(self, arguments: Arguments) -> _Object:
        return {"breakpoints": self._sets.at_instructions(arguments.list("breakpoints"))}

    def _on_setFunctionBreakpoints(self, arguments: Arguments) -> _Object:
        return {"breakpoints": self._sets.at_functions([one.word("name") for one in arguments.list("breakpoints")])}

    def _on_setDataBreakpoints(self, arguments: Arguments) -> _Object:
        return {"breakpoints": self._sets.at_data([one.word("dataId") for one in arguments.list("breakpoints")])}

    def _on_setExceptionBreakpoints(self, arguments: Arguments) -> _Object:
        return {"breakpoints": self._sets.at_exceptions(arguments.texts("filters"))}

    def _on_dataBreakpointInfo(self, arguments: Arguments) -> _Object:
        found = self._sets.data_id(arguments)
        if found is None:
            return {"dataId": None, "description": "only registers and memory can be watched"}
        return {"dataId": found[0], "description": found[1], "accessTypes": ["write"]}

    # What there is to see.

    def _on_threads(self, arguments: Arguments) -> _Object:
        return {"threads": [{"id": qpu + 1, "name": f"QPU {qpu}"} for qpu in range(self._session.qpus)]}

    def _on_stackTrace(self, arguments: Arguments) -> _Object:
        frames = self._views.frames(self._qpu(arguments, "threadId"))
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def _on_scopes(self, arguments: Arguments) -> _Object:
        return {"scopes": self._views.scopes(self._qpu(arguments, "frameId"))}

    def _on_variables(self, arguments: Arguments) -> _Object:
        found = self._views.variables(arguments.number("variablesReference"))
        first, count = max(arguments.number("start", 0), 0), max(arguments.number("count", 0), 0)
        return {"variables": found[first : first + count if count else None]}

    def _on_source(self, arguments: Arguments) -> _Object:
        where = arguments if arguments.has("sourceReference") else arguments.object("source")
        return {"content": self._views.text(where.number("sourceReference"))}

    def _on_disassemble(self, arguments: Arguments) -> _Object:
        address = address_of(arguments.word("memoryReference"), arguments.number("offset", 0))
        address += arguments.number("instructionOffset", 0) * WORD_BYTES
        return {"instructions": self._views.instructions(address, arguments.number("instructionCount"))}

    def _on_readMemory(self, arguments: Arguments) -> _Object:
        address = address_of(arguments.word("memoryReference"), arguments.number("offset", 0))
        return self._views.memory(address, arguments.number("count"))

    # What is changed.

    def _on_setVariable(self, arguments: Arguments) -> _Object:
        qpu, what = self._views.place_of(arguments.number("variablesReference"), arguments.word("name"))
        return self._set(qpu, what, arguments.word("value"))

    def _on_setExpression(self, arguments: Arguments) -> _Object:
        qpu = self._qpu(arguments, "frameId") if arguments.has("frameId") else self._session.qpu
        return self._set(qpu, arguments.word("expression").strip(), arguments.word("value"))

    def _set(self, qpu: int, what: str, value: str) -> _Object:
        """A new value as people write it; all elements of a register may have the same one."""
        text = self._views.set(qpu, what, value)
        self._changed()
        return {"value": text, "variablesReference": 0}

    def _on_writeMemory(self, arguments: Arguments) -> _Object:
        address = address_of(arguments.word("memoryReference"), arguments.number("offset", 0))
        count = self._views.write(address, arguments.word("data"), partly=arguments.flag("allowPartial", False))
        self._changed()
        return {"bytesWritten": count}

    def _changed(self) -> None:
        """The client must look again."""
        if self._hears_changes:
            self._events.append(("invalidated", {"areas": ["variables"]}))

    def _on_evaluate(self, arguments: Arguments) -> _Object:
        """An expression of the console, perhaps with a format after it; in a window for commands also a command."""
        text, session = arguments.word("expression").strip(), self._session
        if arguments.has("frameId"):
            session.select(self._qpu(arguments, "frameId"))
        if arguments.word("context", "") == _REPL and text.partition(" ")[0] in self._console.names():
            return {"result": self._command(text), "variablesReference": 0}
        what, format_ = with_format(text)
        value = evaluate(what, session.target.gpu, session.qpu, session.listing)
        place = {} if value.address is None else {"memoryReference": f"{value.address:#010x}"}
        return {"result": words_text(value.words.tolist(), format_), "variablesReference": 0, **place}

    def _command(self, text: str) -> str:
        """What a command of the console says; if it moves the run, the client must look again."""
        before, self._console.stdout = self._session.target.position, io.StringIO()
        if self._console.onecmd(text):
            self.is_done = True
        if self._session.target.position != before:
            self._events.append(("stopped", self._stopped(self._session.stopped)))
        elif text.startswith(_SET):
            self._changed()
        return self._console.stdout.getvalue().rstrip("\n")
