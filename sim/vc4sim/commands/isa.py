"""`vc4 isa`: what a name of the instruction set means, and what a set-up word says."""

import argparse
from difflib import get_close_matches

from ..problem import BadInput, ExitStatus
from ..reference.names import SETUPS, entries, said
from .options import Commands, integer

__all__ = ["register"]

_DESCRIPTION = """\
Print what a name of the instruction set means: an operation, a register, a
signal, a condition, a pack or an unpack, as the assembler has them. With a word,
print the fields of what it sets up.
"""

_EPILOG = f"""\
names with words:
  {", ".join(SETUPS[:3])} are registers, {SETUPS[3]} to
  {SETUPS[-1][-1]} the config parameters of a texture lookup, which are uniforms

for example:
  vc4 isa t0s
  vc4 isa vw_setup 0x1a00
"""


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "isa",
        help="say what a name of the instruction set, or a set-up word, means",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="like fadd, t0s, ldtmu0, ifz, 16a or vw_setup")
    parser.add_argument("word", metavar="WORD", nargs="?", type=integer(0, (1 << 32) - 1), help="a set-up word")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    name = options.name.lower().lstrip(".")
    if options.word is not None:
        if name not in SETUPS:
            raise BadInput(f"no word sets up {options.name!r}, but {', '.join(SETUPS)}")
        print("\n".join(said(name, options.word)))
        return ExitStatus.PASS
    every = list(entries())
    found = [entry for entry in every if entry.name == name]
    if not found:
        near = get_close_matches(name, {entry.name for entry in every}, cutoff=0.5)
        hint = f"the nearest are {', '.join(near)}" if near else "docs/reference/instructions.md has all names"
        raise BadInput(f"nothing in the instruction set is called {options.name!r}; {hint}")
    for entry in found:
        print(entry)
    return ExitStatus.PASS
