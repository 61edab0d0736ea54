"""The engine of a command: whether it has what is asked for."""

import argparse

from ..backends.base import Waves
from ..backends.engines import ENGINES, able
from ..problem import BadInput

__all__ = ["check_engine", "wanted_waves"]


def check_engine(options: argparse.Namespace) -> None:
    """Raises `BadInput` for what the engine of a command does not have, and names those that do."""
    engine = ENGINES[options.on]
    for asked, has, option in (
        (options.lockstep, "is_rtl", "--lockstep"),
        (options.waves, "has_waves", "--waves"),
        (options.window, "has_window", "--window"),
    ):
        if asked and not getattr(engine, has):
            raise BadInput(f"{option} is not for {options.on}: add --on {' or '.join(able(has))}")
    if options.window and not options.waves:
        raise BadInput("--window is about waves: add --waves FILE.vcd")


def wanted_waves(options: argparse.Namespace) -> Waves | None:
    """The waves that a command is asked for."""
    return Waves(options.waves, *(options.window or ())) if options.waves else None
