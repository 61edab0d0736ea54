"""`vc4 disasm`: words to a listing."""

import argparse
from pathlib import Path

from ..asm import disassemble_program
from ..problem import BadInput, ExitStatus
from ..workload.files import read_bytes, read_text
from ..workload.hexfile import bytes_of_hex
from .options import Commands, integer

__all__ = ["register"]

_BINARY = ".bin"


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "disasm",
        help="disassemble a program",
        description="Print a listing of a program, which assembles to the same words. Each line ends with the address "
        "and the word.",
    )
    parser.add_argument(
        "file", metavar="FILE", help=f"words of 16 hexadecimal digits, one a line; binary if it ends with {_BINARY}"
    )
    parser.add_argument(
        "--base",
        type=integer(0, (1 << 32) - 1),
        default=0,
        metavar="ADDRESS",
        help="address of the first word (default: 0)",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    if Path(options.file).suffix == _BINARY:
        code = read_bytes(options.file)
    else:
        code = bytes_of_hex(read_text(options.file), options.file)
    if not code:
        raise BadInput(f"{options.file}: there are no words")
    print(disassemble_program(code, options.base), end="")
    return ExitStatus.PASS
