"""`vc4 examples`: the built-in examples."""

import argparse

from ..problem import ExitStatus
from ..workload import example_names
from ..workload.example import description_of
from .options import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "examples",
        help="list the built-in examples",
        description="List the built-in examples, which `vc4 run` knows by name.",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    names = example_names()
    width = max(map(len, names))
    for name in names:
        print(f"{name:{width}}  {description_of(name)}")
    return ExitStatus.PASS
