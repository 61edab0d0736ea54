"""Options that several sub-commands have."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from vc4.config import PRESETS
from vc4.isa.hazards import HAZARDS

__all__ = [
    "Commands",
    "add_allow",
    "add_config",
    "add_includes",
    "add_memory",
    "fraction",
    "integer",
    "seconds",
    "vcd_file",
    "window",
]

_LARGEST_GAP = 0.95
_VCD = ".vcd"


class Commands(Protocol):
    """Where sub-commands are registered."""

    def add_parser(self, name: str, **options) -> argparse.ArgumentParser:
        """A new sub-command."""
        ...


def integer(low: int, high: int) -> Callable[[str], int]:
    """Type of an option: an integer from `low` to `high`."""

    def convert(text: str) -> int:
        try:
            value = int(text, 0)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be an integer from {low} to {high}, not {text!r}")
        return value

    return convert


def fraction(text: str) -> float:
    """Type of an option: a chance, with which memory still gets on."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _LARGEST_GAP:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {_LARGEST_GAP}, not {text!r}")
    return value


def seconds(text: str) -> float:
    """Type of an option: a time of at least a tenth of a second."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"must be a number from 0.1 to 3600, not {text!r}")
    return value


def window(text: str) -> tuple[int, int]:
    """Type of an option: clocks from the first number on to the one before the second."""
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last) < 1 << 32):
        raise argparse.ArgumentTypeError(f"must be two clocks like 1000:2000, the first one below, not {text!r}")
    return int(first), int(last)


def vcd_file(text: str) -> Path:
    """Type of an option: a file for waves."""
    if not text.endswith(_VCD):
        raise argparse.ArgumentTypeError(f"must end with {_VCD}, not be {text!r}")
    return Path(text)


def add_config(parser: argparse.ArgumentParser) -> None:
    """The option that chooses a configuration."""
    parser.add_argument("--config", choices=PRESETS, default="qpu", help="configuration of the GPU (default: qpu)")


def add_includes(parser: argparse.ArgumentParser) -> None:
    """The option that says where included files lie."""
    parser.add_argument(
        "-I",
        dest="folders",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="folder where .include finds files, too; may be given several times",
    )


def _rule(text: str) -> str:
    """Type of an option: the number of a restriction, like R4."""
    rule = text.upper()
    if rule not in {one.rule for one in HAZARDS}:
        raise argparse.ArgumentTypeError(f"must be a rule of `vc4 check --rules`, not {text!r}")
    return rule


def add_allow(parser: argparse.ArgumentParser) -> None:
    """The option that leaves rules out."""
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        type=_rule,
        metavar="RULE",
        help="leave a rule out, like R4; once for each",
    )


def add_memory(parser: argparse.ArgumentParser, seed: str) -> None:
    """Options of the memory that the RTL works with; `seed` says what the seed decides."""
    largest = (1 << 31) - 1
    parser.add_argument("--seed", type=integer(0, largest), default=1, metavar="N", help=f"{seed} (default: 1)")
    parser.add_argument(
        "--latency",
        type=integer(1, 1024),
        default=20,
        metavar="N",
        help="clocks from a memory request to its first word, 1 to 1024 (default: 20)",
    )
    parser.add_argument(
        "--gap",
        type=fraction,
        default=0.0,
        metavar="P",
        help=f"chance that memory pauses in a clock, 0 to {_LARGEST_GAP} (default: 0)",
    )
