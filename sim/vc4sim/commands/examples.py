"""`vc4 examples`: the built-in examples."""

import argparse

from ..problem import ExitStatus
from ..workload.example import description_of, example_names, frame_names
from .options import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "examples",
        help="list the built-in examples",
        description="List the built-in examples: programs, which `vc4 run` knows by name, and frames, which `vc4 render` does.",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    examples = {"vc4 run": example_names(), "vc4 render": frame_names()}
    width = max(len(name) for names in examples.values() for name in names)
    for command, names in examples.items():
        for name in names:
            print(f"{command:{max(map(len, examples))}} {name:{width}}  {description_of(name)}")
    return ExitStatus.PASS
