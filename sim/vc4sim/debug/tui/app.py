"""The terminal interface: source, QPUs, registers, memory, and commands of the console."""

import io

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, ScrollableContainer, Vertical
from textual.widgets import Footer, Header, Input, RichLog

from ...problem import BadInput
from ...workload.layout import PROGRAM
from ..console import Console
from ..text import stop_lines
from .command_input import CommandInput
from .panes import MemoryPane, Pane, QpuPane, RegisterPane, SourcePane

__all__ = ["DebuggerApp"]

#: Keys that are commands of the console.
_KEYS = (
    ("f5", "continue", "Continue"),
    ("f6", "back continue", "Back"),
    ("f7", "back next", "Back next"),
    ("f8", "back step", "Back step"),
    ("f9", "next", "Next"),
    ("f10", "step", "Step"),
)


class DebuggerApp(App[None]):
    """Shows the session of `console`, and carries out what is typed.

    Commands run in a thread, so that Escape can interrupt them.
    """

    CSS = """
    #left { width: 3fr; }
    #right { width: 2fr; min-width: 30; }
    SourcePane { height: 3fr; border: round $primary; overflow: hidden; }
    #said { height: 2fr; border: round $primary; }
    QpuPane { height: auto; max-height: 8; border: round $primary; }
    #registers { height: 3fr; border: round $primary; }
    #memory { height: 2fr; border: round $primary; }
    Pane { text-wrap: nowrap; text-overflow: ellipsis; }
    RegisterPane, MemoryPane { width: auto; }
    Input { border: round $accent; height: 3; }
    """
    BINDINGS = [
        *(Binding(key, f"carry_out({command!r})", text, priority=True) for key, command, text in _KEYS),
        Binding("f2", "next_format", "Format", priority=True),
        Binding("f3", "next_group", "Registers", priority=True),
        Binding("escape", "interrupt", "Interrupt", priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, console: Console):
        super().__init__()
        self.interpreter, self.session = console, console.session
        self.title = f"vc4 debug {self.session.target.name}"

    def compose(self) -> ComposeResult:
        """The panes."""
        session = self.session
        yield Header()
        with Horizontal():
            with Vertical(id="left"):
                yield SourcePane(session)
                yield RichLog(id="said", wrap=False, max_lines=10_000)
            with Vertical(id="right"):
                yield QpuPane(session)
                with ScrollableContainer(id="registers"):
                    yield RegisterPane(session)
                with ScrollableContainer(id="memory"):
                    yield MemoryPane(session)
                yield Input(id="place", placeholder="memory: [PLACE, BYTES] FORMAT")
        yield CommandInput(self.interpreter.names(), id="command", placeholder="command: help lists them")
        yield Footer()

    def on_mount(self) -> None:
        """The beginning: memory shows the first buffer, or what is there first."""
        buffers = [name for name in self.session.listing.buffers if name != PROGRAM]
        place = f"&{buffers[0]}" if buffers else f"{self.session.target.memory.base:#010x}"
        self.query_one("#place", Input).value = self.query_one(MemoryPane).what = f"[{place}]"
        self.query_one("#memory").border_title = "memory"
        self.query_one("#command", Input).focus()
        self._say("\n".join(stop_lines(self.session, None)))
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        """There is room for more lines, or for fewer."""
        self.call_after_refresh(self._show)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A command, or what the pane of memory shall show."""
        if event.input.id == "place":
            self.query_one(MemoryPane).what = event.value
            self._show()
        elif isinstance(event.input, CommandInput) and event.value.strip():
            event.input.remember()
            self.action_carry_out(event.value)

    def action_carry_out(self, command: str) -> None:
        """A command of the console, unless one is being carried out."""
        entry = self.query_one("#command", Input)
        if not entry.disabled:
            entry.disabled = True
            self._say(f"> {command}")
            self.run_worker(lambda: self._carry_out(command), thread=True, exit_on_error=True)

    def action_interrupt(self) -> None:
        """What runs stops."""
        if self.query_one("#command", Input).disabled:
            self.session.interrupt()

    def action_next_format(self) -> None:
        """Of the registers."""
        self.query_one(RegisterPane).next_format()

    def action_next_group(self) -> None:
        """Of the registers."""
        self.query_one(RegisterPane).next_group()

    def _carry_out(self, command: str) -> None:
        """In a thread."""
        self.session.forget_interrupt()
        self.interpreter.stdout, ends = io.StringIO(), False
        try:
            ends = self.interpreter.onecmd(command)
            text = self.interpreter.stdout.getvalue()
        except (BadInput, OSError) as error:
            text = self.interpreter.stdout.getvalue() + str(error)
        self.call_from_thread(self._done, text, ends)

    def _done(self, text: str, ends: bool) -> None:
        """A command is carried out."""
        entry = self.query_one("#command", Input)
        entry.disabled = False
        entry.focus()
        self._say(text.rstrip("\n"))
        if ends:
            self.exit()
        self._show()

    def _say(self, text: str) -> None:
        if text:
            self.query_one("#said", RichLog).write(text)

    def _show(self) -> None:
        """All panes, as it is now."""
        self.sub_title = f"QPU {self.session.qpu}, position {self.session.target.position}"
        for pane in self.query(Pane):
            pane.show()
