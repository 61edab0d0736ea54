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
    "supportsEvaluateForHovers": True,
    "supportsTerminateRequest": True,
    "exceptionBreakpointFilters": EXCEPTIONS,
}
#: Reasons of stops, but for breakpoints.
_REASONS = {Reason.STEP: "step", Reason.BEGINNING: "entry", Reason.INTERRUPTED: "pause", Reason.END: "pause"}
_INSTRUCTION = "instruction"
_REPL = "repl"


class Adapter:
    """Answers requests about the session of a console, and tells events.

    is_done : the client wants no more
    """

    def __init__(self, console: Console):
        self.is_done = False
        self._console, self._session = console, console.session
        self._views = Views(console.session)
        self._sets = BreakpointSets(console.session, self._views)
        self._stops_on_entry = True
        #: Events that follow the response.
        self._events: list[tuple[str, _Object]] = []
        #: What follows it: the client hears that a run goes on before it stops.
        self._run: Callable[[], Stop] | None = None

    def answer(self, command: str, arguments: _Object) -> _Object:
        """The body of the response. Raises `BadInput`, which is told as an error."""
        handler = getattr(self, f"_on_{command}", None)
        if handler is None:
            raise BadInput(f"{command}: there is no such request here")
        try:
            return handler(arguments) or {}
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"{command}: its arguments are wrong: {error!r}") from None

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

    def _goes_on(self, arguments: _Object, run: Callable[[Session], Stop]) -> _Object:
        """A run of the QPU that is the thread of a request."""
        self._session.select(self._qpu(arguments))
        self._run = lambda: run(self._session)
        return {}

    def _qpu(self, arguments: _Object) -> int:
        qpu = int(arguments["threadId"]) - 1
        if not 0 <= qpu < self._session.qpus:
            raise BadInput(f"there is no thread {qpu + 1}")
        return qpu

    # The beginning and the end of a session.

    def _on_initialize(self, arguments: _Object) -> _Object:
        self._views.first_line = int(arguments.get("linesStartAt1", True))
        self._events.append(("initialized", {}))
        return _CAPABILITIES

    def _on_launch(self, arguments: _Object) -> None:
        self._stops_on_entry = bool(arguments.get("stopOnEntry", True))

    _on_attach = _on_launch

    def _on_configurationDone(self, arguments: _Object) -> None:
        if self._stops_on_entry:
            self._run = lambda: self._session.stopped
        else:
            self._run = self._session.proceed

    def _on_disconnect(self, arguments: _Object) -> None:
        self.is_done = True

    def _on_terminate(self, arguments: _Object) -> None:
        self._events.append(("terminated", {}))

    # How a run goes on.

    def _on_continue(self, arguments: _Object) -> _Object:
        return self._goes_on(arguments, Session.proceed) | {"allThreadsContinued": True}

    def _on_next(self, arguments: _Object) -> _Object:
        by_instruction = arguments.get("granularity") == _INSTRUCTION
        return self._goes_on(arguments, Session.step if by_instruction else Session.over)

    def _on_stepIn(self, arguments: _Object) -> _Object:
        return self._goes_on(arguments, Session.step)

    def _on_stepBack(self, arguments: _Object) -> _Object:
        return self._goes_on(arguments, Session.back)

    def _on_reverseContinue(self, arguments: _Object) -> _Object:
        return self._goes_on(arguments, Session.back_to_breakpoint)

    def _on_pause(self, arguments: _Object) -> None:
        """What ran has been interrupted when the request came; what runs next shall not be."""
        self._session.forget_interrupt()

    # Breakpoints.

    def _on_setBreakpoints(self, arguments: _Object) -> _Object:
        lines = [int(one["line"]) for one in arguments.get("breakpoints", [])]
        return {"breakpoints": self._sets.in_source(arguments["source"], lines)}

    def _on_setInstructionBreakpoints(self, arguments: _Object) -> _Object:
        return {"breakpoints": self._sets.at_instructions(arguments["breakpoints"])}

    def _on_setFunctionBreakpoints(self, arguments: _Object) -> _Object:
        return {"breakpoints": self._sets.at_functions([str(one["name"]) for one in arguments["breakpoints"]])}

    def _on_setDataBreakpoints(self, arguments: _Object) -> _Object:
        return {"breakpoints": self._sets.at_data([str(one["dataId"]) for one in arguments["breakpoints"]])}

    def _on_setExceptionBreakpoints(self, arguments: _Object) -> _Object:
        return {"breakpoints": self._sets.at_exceptions(arguments["filters"])}

    def _on_dataBreakpointInfo(self, arguments: _Object) -> _Object:
        found = self._sets.data_id(arguments)
        if found is None:
            return {"dataId": None, "description": "only registers and memory can be watched"}
        return {"dataId": found[0], "description": found[1], "accessTypes": ["write"]}

    # What there is to see.

    def _on_threads(self, arguments: _Object) -> _Object:
        return {"threads": [{"id": qpu + 1, "name": f"QPU {qpu}"} for qpu in range(self._session.qpus)]}

    def _on_stackTrace(self, arguments: _Object) -> _Object:
        frames = self._views.frames(self._qpu(arguments))
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def _on_scopes(self, arguments: _Object) -> _Object:
        return {"scopes": self._views.scopes(self._qpu({"threadId": arguments["frameId"]}))}

    def _on_variables(self, arguments: _Object) -> _Object:
        found = self._views.variables(int(arguments["variablesReference"]))
        first, count = int(arguments.get("start", 0)), int(arguments.get("count", 0))
        return {"variables": found[first : first + count if count else None]}

    def _on_source(self, arguments: _Object) -> _Object:
        reference = arguments.get("sourceReference") or arguments["source"]["sourceReference"]
        return {"content": self._views.text(int(reference))}

    def _on_disassemble(self, arguments: _Object) -> _Object:
        address = address_of(arguments["memoryReference"], int(arguments.get("offset", 0)))
        address += int(arguments.get("instructionOffset", 0)) * WORD_BYTES
        return {"instructions": self._views.instructions(address, int(arguments["instructionCount"]))}

    def _on_readMemory(self, arguments: _Object) -> _Object:
        address = address_of(arguments["memoryReference"], int(arguments.get("offset", 0)))
        return self._views.memory(address, int(arguments["count"]))

    def _on_evaluate(self, arguments: _Object) -> _Object:
        """An expression of the console, perhaps with a format behind it; in a window for commands also a command."""
        text, session = str(arguments["expression"]).strip(), self._session
        if frame := arguments.get("frameId"):
            session.select(self._qpu({"threadId": frame}))
        if arguments.get("context") == _REPL and text.partition(" ")[0] in self._console.names():
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
        return self._console.stdout.getvalue().rstrip("\n")
