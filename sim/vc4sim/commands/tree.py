"""`vc4 tree`: the instances of the GPU."""

import argparse

from vc4.v3d import V3D

from ..hierarchy import Instance, hierarchy
from ..problem import ExitStatus
from .options import Commands, add_config, config_of

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "tree",
        help="print the instances of the GPU as a tree",
        description="Print the instances of the GPU as a tree, each with the name of its class.",
    )
    add_config(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    _print(hierarchy(V3D(config_of(options)), "v3d"), "", "")
    return ExitStatus.PASS


def _print(instance: Instance, head: str, indent: str) -> None:
    print(f"{head}{instance.name}  {instance.class_name}")
    for position, inner in enumerate(instance.inner, 1):
        is_last = position == len(instance.inner)
        _print(inner, indent + ("└─ " if is_last else "├─ "), indent + ("   " if is_last else "│  "))
