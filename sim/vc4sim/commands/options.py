"""Options that several sub-commands have."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from vc4.config import PRESETS, V3DConfig, preset
from vc4.errata import CHIPS, Erratum, errata_of
from vc4.isa.hazards import HAZARDS

from ..limits import CYCLES, LARGEST_GAP, LATENCIES, SEEDS

__all__ = [
    "Commands",
    "add_allow",
    "add_config",
    "add_includes",
    "add_max_cycles",
    "add_memory",
    "add_routing",
    "add_timeline",
    "config_of",
    "config_words",
    "fraction",
    "integer",
    "json_file",
    "pace_of",
    "picture_file",
    "seconds",
    "vcd_file",
    "window",
]

_VCD, _JSON, _PICTURES = ".vcd", ".json", (".png", ".svg")


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
    if not 0 <= value <= LARGEST_GAP:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {LARGEST_GAP}, not {text!r}")
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
    return _file_with(_VCD, text)


def json_file(text: str) -> Path:
    """Type of an option: a file for a timeline."""
    return _file_with(_JSON, text)


def picture_file(text: str) -> Path:
    """Type of an option: a file for a figure."""
    if not text.endswith(_PICTURES):
        raise argparse.ArgumentTypeError(f"must end with {' or '.join(_PICTURES)}, not be {text!r}")
    return Path(text)


def _file_with(suffix: str, text: str) -> Path:
    if not text.endswith(suffix):
        raise argparse.ArgumentTypeError(f"must end with {suffix}, not be {text!r}")
    return Path(text)


def _errata(text: str) -> frozenset[Erratum]:
    """Type of an option: faults of chips."""
    try:
        return errata_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_config(parser: argparse.ArgumentParser, default: str | None = "qpu", what: str = "(default: {})") -> None:
    """The options that choose a configuration, see `config_of`; `what` says which one it is if none is chosen."""
    parser.add_argument(
        "--config", choices=PRESETS, default=default, help=f"configuration of the GPU {what.format(default)}"
    )
    parser.add_argument(
        "--errata",
        type=_errata,
        default=frozenset(),
        metavar="ERRATA",
        help=f"faults of chips that it has, too: {' or '.join(CHIPS)} for all, or numbers like "
        f"{Erratum.HW_2619},{Erratum.HW_2924}, see docs/reference/errata.md (default: none)",
    )


def config_of(options: argparse.Namespace, name: str | None = None) -> V3DConfig:
    """The configuration that `add_config` has chosen, or the preset `name`, with the errata."""
    return replace(preset(name or options.config), errata=options.errata)


def config_words(options: argparse.Namespace) -> list[str]:
    """The arguments that choose the same configuration."""
    errata = ",".join(sorted(map(str, options.errata)))
    return ["--config", options.config, *(["--errata", errata] if errata else [])]


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


def add_max_cycles(parser: argparse.ArgumentParser, default: int, what: str) -> None:
    """The option that ends what does not end; `what` says what is given up."""
    parser.add_argument(
        "--max-cycles",
        type=integer(CYCLES[0], CYCLES[-1]),
        default=default,
        metavar="N",
        help=f"{what} (default: {default})",
    )


def add_timeline(parser: argparse.ArgumentParser) -> None:
    """The option for a timeline."""
    parser.add_argument(
        "--timeline",
        metavar="FILE.json",
        type=json_file,
        help="write what happened when, for ui.perfetto.dev, see docs/user/profiling.md",
    )


def add_routing(parser: argparse.ArgumentParser) -> None:
    """Options of placing and routing."""
    parser.add_argument(
        "--seeds",
        type=integer(1, 100),
        default=3,
        metavar="N",
        help="place and route with the seeds 1 to N (default: 3)",
    )
    parser.add_argument(
        "-j", "--jobs", type=integer(1, 64), default=2, metavar="N", help="seeds at the same time (default: 2)"
    )


def pace_of(options: argparse.Namespace) -> dict[str, Any]:
    """What `add_memory` and `add_max_cycles` have asked for, by the names of fields of a job."""
    return {name: getattr(options, name) for name in ("latency", "gap", "seed", "max_cycles")}


def add_memory(parser: argparse.ArgumentParser, seed: str) -> None:
    """Options of the memory that the RTL works with; `seed` says what the seed decides."""
    parser.add_argument(
        "--seed", type=integer(SEEDS[0], SEEDS[-1]), default=1, metavar="N", help=f"{seed} (default: 1)"
    )
    parser.add_argument(
        "--latency",
        type=integer(LATENCIES[0], LATENCIES[-1]),
        default=20,
        metavar="N",
        help=f"clocks from a memory request to its first word, {LATENCIES[0]} to {LATENCIES[-1]} (default: 20)",
    )
    parser.add_argument(
        "--gap",
        type=fraction,
        default=0.0,
        metavar="P",
        help=f"chance that memory pauses in a clock, 0 to {LARGEST_GAP} (default: 0)",
    )
