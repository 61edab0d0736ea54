"""The engine of a command: whether it has what is asked for, and how it is set up."""

import argparse

from ..backends.base import Waves
from ..backends.engines import ENGINES, able
from ..library.execute import Setup
from ..problem import BadInput
from .options import pace_of

__all__ = ["check_engine", "setup_of", "wanted_waves"]


def check_engine(options: argparse.Namespace) -> None:
    """Raises `BadInput` for what the engine of a command does not have, and names those that do."""
    engine = ENGINES[options.on]
    for option, has in (
        ("lockstep", "is_compared"),
        ("waves", "has_waves"),
        ("window", "has_window"),
        *((name, "is_simulated") for name in ("trace", "strict", "timeline", "tile")),
    ):
        if getattr(options, option, None) and not getattr(engine, has):
            raise BadInput(f"--{option} is not for {options.on}: add --on {' or '.join(able(has))}")
    if options.window and not options.waves:
        raise BadInput("--window is about waves: add --waves FILE.vcd")


def setup_of(options: argparse.Namespace, config: str | None) -> Setup:
    """The GPU that a command is asked for, of a configuration."""
    shared = {"errata": options.errata, "lockstep": options.lockstep}
    return Setup(on=options.on, config=config, **shared, **pace_of(options))


def wanted_waves(options: argparse.Namespace) -> Waves | None:
    """The waves that a command is asked for."""
    return Waves(options.waves, *(options.window or ())) if options.waves else None
