"""`vc4 asm`: sources to words."""

import argparse
import sys
from pathlib import Path

from ..asm import assemble
from ..problem import ExitStatus
from ..workload.files import read_text
from ..workload.hexfile import hex_of_bytes
from .options import Commands, add_includes

__all__ = ["register"]

_FORMATS = {
    "hex": lambda code: hex_of_bytes(code).encode(),
    "bin": lambda code: code,
}


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "asm",
        help="assemble a program",
        description="Assemble a QPU program, written in the dialect of vc4asm.",
    )
    parser.add_argument("source", metavar="SOURCE", help="assembly file, or - for standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="hex",
        help="hex: a word of 16 digits on each line (default); bin: 8 bytes a word, little endian",
    )
    add_includes(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    data = _FORMATS[options.format](assemble(read_text(options.source), options.source, options.folders).code)
    if options.output:
        Path(options.output).write_bytes(data)
    else:
        sys.stdout.buffer.write(data)
    return ExitStatus.PASS
