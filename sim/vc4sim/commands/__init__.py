"""The sub-commands of `vc4`, one module each.

A module has `register(commands)`, which adds the parser of the sub-command with the function to call as its default
`execute`. ``options``, ``engines`` and ``show`` are what several of them share.
"""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

__all__ = ["COMMANDS", "modules"]

#: In the order of the help.
COMMANDS = (
    "run",
    "render",
    "debug",
    "profile",
    "examples",
    "asm",
    "disasm",
    "check",
    "clist",
    "lockstep",
    "soak",
    "kit",
    "campaign",
    "waves",
    "regs",
    "isa",
    "tree",
    "verilog",
    "synth",
    "build",
    "screen",
    "gl",
    "bench",
    "completion",
)


def modules(arguments: Sequence[str]) -> list[ModuleType]:
    """That of the sub-command that `arguments` begin with, as all take a while to import; all, if it is none of them."""
    names = arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS
    return [import_module(f"{__name__}.{name}") for name in names]
