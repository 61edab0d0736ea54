"""`vc4 gl`: the GPU as a library for drivers."""

import argparse
from pathlib import Path

from ..gl.build import build, default_prefix
from ..problem import ExitStatus
from .options import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser("gl", help="use it from drivers", description="The GPU as a library for drivers.")
    inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    library = inner.add_parser(
        "build",
        help="build the library",
        description="Build libvc4sim, the GPU as a C library, and install it with its header and a file for pkg-config.",
    )
    library.add_argument(
        "--prefix",
        metavar="FOLDER",
        type=Path,
        default=default_prefix(),
        help="where to install it (default: %(default)s)",
    )
    library.set_defaults(execute=_build)


def _build(options: argparse.Namespace) -> int:
    print(build(options.prefix))
    return ExitStatus.PASS
