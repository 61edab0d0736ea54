"""The debugger in a terminal, or for a script: commands, one a line."""

from .console import Console
from .frame_console import FrameConsole
from .run import converse, execute_script

__all__ = ["Console", "FrameConsole", "converse", "execute_script"]
