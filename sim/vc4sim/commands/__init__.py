"""The sub-commands of `vc4`, one module each.

A module has `register(commands)`, which adds the parser of the sub-command with the function to call as its default
`execute`. ``options``, ``engines`` and ``show`` are what several of them share.
"""

from . import asm, bench, check, clist, disasm, examples, lockstep, regs, render, run, synth, tree, verilog, waves

__all__ = ["COMMANDS"]

#: In the order of the help.
COMMANDS = (run, render, examples, asm, disasm, check, clist, lockstep, waves, regs, tree, verilog, synth, bench)
