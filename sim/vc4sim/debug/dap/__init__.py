"""The debugger as a server of the Debug Adapter Protocol (https://microsoft.github.io/debug-adapter-protocol), for editors.

============  ==============================================================
``messages``  bytes to messages, and back
``server``    requests in, responses and events out
``adapter``   what each request about a run does
``breakpoints``  those that a client has set
``arguments``    of requests, with their types checked
``views``     sources, instructions, registers and memory, as the protocol has them
============  ==============================================================

A QPU is a thread, with one frame of a stack: that of its program.
"""

from .messages import read_message, write_message
from .server import serve

__all__ = ["read_message", "serve", "write_message"]
