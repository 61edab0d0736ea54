"""The debugger as a terminal interface; only who wants that imports this, as it needs Textual."""

from .app import DebuggerApp

__all__ = ["DebuggerApp"]
