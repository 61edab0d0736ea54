"""`vc4 gl`: the GPU as a library for drivers."""

import argparse
from pathlib import Path

from ..gl.build import build, build_mesa, default_prefix
from ..gl.device import ENGINES, Device, open_device
from ..gl.programs import run
from ..problem import BadInput, ExitStatus
from .gl_piglit import add_piglit
from .options import Commands
from .regs import header

__all__ = ["register"]

_RUN = """\
Run a program that draws with OpenGL or OpenGL ES: Mesa's driver for the Raspberry Pi hands
its frames to this GPU. `vc4 gl build --mesa` builds that Mesa.
"""
_EXAMPLES = """\
For example: vc4 gl run --record frames kmscube -D /dev/dri/renderD128 -c 10
"""


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "gl", help="run OpenGL programs on it, or your driver", description="The GPU behind drivers: yours, or Mesa's."
    )
    inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    library = inner.add_parser(
        "build",
        help="build the library",
        description="Build libvc4sim, the GPU as a C library, and install it with its headers and a file for pkg-config.",
    )
    library.add_argument(
        "--mesa",
        action="store_true",
        help="build Mesa's driver from Debian's source package, too: 15 minutes on two cores",
    )
    library.set_defaults(execute=_build)
    program = inner.add_parser(
        "run",
        help="run a program",
        description=_RUN,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    program.add_argument(
        "--record", metavar="FOLDER", type=Path, help="keep every frame, as a picture and as a case for `vc4 render`"
    )
    program.add_argument("--quiet", action="store_true", help="do not count frames")
    program.add_argument("command", metavar="PROGRAM", nargs=argparse.REMAINDER, help="program, and its arguments")
    program.set_defaults(execute=_run)
    piglit = add_piglit(inner)
    for one in (library, program, piglit):
        one.add_argument(
            "--prefix",
            metavar="FOLDER",
            type=Path,
            default=default_prefix(),
            help="where it is installed (default: %(default)s)",
        )
    for one in (program, piglit):
        one.add_argument("--on", choices=[*ENGINES], default="model", help="what draws (default: model)")


def _build(options: argparse.Namespace) -> int:
    print(build(options.prefix, header()))
    if options.mesa:
        build_mesa(options.prefix)
    return ExitStatus.PASS


def _run(options: argparse.Namespace) -> int:
    def open_gpu(memory: memoryview) -> Device:
        return open_device(memory, options.on, options.record, not options.quiet)

    if not options.command:
        raise BadInput("no program is given")
    return run(options.command, options.prefix, open_gpu)
